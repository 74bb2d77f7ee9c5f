#if os(Linux)
import POSIX

/// The seam between the rules of netlink and a socket: what a test puts a scripted kernel into.
///
/// A class, not a type parameter: generic code of another module would not be specialized, which costs more than the
/// dynamic calls.
package protocol Transport: AnyObject, Sendable {
  /// The descriptor to poll for input, or -1 if there is none.
  var pollDescriptor: CInt { get }
  /// The socket's own netlink port, by which answers are told from announcements.
  var port: UInt32 { get }

  /// Hands one datagram, of one or more messages, to the kernel.
  func send(_ bytes: RawSpan) throws(Errno)

  /// Takes one datagram.
  ///
  /// - Throws: `ENOBUFS` if messages were lost before it, `EAGAIN` if there is none now (or none came in time).
  func receive(into buffer: inout [UInt8], blocking: Bool) throws(Errno) -> Datagram

  /// Takes the datagrams that wait, one at least and as many as there are slots at most, without blocking.
  ///
  /// - Throws: As ``receive(into:blocking:)``.
  func receive(into slots: inout DatagramSlots) throws(Errno)

  /// Joins or leaves a multicast group.
  func setMembership(_ group: MulticastGroup, joined: Bool) throws(Errno)

  /// Has the kernel keep back what a program does not pass, or nothing any more; the one takes the other's place at once.
  func setFilter(_ filter: SocketFilter?) throws(Errno)

  /// Has the kernel take requests for tables at their word: it refuses what it does not know, and sends no more than was
  /// asked for.
  func setStrictChecking(_ isStrict: Bool) throws(Errno)
}

extension Transport {
  /// Leaves it at what the kernel sends by itself.
  package func setStrictChecking(_ isStrict: Bool) {}

  /// Takes one.
  package func receive(into slots: inout DatagramSlots) throws(Errno) {
    slots.removeAll()
    var buffer = [UInt8](repeating: 0, count: slots.size)
    let datagram = try receive(into: &buffer, blocking: false)
    slots.append(datagram, buffer[...])
  }
}

/// What the kernel announces to those who joined, `RTNLGRP_…`.
package struct MulticastGroup: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  package static let links = MulticastGroup(rawValue: 1)
  package static let ipv4Addresses = MulticastGroup(rawValue: 5)
  package static let ipv4Routes = MulticastGroup(rawValue: 7)
  package static let ipv4Rules = MulticastGroup(rawValue: 8)
  package static let ipv6Addresses = MulticastGroup(rawValue: 9)
  package static let ipv6Routes = MulticastGroup(rawValue: 11)
  package static let ipv6Rules = MulticastGroup(rawValue: 19)
  package static let ipv4Configuration = MulticastGroup(rawValue: 24)
  package static let ipv6Configuration = MulticastGroup(rawValue: 25)
  package static let nextHops = MulticastGroup(rawValue: 32)
}
#endif
