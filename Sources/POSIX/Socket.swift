// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLibrary

/// The communication semantics of a socket, `SOCK_…`.
///
/// These are enumerators in Glibc and macros in Musl, so the values are written here.
package enum SocketKind: CInt, Sendable {
  /// `SOCK_STREAM`.
  case stream = 1
  /// `SOCK_DGRAM`.
  case datagrams = 2
  /// `SOCK_RAW`.
  case raw = 3
  /// `SOCK_SEQPACKET`.
  case sequencedPackets = 5
}

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
  /// The number of routers that packets pass at most, `IP_TTL` at level `IPPROTO_IP`.
  package static var ipv4HopLimit: SocketOption { SocketOption(level: 0, name: 2) }
  /// The number of routers that packets pass at most, `IPV6_UNICAST_HOPS` at level `IPPROTO_IPV6`.
  package static var ipv6HopLimit: SocketOption { SocketOption(level: 41, name: 16) }
  /// Keeps the sender of an ICMP error, `IP_RECVERR` at level `IPPROTO_IP`.
  package static var ipv4Errors: SocketOption { SocketOption(level: 0, name: 11) }
  /// Keeps the sender of an ICMPv6 error, `IPV6_RECVERR` at level `IPPROTO_IPV6`.
  package static var ipv6Errors: SocketOption { SocketOption(level: 41, name: 25) }
  /// Whether packets have the flag *don't fragment*, `IP_MTU_DISCOVER`; `IP_PMTUDISC_PROBE` is 3.
  package static var ipv4MTUDiscovery: SocketOption { SocketOption(level: 0, name: 10) }
  /// Whether this machine fragments packets, `IPV6_MTU_DISCOVER`; `IPV6_PMTUDISC_PROBE` is 3.
  package static var ipv6MTUDiscovery: SocketOption { SocketOption(level: 41, name: 23) }
  /// Tells the size of the greatest fragment of a received datagram, `IP_RECVFRAGSIZE`.
  package static var ipv4FragmentSize: SocketOption { SocketOption(level: 0, name: 25) }
  /// Tells the size of the greatest fragment of a received datagram, `IPV6_RECVFRAGSIZE`.
  package static var ipv6FragmentSize: SocketOption { SocketOption(level: 41, name: 77) }
  /// Sends small segments at once, `TCP_NODELAY` at level `IPPROTO_TCP`.
  package static var noDelay: SocketOption { SocketOption(level: 6, name: 1) }
}

/// The flags of one call that sends or receives, `MSG_…`.
///
/// These are enumerators in Glibc and macros in Musl, so the values are written here.
package struct TransferFlags: OptionSet, Sendable {
  package let rawValue: CInt

  package init(rawValue: CInt) {
    self.rawValue = rawValue
  }

  /// Returns the whole length of a datagram even if the buffer is shorter, `MSG_TRUNC`.
  package static var wholeLength: TransferFlags { TransferFlags(rawValue: 0x20) }
  /// Fails with `EAGAIN` instead of blocking, `MSG_DONTWAIT`.
  package static var dontWait: TransferFlags { TransferFlags(rawValue: 0x40) }
  /// Both of the above.
  ///
  /// A set that is used for each datagram is a constant: an array literal runs generic code of the standard library, which
  /// takes longer than all else around the call.
  package static var wholeLengthWithoutWaiting: TransferFlags { TransferFlags(rawValue: 0x60) }
  /// Receives from the queue of errors, `MSG_ERRQUEUE`.
  package static var errorQueue: TransferFlags { TransferFlags(rawValue: 0x2000) }
  /// Fails with `EPIPE` without the signal `SIGPIPE`, `MSG_NOSIGNAL`.
  package static var noSignal: TransferFlags { TransferFlags(rawValue: 0x4000) }
}

extension FileDescriptor {
  /// Limits the time that a receive may block; the option is `SO_RCVTIMEO`.
  package func setReceiveTimeout(seconds: Int) throws(Errno) {
    var limit = timeval(tv_sec: seconds, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    guard unsafe setsockopt(rawValue, SOL_SOCKET, SO_RCVTIMEO, &limit, size) == 0 else { throw .last }
  }

  /// Opens a socket; the system call is `socket(2)`.
  package static func openSocket(
    _ domain: CInt, _ kind: SocketKind, flags: DescriptorFlags = .closeOnExec, protocol number: CInt = 0
  ) throws(Errno) -> FileDescriptor {
    try FileDescriptor(owning: socket(domain, kind.rawValue | flags.rawValue, number))
  }

  /// Sets a socket option; the system call is `setsockopt(2)`.
  package borrowing func setOption(_ option: SocketOption, _ value: UInt32) throws(Errno) {
    var value = value
    guard unsafe setsockopt(rawValue, option.level, option.name, &value, 4) == 0 else { throw .last }
  }

  /// The error that a socket has received, and forgets with this call; `nil` if there is none.
  ///
  /// The kernel option is `SO_ERROR`.
  package var pendingError: Errno? {
    var error: CInt = 0
    var size = socklen_t(MemoryLayout<CInt>.size)
    guard unsafe getsockopt(rawValue, SOL_SOCKET, SO_ERROR, &error, &size) == 0 else { return .last }
    return error == 0 ? nil : Errno(rawValue: error)
  }

  /// Performs a system call that takes a socket address, without a zone: that of a link-local one is the socket's interface.
  ///
  /// - Parameters:
  ///   - octets: The 4 octets of an IPv4 address, or the 16 of an IPv6 address.
  ///   - body: The call, which takes this descriptor.
  /// - Throws: The error of the call.
  package func callWithAddress(
    _ octets: [UInt8], port: UInt16, _ body: (CInt, UnsafePointer<sockaddr>, socklen_t) -> CInt
  ) throws(Errno) {
    // The structures are `sockaddr_in` and `sockaddr_in6`: family, port, then eight bytes of padding behind an IPv4
    // address, or four of flow information before an IPv6 address and four of its zone behind.
    let isIPv4 = octets.count == 4
    let (before, after) = isIPv4 ? (0, 8) : (4, 4)
    var bytes: [UInt8] = [0, 0, UInt8(port >> 8), UInt8(truncatingIfNeeded: port)]
    bytes += [UInt8](repeating: 0, count: before) + octets + [UInt8](repeating: 0, count: after)
    let result = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe buffer.storeBytes(of: UInt16(isIPv4 ? AF_INET : AF_INET6), as: UInt16.self)
      guard let pointer = unsafe buffer.baseAddress?.assumingMemoryBound(to: sockaddr.self) else {
        return CInt(-1)
      }
      return unsafe body(rawValue, pointer, socklen_t(buffer.count))
    }
    guard result == 0 else { throw .last }
  }
}
#endif
