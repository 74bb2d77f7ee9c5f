#if os(Linux)
import POSIX

/// A netlink socket of the network namespace in which it was made.
package final class KernelTransport: Transport {
  private let descriptor: FileDescriptor
  package let port: UInt32

  /// Opens a socket.
  ///
  /// - Parameters:
  ///   - netlinkProtocol: Which part of the kernel it speaks to.
  ///   - receiveBuffer: How many bytes of messages may wait, as far as the system allows; `nil` for its own default.
  package init(
    _ netlinkProtocol: NetlinkProtocol = .route, receiveBuffer: CInt? = nil
  ) throws(Errno) {
    let descriptor = try FileDescriptor.netlinkSocket(netlinkProtocol)
    // A kernel in trouble, or a sandbox that swallows requests, must not hang the caller.
    try descriptor.setReceiveTimeout(seconds: 5)
    // Older kernels lack the first of these, and all work without them; only texts are lost.
    try? descriptor.setOption(.extendedAcknowledgements, 1)
    try? descriptor.setOption(.cappedAcknowledgements, 1)
    if let receiveBuffer {
      try? descriptor.setReceiveBuffer(receiveBuffer)
    }
    port = try descriptor.netlinkPort()
    self.descriptor = descriptor
  }

  package var pollDescriptor: CInt { descriptor.rawValue }

  package func send(_ bytes: RawSpan) throws(Errno) {
    try descriptor.send(bytes)
  }

  package func receive(into buffer: inout [UInt8], blocking: Bool) throws(Errno) -> Datagram {
    try descriptor.receive(into: &buffer, blocking: blocking)
  }

  package func receive(into slots: inout DatagramSlots) throws(Errno) {
    try descriptor.receive(into: &slots)
  }

  package func setMembership(_ group: MulticastGroup, joined: Bool) throws(Errno) {
    try descriptor.setOption(joined ? .addMembership : .dropMembership, CInt(group.rawValue))
  }

  package func setFilter(_ filter: SocketFilter?) throws(Errno) {
    try descriptor.setFilter(filter)
  }

  package func setStrictChecking(_ isStrict: Bool) throws(Errno) {
    try descriptor.setOption(.strictChecking, isStrict ? 1 : 0)
  }
}
#endif
