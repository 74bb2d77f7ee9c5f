// SPDX-License-Identifier: Apache-2.0
package import Foundation

/// The texts of a bundle, in every language that it has.
///
/// Foundation reads the user's language on Apple platforms only, so the files are read and chosen here.
package struct StringTables: Sendable {
  /// The texts by their keys, for each language.
  private let localized: [String: [String: String]]
  /// The texts of tables outside the folders of languages, which count in every language.
  private let common: [String: String]

  /// Reads tables of a bundle; of two texts with one key, the first table's counts.
  package init(_ names: [String], in bundle: Bundle?) {
    var localized: [String: [String: String]] = [:]
    // The language of the folder `Base`. On Linux, `developmentLocalization` traps in a bundle without it.
    let region = bundle?.object(forInfoDictionaryKey: "CFBundleDevelopmentRegion") as? String
    for language in bundle?.localizations ?? [] {
      let texts = Self.texts(names) {
        bundle?.url(forResource: $0, withExtension: "strings", subdirectory: nil, localization: language)
      }
      let isBase = language == "Base"
      localized[isBase ? region ?? "en" : language, default: [:]].merge(texts) { isBase ? $0 : $1 }
    }
    self.localized = localized
    common = Self.texts(names) { bundle?.resourceURL?.appending(path: "\($0).strings") }
  }

  private static func texts(_ names: [String], _ file: (String) -> URL?) -> [String: String] {
    names.reversed().reduce(into: [:]) { texts, name in
      guard let data = file(name).flatMap({ try? Data(contentsOf: $0) }) else { return }
      let table = try? PropertyListDecoder().decode([String: String].self, from: data)
      texts.merge(table ?? [:]) { $1 }
    }
  }

  /// Returns a text in a user's language: that of the app, or else that of the module.
  ///
  /// The first language in which either has the text counts, and English after all others. A text outside the folders
  /// of languages counts in every language. Without any, the key is the text.
  package static func text(
    _ key: String, app: StringTables, module: StringTables, preferring languages: [String]
  ) -> String {
    if let text = app.common[key] { return text }
    for language in languages + ["en"] {
      for tables in [app, module] {
        if let text = tables.text(key, in: language) { return text }
      }
    }
    return key
  }

  /// Returns a text in the language of an identifier such as `zh_CN`, if possible as written in its region.
  private func text(_ key: String, in wanted: String) -> String? {
    let wanted = Locale.Language(identifier: wanted)
    let matches = localized.keys.sorted().map { (name: $0, language: Locale.Language(identifier: $0)) }
      .filter { $0.language.languageCode == wanted.languageCode && $0.language.script == wanted.script }
    let ofRegion = matches.filter { $0.language.region == wanted.region }
    return (ofRegion + matches).lazy.compactMap { localized[$0.name]?[key] }.first
  }
}

/// The languages that the user prefers, best first.
package enum PreferredLanguages {
  /// The languages of this process.
  ///
  /// On Apple platforms the language of the app's own texts comes first, so that an app does not mix two.
  package static var current: [String] {
    #if canImport(Darwin)
    Bundle.main.preferredLocalizations
    #else
    inEnvironment(ProcessInfo.processInfo.environment)
    #endif
  }

  /// Returns the languages of a process with these environment variables, by gettext's rule.
  package static func inEnvironment(_ variables: [String: String]) -> [String] {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { variables[$0] }.first { !$0.isEmpty } ?? "C"
    let names = [locale] + (variables["LANGUAGE"] ?? "").split(separator: ":").map(String.init)
    let identifiers = names.map { name in String(name.prefix { $0 != "." && $0 != "@" }) }
    guard let first = identifiers.first, first != "C", first != "POSIX" else { return [] }
    return Array(identifiers.count > 1 ? identifiers.dropFirst() : identifiers[...])
  }
}

/// The resources of a module.
///
/// They may be missing, and `Bundle.module` would end the program then.
package enum ResourceBundle {
  /// Returns the bundle of a module, which is in the folder of a program or library, or next to it.
  package static func bundle(of module: String, near owners: [Bundle]) -> Bundle? {
    bundle(
      of: module,
      in: owners.flatMap { [$0.resourceURL, $0.bundleURL, $0.bundleURL.deletingLastPathComponent()] })
  }

  /// Returns the bundle of a module from the first folder that has it.
  package static func bundle(of module: String, in folders: [URL?]) -> Bundle? {
    let names = ["bundle", "resources"].map { "reachability-kit_\(module).\($0)" }
    let places = folders.compactMap(\.self).flatMap { folder in names.map { folder.appending(path: $0) } }
    return places.lazy.compactMap { Bundle(url: $0) }.first
  }
}
