/// What may be different from before.
package struct NetworkChange: Hashable, Sendable {
  /// Whether any status may have changed.
  package var everything: Bool
  /// Ranges of destinations whose route may have changed.
  package var prefixes: [IPPrefix]

  package init(everything: Bool = false, prefixes: [IPPrefix] = []) {
    self.everything = everything
    self.prefixes = prefixes
  }

  package static var all: NetworkChange { NetworkChange(everything: true) }

  package var isEmpty: Bool { !everything && prefixes.isEmpty }

  /// Adds the other change to this one.
  package mutating func formUnion(_ other: NetworkChange) {
    everything = everything || other.everything
    prefixes = everything ? [] : prefixes + other.prefixes
  }
}
