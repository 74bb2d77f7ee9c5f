#if !os(watchOS)
import ClassicReachability
import Foundation

/// The texts of an app and of this module, whose keys are the English texts.
struct Localization: Sendable {
  private let app: StringTables
  private let module: StringTables

  /// Reads the main table of an app, and the texts of this module.
  init(app: Bundle, module: Bundle?) {
    self.app = StringTables(["Localizable"], in: app)
    self.module = StringTables(["Localizable"], in: module)
  }

  /// The texts of this program.
  static let ofProgram = Localization(app: .main, module: resources)

  /// This module's resources, `nil` if they were not installed with the program.
  static var resources: Bundle? {
    ResourceBundle.bundle(of: "TMReachability", near: [.main, Bundle(for: Reachability.self)])
  }

  /// Returns a text in the first language of a list that has one, or in English.
  func text(_ key: String, preferring languages: [String]) -> String {
    StringTables.text(key, app: app, module: module, preferring: languages)
  }
}

/// Returns a text in the user's language, from the app's own strings or else from this module's.
func localized(_ key: String) -> String {
  Localization.ofProgram.text(key, preferring: PreferredLanguages.current)
}
#endif
