/// The path of a connection's packets: what connections have in common that share a fault of the network.
package struct TrafficPath: Hashable, Sendable {
  /// The index of the interface.
  package var interface: Int32
  /// The next hop; `nil` if the peer is on the link.
  package var gateway: IPAddress?
  package var family: IPAddress.Family

  package init(interface: Int32, gateway: IPAddress?, family: IPAddress.Family) {
    self.interface = interface
    self.gateway = gateway
    self.family = family
  }
}
