import Foundation

/// This module's resources.
///
/// They may be missing, and `Bundle.module` would end the program then.
enum ResourceBundle {
  /// The texts in the user's language, or `nil` if the resources were not installed with the program.
  #if canImport(ObjectiveC)
  static let texts = bundle(in: places(for: [Bundle.main, Bundle(for: Anchor.self)]))

  // In a framework or a test, the main bundle belongs to another program.
  private final class Anchor {}
  #else
  // On Linux, Foundation does not read the user's language.
  static let texts = bundle(in: places(for: [Bundle.main])).flatMap { bundle in
    texts(in: bundle, language: language(in: ProcessInfo.processInfo.environment))
  }
  #endif

  /// Returns the texts of one language.
  static func texts(in bundle: Bundle, language: String) -> Bundle? {
    // Some package managers change the name's capitals.
    let folder = bundle.localizations.first { $0.lowercased() == language.lowercased() }
    return folder.flatMap { bundle.url(forResource: $0, withExtension: "lproj") }.flatMap { Bundle(url: $0) }
  }

  /// Returns the available language that the environment selects.
  ///
  /// The variables and their order are those of POSIX's `setlocale`.
  static func language(in environment: [String: String]) -> String {
    let values = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }
    let locale = values.first { !$0.isEmpty } ?? ""
    return ["zh_CN", "zh_SG"].contains { locale.hasPrefix($0) } ? "zh-Hans" : "en"
  }

  /// Returns the module's bundle from the first folder that has it.
  static func bundle(in places: [URL]) -> Bundle? {
    let names = ["bundle", "resources"].map { "reachability-kit_AFNetworkReachability.\($0)" }
    let candidates = places.flatMap { place in names.map { place.appending(path: $0) } }
    return candidates.lazy.compactMap { Bundle(url: $0) }.first
  }

  /// Returns the folders where build systems put a module's bundle, relative to the program's.
  static func places(for owners: [Bundle]) -> [URL] {
    owners.flatMap { [$0.resourceURL, $0.bundleURL, $0.bundleURL.deletingLastPathComponent()] }.compactMap(
      \.self)
  }
}
