import Foundation

/// Finds this module's resources, which may be missing: `Bundle.module` would end the program then.
enum ResourceBundle {
  /// The texts in the user's language, or `nil` where the resources were not installed with the program.
  #if canImport(ObjectiveC)
  static let texts = bundle(in: places(for: [Bundle.main, Bundle(for: Anchor.self)]))

  // In a framework or a test, the main bundle is another one.
  private final class Anchor {}
  #else
  // On Linux, Foundation does not ask for the user's language.
  static let texts = bundle(in: places(for: [Bundle.main])).flatMap { bundle in
    texts(in: bundle, language: language(in: ProcessInfo.processInfo.environment))
  }
  #endif

  /// The texts of one language.
  static func texts(in bundle: Bundle, language: String) -> Bundle? {
    // Package managers differ in whether they keep the name's capitals.
    let folder = bundle.localizations.first { $0.lowercased() == language.lowercased() }
    return folder.flatMap { bundle.url(forResource: $0, withExtension: "lproj") }.flatMap { Bundle(url: $0) }
  }

  /// Returns the language that a program is to speak, of those that there are.
  ///
  /// The variables and their order are those of POSIX's `setlocale`.
  static func language(in environment: [String: String]) -> String {
    let values = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }
    let locale = values.first { !$0.isEmpty } ?? ""
    return ["zh_CN", "zh_SG"].contains { locale.hasPrefix($0) } ? "zh-Hans" : "en"
  }

  /// Finds the bundle in one of several folders.
  static func bundle(in places: [URL]) -> Bundle? {
    let names = ["bundle", "resources"].map { "reachability-kit_AFNetworkReachability.\($0)" }
    let candidates = places.flatMap { place in names.map { place.appending(path: $0) } }
    return candidates.lazy.compactMap { Bundle(url: $0) }.first
  }

  /// Where build systems put a module's bundle, seen from the program's.
  static func places(for owners: [Bundle]) -> [URL] {
    owners.flatMap { [$0.resourceURL, $0.bundleURL, $0.bundleURL.deletingLastPathComponent()] }.compactMap(
      \.self)
  }
}
