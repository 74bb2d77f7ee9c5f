/// A plan of connection attempts.
package struct ConnectionPlan: Sendable {
  /// The addresses with their constraints, in the order of the attempts.
  package var targets: [(target: ReachabilityTarget, address: IPAddress)]
  package var port: UInt16
  /// The time limit of all attempts together.
  package var timeout: Duration
  /// The head start of each attempt over the next.
  package var attemptDelay: Duration
}
