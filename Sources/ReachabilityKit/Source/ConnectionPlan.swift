/// What is to be connected to.
package struct ConnectionPlan: Sendable {
  /// The addresses with their constraints, in the order in which they are tried.
  package var targets: [(target: ReachabilityTarget, address: IPAddress)]
  package var port: UInt16
  /// How long all of it may take.
  package var timeout: Duration
  /// The head start of each attempt before the next.
  package var attemptDelay: Duration
}
