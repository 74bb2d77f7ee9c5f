#if os(Linux)
/// The part of the kernel at the other end of a netlink socket, `NETLINK_…`.
package struct NetlinkProtocol: RawRepresentable, Hashable, Sendable {
  package let rawValue: CInt

  package init(rawValue: CInt) {
    self.rawValue = rawValue
  }

  /// Links, addresses, routes and rules, `NETLINK_ROUTE`.
  package static var route: NetlinkProtocol { NetlinkProtocol(rawValue: 0) }
  /// IPsec policies and states, `NETLINK_XFRM`.
  package static var ipsec: NetlinkProtocol { NetlinkProtocol(rawValue: 6) }
  /// Message families with a name, `NETLINK_GENERIC`.
  package static var generic: NetlinkProtocol { NetlinkProtocol(rawValue: 16) }
  /// Sockets of other families, `NETLINK_SOCK_DIAG`.
  package static var socketDiagnosis: NetlinkProtocol { NetlinkProtocol(rawValue: 4) }
}
#endif
