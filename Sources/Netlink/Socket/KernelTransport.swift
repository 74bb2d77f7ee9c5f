#if os(Linux)
import POSIX

/// A netlink socket of the network namespace in which it was opened.
package final class KernelTransport: Transport {
  private let descriptor: FileDescriptor
  package let port: UInt32

  /// Opens a socket.
  ///
  /// - Parameters:
  ///   - netlinkProtocol: The part of the kernel to connect to.
  ///   - receiveBuffer: The size of the receive buffer in bytes, subject to the system's limit; `nil` for its default.
  package init(
    _ netlinkProtocol: NetlinkProtocol = .route, receiveBuffer: CInt? = nil
  ) throws(Errno) {
    let descriptor = try FileDescriptor.netlinkSocket(netlinkProtocol)
    // An unresponsive kernel, or a sandbox that drops requests, must not block the caller indefinitely.
    try descriptor.setReceiveTimeout(seconds: 5)
    // Optional: older kernels lack the first option, and without both only the kernel's texts are missing.
    try? descriptor.setOption(.extendedAcknowledgements, 1)
    try? descriptor.setOption(.cappedAcknowledgements, 1)
    if let receiveBuffer {
      try? descriptor.setOption(.receiveBufferSize, UInt32(bitPattern: receiveBuffer))
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
    try descriptor.setOption(joined ? .addMembership : .dropMembership, group.rawValue)
  }

  package func setFilter(_ filter: SocketFilter?) throws(Errno) {
    try descriptor.setFilter(filter)
  }
}
#endif
