/// What may be different from before.
package struct NetworkChange: Hashable, Sendable {
  /// Whether any status may have changed.
  package var everything: Bool
  /// Ranges of destinations whose route may have changed.
  package var prefixes: [IPPrefix]
  /// Ranges of destinations whose route may be about to change: announced a moment before it is done.
  package var imminent: [IPPrefix]
  /// Whether names may stand for other addresses, since the settings of the system's resolver changed.
  package var names: Bool
  /// Whether a link changed in something that only a path shows, such as its MTU.
  package var linkDetails: Bool

  package init(
    everything: Bool = false, prefixes: [IPPrefix] = [], imminent: [IPPrefix] = [], names: Bool = false,
    linkDetails: Bool = false
  ) {
    self.everything = everything
    self.prefixes = prefixes
    self.imminent = imminent
    self.names = names
    self.linkDetails = linkDetails
  }

  /// When what an imminent change concerns is asked for again: after the microseconds that the kernel needs, and once
  /// more for a machine that stands still in between.
  static func rechecks(after now: SuspendingClock.Instant) -> [SuspendingClock.Instant] {
    [now.advanced(by: .milliseconds(2)), now.advanced(by: .milliseconds(100))]
  }

  package static var all: NetworkChange { NetworkChange(everything: true) }

  package var isEmpty: Bool {
    !everything && prefixes.isEmpty && imminent.isEmpty && !names && !linkDetails
  }

  /// Whether nothing of it comes from the kernel's tables.
  var isQuiet: Bool { !everything && prefixes.isEmpty && imminent.isEmpty }

  /// Whether name servers may now be reached that could not, or answer differently: more than some route changed.
  package var isOfNetwork: Bool {
    everything || (prefixes + imminent).contains { $0.length <= Evaluator.longestDefaultPrefix }
  }

  /// Adds the other change to this one.
  package mutating func formUnion(_ other: NetworkChange) {
    everything = everything || other.everything
    if everything { prefixes = [] } else { prefixes += other.prefixes }
    imminent += other.imminent
    names = names || other.names
    linkDetails = linkDetails || other.linkDetails
  }
}
