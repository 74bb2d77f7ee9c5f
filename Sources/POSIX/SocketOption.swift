#if os(Linux)
import CLibrary

/// A socket option whose value is a 32-bit number.
///
/// Not every C library declares the newer ones, so the values are written here.
package struct SocketOption: Hashable, Sendable {
  package let level: CInt
  package let name: CInt

  package init(level: CInt = SOL_SOCKET, name: CInt) {
    self.level = level
    self.name = name
  }

  /// The size of the receive buffer in bytes, `SO_RCVBUF`.
  package static var receiveBufferSize: SocketOption { SocketOption(name: SO_RCVBUF) }
  /// Removes the socket filter, `SO_DETACH_FILTER`.
  package static var detachFilter: SocketOption { SocketOption(name: SO_DETACH_FILTER) }
  /// The firewall mark of packets, which requires `CAP_NET_ADMIN`; `SO_MARK`.
  package static var mark: SocketOption { SocketOption(name: 36) }
  /// The index of the interface that packets use, `SO_BINDTOIFINDEX`.
  package static var interfaceIndex: SocketOption { SocketOption(name: 62) }
  /// Keeps the sender of an ICMP error, `IP_RECVERR` at level `IPPROTO_IP`.
  package static var ipv4Errors: SocketOption { SocketOption(level: 0, name: 11) }
  /// Keeps the sender of an ICMPv6 error, `IPV6_RECVERR` at level `IPPROTO_IPV6`.
  package static var ipv6Errors: SocketOption { SocketOption(level: 41, name: 25) }
}
#endif
