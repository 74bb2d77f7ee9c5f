/// What may be different from before.
package struct NetworkChange: Hashable, Sendable {
  /// Whether any status may have changed.
  package var everything: Bool
  /// Ranges of destinations whose route may have changed.
  package var prefixes: [IPPrefix]
  /// Ranges of destinations whose route may be about to change: announced a moment before it is done.
  package var imminent: [IPPrefix]
  /// Whether a link changed in something that only a path shows, such as its MTU.
  package var linkDetails: Bool

  package init(
    everything: Bool = false, prefixes: [IPPrefix] = [], imminent: [IPPrefix] = [], linkDetails: Bool = false
  ) {
    self.everything = everything
    self.prefixes = prefixes
    self.imminent = imminent
    self.linkDetails = linkDetails
  }

  package static var all: NetworkChange { NetworkChange(everything: true) }

  package var isEmpty: Bool { !everything && !linkDetails && prefixes.isEmpty && imminent.isEmpty }

  /// Adds the other change to this one.
  package mutating func formUnion(_ other: NetworkChange) {
    everything = everything || other.everything
    if everything { prefixes = [] } else { prefixes += other.prefixes }
    imminent += other.imminent
    linkDetails = linkDetails || other.linkDetails
  }
}
