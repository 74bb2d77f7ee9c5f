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
