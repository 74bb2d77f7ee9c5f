import Foundation

/// Whether the system's flags tell of cellular links: not on a Mac, as in the original.
#if os(macOS)
let platformHasWWAN = false
#else
let platformHasWWAN = true
#endif

/// The languages that texts are wanted in, the best first.
///
/// On Apple platforms the one that the app appears in, so that it does not mix two.
func preferredLanguages() -> [String] {
  #if canImport(Darwin)
  Bundle.main.preferredLocalizations
  #else
  languages(inEnvironment: ProcessInfo.processInfo.environment)
  #endif
}
