extension ReachabilityPath.NameServer {
  /// The target of the C library's DNS queries.
  var target: ReachabilityTarget {
    ReachabilityTarget(.address(address.connected), interface: zone, transport: .udp, port: Self.port)
  }

  /// The port of name servers (RFC 1035, section 4.2).
  static var port: UInt16 { 53 }
}
