internal import Foundation

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
