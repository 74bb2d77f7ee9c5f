import POSIX

/// The parts of the network that may differ from before.
package struct NetworkChange: Hashable, Sendable {
  package var everything: Bool
  /// Ranges of destinations whose route may have changed.
  package var prefixes: [IPPrefix]
  /// Ranges of destinations whose route may be about to change: announced a moment before it takes effect.
  package var imminent: [IPPrefix]
  /// Ranges of destinations whose announcements were dropped until now; one of them may take effect in a moment.
  package var missed: [IPPrefix]
  /// Whether names may resolve to other addresses, since the resolver's settings changed.
  package var names: Bool
  /// Whether a link changed in a detail that only a path shows, for example its MTU.
  package var linkDetails: Bool
  /// Whether the kernel may choose other next hops of the same routes, by the states of their neighbour entries.
  package var nextHops: Bool
  /// Whether a router that did not answer answers again, so that lookups of names may succeed.
  package var routerReturned: Bool

  package init(
    everything: Bool = false, prefixes: [IPPrefix] = [], imminent: [IPPrefix] = [], missed: [IPPrefix] = [],
    names: Bool = false, linkDetails: Bool = false, nextHops: Bool = false, routerReturned: Bool = false
  ) {
    self.everything = everything
    self.prefixes = prefixes
    self.imminent = imminent
    self.missed = missed
    self.names = names
    self.linkDetails = linkDetails
    self.nextHops = nextHops
    self.routerReturned = routerReturned
  }

  /// The next evaluations after an imminent or missed change: the first allows for the microseconds that the kernel
  /// needs, the second for a machine that stands still in between.
  static func rechecks(after now: Moment) -> [Moment] {
    [now.advanced(by: .milliseconds(2)), now.advanced(by: .milliseconds(100))]
  }

  package static var all: NetworkChange { NetworkChange(everything: true) }

  package var isEmpty: Bool {
    isQuiet && missed.isEmpty && !names && !linkDetails && !nextHops && !routerReturned
  }

  /// Whether no part of it comes from the kernel's tables.
  var isQuiet: Bool { !everything && prefixes.isEmpty && imminent.isEmpty }

  /// Whether name servers may have become reachable, or may answer differently: more than some route changed.
  package var isOfNetwork: Bool {
    everything || prefixes.contains { $0.length <= Evaluator.longestDefaultPrefix }
      || imminent.contains { $0.length <= Evaluator.longestDefaultPrefix }
  }

  /// Adds a range of destinations whose route may have changed.
  mutating func insert(_ prefix: IPPrefix) {
    if everything { return }
    // Most changes have one: appending it would fetch the code that makes an array grow.
    if prefixes.isEmpty { prefixes = [prefix] } else { prefixes.append(prefix) }
  }

  package mutating func formUnion(_ other: NetworkChange) {
    if other.isEmpty { return }
    everything = everything || other.everything
    if everything { prefixes = [] } else { prefixes += other.prefixes }
    imminent += other.imminent
    missed += other.missed
    names = names || other.names
    linkDetails = linkDetails || other.linkDetails
    nextHops = nextHops || other.nextHops
    routerReturned = routerReturned || other.routerReturned
  }
}
