#if os(Linux)
import CNetlink

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A netlink socket of the network namespace in which it was made.
package struct KernelTransport: Transport, ~Copyable {
  private let descriptor: FileDescriptor

  /// Opens a `NETLINK_ROUTE` socket.
  ///
  /// - Parameter receiveBuffer: How many bytes of messages may wait, as far as the system allows; `nil` for its
  ///   own default.
  package init(receiveBuffer: CInt? = nil) throws(Errno) {
    let descriptor = try FileDescriptor.netlinkSocket(NETLINK_ROUTE)
    // A kernel in trouble, or a sandbox that swallows requests, must not hang the caller.
    try descriptor.setReceiveTimeout(seconds: 5)
    // Older kernels lack the first of these, and all work without them; only texts are lost.
    try? descriptor.setOption(level: Self.netlinkLevel, name: NETLINK_EXT_ACK, value: 1)
    try? descriptor.setOption(level: Self.netlinkLevel, name: NETLINK_CAP_ACK, value: 1)
    if let receiveBuffer {
      try? descriptor.setOption(level: SOL_SOCKET, name: SO_RCVBUF, value: receiveBuffer)
    }
    self.descriptor = descriptor
  }

  package var pollDescriptor: CInt { descriptor.rawValue }

  package mutating func send(_ bytes: [UInt8]) throws(Errno) {
    try descriptor.send(bytes)
  }

  package mutating func receive(into buffer: inout [UInt8], blocking: Bool) throws(Errno) -> Datagram {
    try descriptor.receive(into: &buffer, blocking: blocking)
  }

  package mutating func setMembership(_ group: MulticastGroup, joined: Bool) throws(Errno) {
    try descriptor.setOption(
      level: Self.netlinkLevel,
      name: joined ? NETLINK_ADD_MEMBERSHIP : NETLINK_DROP_MEMBERSHIP,
      value: CInt(group.rawValue))
  }

  // SOL_NETLINK, which not every C library names.
  private static let netlinkLevel: CInt = 270
}
#endif
