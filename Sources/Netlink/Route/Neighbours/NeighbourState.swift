#if os(Linux)
/// The state of a neighbour entry, `NUD_…`; empty before the first resolution.
package struct NeighbourState: OptionSet, Hashable, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// First resolution in progress, `NUD_INCOMPLETE`.
  package static let incomplete = NeighbourState(rawValue: 0x01)
  /// Confirmed recently, `NUD_REACHABLE`.
  package static let reachable = NeighbourState(rawValue: 0x02)
  /// Confirmed some time ago, `NUD_STALE`.
  package static let stale = NeighbourState(rawValue: 0x04)
  /// Confirmed some time ago and about to be probed, `NUD_DELAY`.
  package static let delay = NeighbourState(rawValue: 0x08)
  /// Confirmed some time ago and being probed, `NUD_PROBE`.
  package static let probe = NeighbourState(rawValue: 0x10)
  /// Did not answer, `NUD_FAILED`.
  package static let failed = NeighbourState(rawValue: 0x20)
  /// On a link without link-layer addresses to resolve, `NUD_NOARP`.
  package static let needless = NeighbourState(rawValue: 0x40)
  /// Configured with its link-layer address, `NUD_PERMANENT`.
  package static let permanent = NeighbourState(rawValue: 0x80)
}
#endif
