// SPDX-License-Identifier: Apache-2.0
import CLibrary
import CPOSIX
import InternetProtocol
import Netlink
import POSIX

/// A socket of TCP or UDP whose port is known before it sends; its release closes it.
package final class FlowSocket: Sendable {
  private let descriptor: FileDescriptor
  private let transport: Flow.Transport

  /// Opens a socket and binds it to a port that the kernel chooses, and to nothing else that is not given.
  package init(
    _ transport: Flow.Transport, _ family: ReachabilityAddress.Family, interface: UInt32?,
    source: ReachabilityAddress?, mark: UInt32?
  ) throws(Errno) {
    self.transport = transport
    descriptor = try FileDescriptor.openSocket(
      family == .v4 ? AF_INET : AF_INET6, transport == .tcp ? .stream : .datagrams,
      flags: [.closeOnExec, .nonBlocking])
    if let interface { try descriptor.setOption(.interfaceIndex, interface) }
    if let mark { try descriptor.setOption(.mark, mark) }
    let any = [UInt8](repeating: 0, count: family == .v4 ? 4 : 16)
    unsafe try descriptor.callWithAddress(source?.octets ?? any, port: 0) { unsafe bind($0, $1, $2) }
  }

  package var pollDescriptor: CInt { descriptor.rawValue }

  /// Starts connecting, which sends the first segment of TCP, and nothing of UDP.
  package func connect(to address: ReachabilityAddress, port: UInt16) throws(Errno) {
    do throws(Errno) {
      unsafe try descriptor.callWithAddress(address.octets, port: port) {
        unsafe CLibrary.connect($0, $1, $2)
      }
    } catch {
      guard [EINPROGRESS, EINTR].contains(error.rawValue) else { throw error }
    }
  }

  /// Sends an empty datagram.
  package func sendDatagram() throws(Errno) {
    guard send(descriptor.rawValue, nil, 0, TransferFlags.noSignal.rawValue) >= 0 else { throw .last }
  }

  /// The local address and port; the address is unspecified until the kernel has chosen it.
  package var localEnd: (address: ReachabilityAddress?, port: UInt16) {
    get throws(Errno) {
      var bytes = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_in6>.size)
      var size = socklen_t(bytes.count)
      let result = unsafe bytes.withUnsafeMutableBytes { buffer in
        let address = unsafe buffer.baseAddress?.assumingMemoryBound(to: sockaddr.self)
        return unsafe address.map { unsafe getsockname(descriptor.rawValue, $0, &size) } ?? -1
      }
      guard result == 0 else { throw .last }
      let port = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
      let octets = size == 16 ? bytes[4..<8] : bytes[8..<24]
      return (ReachabilityAddress(octets: octets).flatMap { $0.isUnspecified ? nil : $0 }, port)
    }
  }

  /// The error that the socket has received, and now forgets; `nil` if there is none.
  package var failure: Errno? { descriptor.pendingError }

  /// Blocks until a trace arrives, the socket has an answer or an error, or the time is over.
  ///
  /// - Parameter traces: The descriptor on which traces arrive.
  /// - Returns: Whether the socket has an answer or an error.
  package func wait(with traces: CInt, atMost duration: Duration) -> Bool {
    // A connection of TCP is one that accepts output; an answer of UDP is input.
    let events = CShort(transport == .tcp ? POLLOUT : POLLIN)
    var polled = [
      pollfd(fd: traces, events: CShort(POLLIN), revents: 0),
      pollfd(fd: descriptor.rawValue, events: events, revents: 0),
    ]
    let milliseconds = CInt(clamping: Int64((max(duration, .zero) / .milliseconds(1)).rounded(.up)))
    guard unsafe poll(&polled, 2, milliseconds) > 0 else { return false }
    return polled[1].revents != 0
  }

  /// Returns the index of an interface by its name, or `nil` if there is none.
  package static func index(ofInterface name: InterfaceName) -> UInt32? {
    let characters = name.octets.map { CChar(bitPattern: $0) } + [0]
    let index = unsafe if_nametoindex(characters)
    return index > 0 ? index : nil
  }
}
