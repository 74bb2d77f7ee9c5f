/// The subjects whose changes a source reports.
package struct WatchedSubjects: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Links, addresses, routes and rules.
  package static let network = WatchedSubjects(rawValue: 1 << 0)
  /// The resolver's settings.
  package static let names = WatchedSubjects(rawValue: 1 << 1)
}
