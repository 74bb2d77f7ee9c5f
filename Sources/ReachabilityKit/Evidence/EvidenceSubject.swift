/// What evidence is about, with everything that decides which connections belong to it.
package enum EvidenceSubject: Hashable, Sendable {
  /// Connections to these addresses, whose packets take one of these paths; by a port and from an address, if given.
  ///
  /// - Parameter isOnPaths: Whether only connections that take one of the paths count, as for a target with an interface.
  case addresses(
    Set<IPAddress>, port: UInt16?, source: IPAddress?, paths: Set<TrafficPath>, isOnPaths: Bool = false)
  /// Connections whose packets take one of these paths.
  case paths(Set<TrafficPath>)
  /// Connections over an interface, of a family if given.
  case interface(Int32, IPAddress.Family?)
}
