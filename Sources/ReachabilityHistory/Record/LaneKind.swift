/// What a lane is about.
package enum LaneKind: String, Sendable, CaseIterable {
  case path
  case target
  /// Whether an endpoint answers as expected: a verified one is reachable.
  case verification
  case interface
}
