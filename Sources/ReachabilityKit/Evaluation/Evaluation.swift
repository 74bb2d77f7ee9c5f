/// The result of a target's evaluation.
package struct Evaluation: Hashable, Sendable {
  package var status: ReachabilityStatus
  /// How long the result is valid at most without an announcement of a change: the lifetime of a route.
  package var lifetime: Duration?

  package init(_ status: ReachabilityStatus, lifetime: Duration? = nil) {
    self.status = status
    self.lifetime = lifetime
  }
}
