/// What an observer of evidence asks about; what that means may change with the network.
package enum EvidenceQuestion: Hashable, Sendable {
  /// The connections to a target, or those by the default route.
  case target(ReachabilityTarget)
  /// All connections whose packets take the path of a target.
  case path(ReachabilityTarget)
  /// The connections over an interface, of a family if given.
  case interface(ReachabilityTarget.Interface, IPAddress.Family?)
}
