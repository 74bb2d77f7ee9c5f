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
  package func receive(into slots: inout DatagramSlots) throws(Errno) {
    slots.removeAll()
    var buffer = [UInt8](repeating: 0, count: slots.size)
    let datagram = try receive(into: &buffer, blocking: false)
    slots.append(datagram, buffer[...])
  }
}
#endif
