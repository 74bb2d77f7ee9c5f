#if !os(watchOS)
import Foundation

/// This module's texts, in the languages that its resources have.
///
/// Each text is its own key, so a program without the module's resources has the English texts.
struct Localization: Sendable {
  /// The texts of each language by their keys.
  private let tables: [String: [String: String]]

  /// Reads the texts from the module's resources, which are inside the program's bundle or next to it.
  ///
  /// `Bundle.module` would end the program if they are missing.
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

  /// The texts in the resources of this program.
  static let ofProgram = Localization(
    in: [Bundle.main, Bundle(for: Reachability.self)].flatMap { bundle in
      [bundle.resourceURL, bundle.bundleURL, bundle.bundleURL.deletingLastPathComponent()]
    })

  /// Returns a text in the first available language of a list, or in English.
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

/// Returns a text from the app's own strings, or else from this module's.
func localized(_ key: String) -> String {
  let text = Localization.ofProgram.text(key, preferring: PreferredLanguages.current)
  return Bundle.main.localizedString(forKey: key, value: text, table: nil)
}
#endif
