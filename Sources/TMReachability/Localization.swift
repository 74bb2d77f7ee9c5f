#if !os(watchOS)
import Foundation

/// The texts of this module in the languages that it knows.
///
/// A text is its own key, so there is one also where the module's resources were left behind.
struct Localization: Sendable {
  /// The texts of each language by their keys.
  private let tables: [String: [String: String]]

  /// Reads the texts from the module's resources, which lie inside of the program's bundle or next to it.
  ///
  /// `Bundle.module` would end the program where they do not.
  init(in folders: [URL?]) {
    let names = ["bundle", "resources"].map { "reachability-kit_TMReachability.\($0)" }
    let places = folders.compactMap(\.self).flatMap { folder in names.map { folder.appending(path: $0) } }
    var tables: [String: [String: String]] = [:]
    if let bundle = places.lazy.compactMap({ Bundle(url: $0) }).first {
      for language in bundle.localizations { tables[language] = Self.table(of: language, in: bundle) }
    }
    self.tables = tables
  }

  private static func table(of language: String, in bundle: Bundle) -> [String: String]? {
    let file = bundle.url(
      forResource: "Localizable", withExtension: "strings", subdirectory: nil, localization: language)
    guard let data = file.flatMap({ try? Data(contentsOf: $0) }) else { return nil }
    return try? PropertyListDecoder().decode([String: String].self, from: data)
  }

  /// The program's own.
  static let ofProgram = Localization(
    in: [Bundle.main, Bundle(for: Reachability.self)].flatMap { bundle in
      [bundle.resourceURL, bundle.bundleURL, bundle.bundleURL.deletingLastPathComponent()]
    })

  /// Returns a text in the best of the languages that are known, or in English.
  func text(_ key: String, preferring languages: [String]) -> String {
    for wanted in languages {
      let wanted = Locale.Language(identifier: wanted)
      let table = tables.first { known, _ in
        let known = Locale.Language(identifier: known)
        return known.languageCode == wanted.languageCode && known.script == wanted.script
      }
      if let text = table?.value[key] { return text }
    }
    return key
  }
}

/// Returns a text as the app's own strings have it, else as this module has it.
func localized(_ key: String) -> String {
  let text = Localization.ofProgram.text(key, preferring: preferredLanguages())
  return Bundle.main.localizedString(forKey: key, value: text, table: nil)
}

/// The languages of a process that has these variables, the best first; gettext's rule.
func languages(inEnvironment variables: [String: String]) -> [String] {
  let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { variables[$0] }.first { !$0.isEmpty } ?? "C"
  let names = [locale] + (variables["LANGUAGE"] ?? "").split(separator: ":").map(String.init)
  let identifiers = names.map { name in String(name.prefix { $0 != "." && $0 != "@" }) }
  guard let first = identifiers.first, first != "C", first != "POSIX" else { return [] }
  return Array(identifiers.count > 1 ? identifiers.dropFirst() : identifiers[...])
}
#endif
