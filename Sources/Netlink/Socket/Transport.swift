// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import POSIX

/// The seam between the netlink protocol and a socket; tests replace the socket with a scripted kernel.
///
/// A class existential, not a type parameter: generic code of another module would not be specialized, which costs more
/// than the dynamic calls.
package protocol Transport: AnyObject, Sendable {
  /// The descriptor to poll for input, or -1 if there is none.
  var pollDescriptor: CInt { get }
  /// The socket's netlink port, which distinguishes its answers from announcements.
  var port: UInt32 { get }

  /// Sends one datagram of one or more messages to the kernel.
  func send(_ bytes: RawSpan) throws(Errno)

  /// Receives one datagram.
  ///
  /// - Throws: `ENOBUFS` if messages before it were lost, `EAGAIN` if none is queued, or none arrived in time.
  func receive(into buffer: inout [UInt8], blocking: Bool) throws(Errno) -> Datagram

  /// Receives the queued datagrams without blocking: at least one, and at most one per slot.
  ///
  /// - Throws: As ``receive(into:blocking:)``.
  func receive(into slots: inout DatagramSlots) throws(Errno)

  /// Joins or leaves a multicast group.
  func setMembership(_ group: MulticastGroup, joined: Bool) throws(Errno)

  /// Replaces the socket filter atomically, or removes it.
  func setFilter(_ filter: SocketFilter?) throws(Errno)
}

extension Transport {
  /// Receives one datagram.
  func receive(into slots: inout DatagramSlots) throws(Errno) {
    slots.removeAll()
    var buffer = [UInt8](repeating: 0, count: slots.size)
    let datagram = try receive(into: &buffer, blocking: false)
    slots.append(datagram, buffer[...])
  }
}

/// A netlink socket of the network namespace in which it was opened.
package final class KernelTransport: Transport {
  private let descriptor: FileDescriptor
  package let port: UInt32

  /// Opens a socket.
  ///
  /// - Parameters:
  ///   - netlinkProtocol: The part of the kernel to connect to.
  ///   - receiveBuffer: The size of the receive buffer in bytes, subject to the system's limit; `nil` for its default.
  ///   - exceedsLimit: Whether the buffer exceeds that limit where `CAP_NET_ADMIN` permits it.
  package convenience init(
    _ netlinkProtocol: NetlinkProtocol = .route, receiveBuffer: CInt? = nil, exceedsLimit: Bool = false
  ) throws(Errno) {
    try self.init(
      owning: FileDescriptor.netlinkSocket(netlinkProtocol), receiveBuffer: receiveBuffer,
      exceedsLimit: exceedsLimit)
  }

  /// Takes ownership of a connected socket, which may be that of another network namespace.
  package init(
    owning descriptor: consuming FileDescriptor, receiveBuffer: CInt? = nil, exceedsLimit: Bool = false
  ) throws(Errno) {
    // An unresponsive kernel, or a sandbox that drops requests, must not block the caller indefinitely.
    try descriptor.setReceiveTimeout(seconds: 5)
    // Optional: older kernels lack the first option, and without both only the kernel's texts are missing.
    try? descriptor.setOption(.extendedAcknowledgements, 1)
    try? descriptor.setOption(.cappedAcknowledgements, 1)
    if let receiveBuffer {
      try? descriptor.setOption(.receiveBufferSize, UInt32(bitPattern: receiveBuffer))
      if exceedsLimit {
        try? descriptor.setOption(.forcedReceiveBufferSize, UInt32(bitPattern: receiveBuffer))
      }
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

/// A group of announcements that a socket can join, `RTNLGRP_…`.
package struct MulticastGroup: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  package static let links = MulticastGroup(rawValue: 1)
  static let neighbours = MulticastGroup(rawValue: 3)
  package static let ipv4Addresses = MulticastGroup(rawValue: 5)
  package static let ipv4Routes = MulticastGroup(rawValue: 7)
  package static let ipv4Rules = MulticastGroup(rawValue: 8)
  package static let ipv6Addresses = MulticastGroup(rawValue: 9)
  package static let ipv6Routes = MulticastGroup(rawValue: 11)
  package static let ipv6Rules = MulticastGroup(rawValue: 19)
  /// `RTNLGRP_ND_USEROPT`.
  package static let routerOptions = MulticastGroup(rawValue: 20)
  package static let ipv4Configuration = MulticastGroup(rawValue: 24)
  package static let ipv6Configuration = MulticastGroup(rawValue: 25)
  package static let nextHops = MulticastGroup(rawValue: 32)
}

/// A failed conversation with the kernel.
package struct NetlinkError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  package enum Code: String, Sendable {
    /// A system call failed; ``NetlinkError/errno`` has its error.
    case system = "system call failed"
    /// The kernel refused the request; ``NetlinkError/errno`` has its error.
    case refused
    /// Messages were lost because the socket's buffer was full.
    case overrun = "messages were lost"
    /// The kernel did not answer within the socket's time limit.
    case timedOut = "no answer"
    /// The kernel's message could not be decoded.
    case malformed = "malformed message"
  }

  package var code: Code
  /// The attempted operation, for example "list links".
  var attempt: String
  package var errno: Errno?
  /// The kernel's text (`NETLINK_EXT_ACK`), or the violation in its message.
  var detail: String?

  package init(_ code: Code, attempt: String, errno: Errno? = nil, detail: String? = nil) {
    self.code = code
    self.attempt = attempt
    self.errno = errno
    self.detail = detail
  }

  /// The attempt and its cause, for example "could not list links: Operation not permitted".
  package var description: String {
    "could not \(attempt): \(cause)"
  }

  /// The cause with the kernel's text, for example "Operation not permitted".
  package var cause: String {
    (errno.map(\.description) ?? code.rawValue) + (detail.map { " (\($0))" } ?? "")
  }
}
#endif
