// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLibrary
import CPOSIX
import POSIX

/// One wrapper per system call on a netlink socket; each repeats the call after a signal.
extension FileDescriptor {
  /// Opens a netlink socket in the calling thread's network namespace and connects it to the kernel.
  ///
  /// The kernel then rejects datagrams of other processes to its port. The calls are `socket` and `connect`.
  package static func netlinkSocket(_ netlinkProtocol: NetlinkProtocol) throws(Errno) -> FileDescriptor {
    let descriptor = try openSocket(AF_NETLINK, .raw, protocol: netlinkProtocol.rawValue)
    var kernel = cposix_address()
    kernel.family = UInt16(AF_NETLINK)
    let size = socklen_t(MemoryLayout<cposix_address>.size)
    let result = unsafe withUnsafePointer(to: &kernel) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor.rawValue, $0, size)
      }
    }
    guard result == 0 else { throw .last }
    return descriptor
  }

  /// Returns the port that the kernel assigned to this socket; the call is `getsockname`.
  func netlinkPort() throws(Errno) -> UInt32 {
    var own = cposix_address()
    var size = socklen_t(MemoryLayout<cposix_address>.size)
    let result = unsafe withUnsafeMutablePointer(to: &own) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getsockname(rawValue, $0, &size)
      }
    }
    guard result == 0 else { throw .last }
    return own.port
  }

  /// Installs or removes a filter for datagrams not yet queued; the option is `SO_ATTACH_FILTER`.
  package func setFilter(_ filter: SocketFilter?) throws(Errno) {
    guard let filter else {
      // Fails if there is no filter to remove.
      try? setOption(.detachFilter, 0)
      return
    }
    guard let count = UInt16(exactly: filter.instructions.count) else { throw .invalidArgument }
    let result = unsafe filter.instructions.withUnsafeBytes { bytes in
      var program = unsafe cposix_filter(count: count, instructions: bytes.baseAddress)
      let size = unsafe socklen_t(MemoryLayout<cposix_filter>.size)
      return unsafe setsockopt(rawValue, SOL_SOCKET, SO_ATTACH_FILTER, &program, size)
    }
    guard result == 0 else { throw .last }
  }

  /// Sends bytes to the kernel; the call is `send`.
  func send(_ bytes: RawSpan) throws(Errno) {
    while true {
      let sent = unsafe bytes.withUnsafeBytes { unsafe CLibrary.send(rawValue, $0.baseAddress, $0.count, 0) }
      if sent >= 0 { return }
      let error = Errno.last
      guard error == .interrupted else { throw error }
    }
  }

  /// Receives one datagram; the call is `recvfrom`.
  ///
  /// - Returns: The sender and the whole length, which exceeds the buffer's if the datagram was truncated.
  func receive(into buffer: inout [UInt8], blocking: Bool) throws(Errno) -> Datagram {
    var address = cposix_address()
    let flags: TransferFlags = blocking ? .wholeLength : .wholeLengthWithoutWaiting
    while true {
      var size = socklen_t(MemoryLayout<cposix_address>.size)
      let count = unsafe buffer.withUnsafeMutableBytes { bytes in
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
          unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe recvfrom(rawValue, bytes.baseAddress, bytes.count, flags.rawValue, $0, &size)
          }
        }
      }
      if count >= 0 {
        return Datagram(count: count, senderPort: address.port, isAnnouncement: address.groups != 0)
      }
      let error = Errno.last
      guard error == .interrupted else { throw error }
    }
  }
}

/// The part of the kernel at the other end of a netlink socket, `NETLINK_…`.
package struct NetlinkProtocol: RawRepresentable, Equatable, Sendable {
  package let rawValue: CInt

  package init(rawValue: CInt) {
    self.rawValue = rawValue
  }

  /// Links, addresses, routes and rules, `NETLINK_ROUTE`.
  package static var route: NetlinkProtocol { NetlinkProtocol(rawValue: 0) }
  /// IPsec policies and states, `NETLINK_XFRM`.
  package static var ipsec: NetlinkProtocol { NetlinkProtocol(rawValue: 6) }
  /// Firewalls, `NETLINK_NETFILTER`.
  package static var netfilter: NetlinkProtocol { NetlinkProtocol(rawValue: 12) }
  /// Message families with a name, `NETLINK_GENERIC`.
  package static var generic: NetlinkProtocol { NetlinkProtocol(rawValue: 16) }
  /// Sockets of other families, `NETLINK_SOCK_DIAG`.
  package static var socketDiagnosis: NetlinkProtocol { NetlinkProtocol(rawValue: 4) }
}

extension SocketOption {
  /// An option at level `SOL_NETLINK`, which not every C library declares.
  private init(netlink name: CInt) {
    self.init(level: 270, name: name)
  }

  /// The size of the receive buffer beyond the system's limit, which requires `CAP_NET_ADMIN`; `SO_RCVBUFFORCE`.
  static var forcedReceiveBufferSize: SocketOption { SocketOption(name: 33) }
  /// `NETLINK_ADD_MEMBERSHIP`.
  static var addMembership: SocketOption { SocketOption(netlink: 1) }
  /// `NETLINK_DROP_MEMBERSHIP`.
  static var dropMembership: SocketOption { SocketOption(netlink: 2) }
  /// `NETLINK_CAP_ACK`.
  static var cappedAcknowledgements: SocketOption { SocketOption(netlink: 10) }
  /// `NETLINK_EXT_ACK`.
  static var extendedAcknowledgements: SocketOption { SocketOption(netlink: 11) }
}

/// The length and the sender of a received datagram.
package struct Datagram: Equatable, Sendable {
  /// The whole length in bytes, even if the buffer was shorter.
  package var count: Int
  /// The sender's netlink port; the kernel's is 0.
  package var senderPort: UInt32
  /// Whether the datagram went to a multicast group, one of the first 32; the kernel's field is `nl_groups`.
  var isAnnouncement: Bool

  package init(count: Int, senderPort: UInt32, isAnnouncement: Bool = false) {
    self.count = count
    self.senderPort = senderPort
    self.isAnnouncement = isAnnouncement
  }
}

/// A buffer for several short datagrams that one system call receives.
package struct DatagramSlots: ~Copyable, Sendable {
  /// The number of slots.
  let count: Int
  /// The size of a slot in bytes.
  let size: Int
  /// All slots, one after the other.
  var bytes: [UInt8]
  /// The datagrams of the last call, one per slot.
  var datagrams: [Datagram] = []

  init(count: Int, size: Int) {
    self.count = count
    self.size = size
    bytes = Array(repeating: 0, count: count * size)
    datagrams.reserveCapacity(count)
  }

  /// Empties all slots.
  mutating func removeAll() {
    datagrams.removeAll(keepingCapacity: true)
  }

  /// Adds a datagram that another call received.
  mutating func append(_ datagram: Datagram, _ content: ArraySlice<UInt8>) {
    let start = datagrams.count * size
    bytes.replaceSubrange(start..<start + min(content.count, size), with: content.prefix(size))
    datagrams.append(datagram)
  }
}

extension FileDescriptor {
  /// Receives the queued datagrams into slots, without blocking; the call is `recvmmsg`.
  ///
  /// - Throws: `EAGAIN` if the queue is empty.
  func receive(into slots: inout DatagramSlots) throws(Errno) {
    slots.removeAll()
    let (count, size) = (slots.count, slots.size)
    let flags = TransferFlags.wholeLengthWithoutWaiting
    let received: Result<[Datagram], Errno> = unsafe slots.bytes.withUnsafeMutableBytes { bytes in
      unsafe withUnsafeTemporaryAllocation(of: cposix_address.self, capacity: count) { senders in
        unsafe withUnsafeTemporaryAllocation(of: iovec.self, capacity: count) { pieces in
          unsafe withUnsafeTemporaryAllocation(of: cposix_message.self, capacity: count) { messages in
            for slot in 0..<count {
              unsafe senders[slot] = cposix_address()
              unsafe pieces[slot] = iovec(
                iov_base: bytes.baseAddress.map { unsafe $0 + slot * size }, iov_len: size)
              var message = unsafe cposix_message()
              unsafe message.header.msg_name = UnsafeMutableRawPointer(
                senders.baseAddress.map { unsafe $0 + slot })
              unsafe message.header.msg_namelen = socklen_t(MemoryLayout<cposix_address>.size)
              unsafe message.header.msg_iov = pieces.baseAddress.map { unsafe $0 + slot }
              unsafe message.header.msg_iovlen = 1
              unsafe messages[slot] = message
            }
            while true {
              let number = unsafe cposix_receive_many(
                rawValue, messages.baseAddress, UInt32(count), flags.rawValue, nil)
              if number < 0 {
                let error = Errno.last
                if error == .interrupted { continue }
                return .failure(error)
              }
              return .success(
                (0..<Int(number)).map { slot in
                  unsafe Datagram(
                    count: Int(messages[slot].length), senderPort: senders[slot].port,
                    isAnnouncement: senders[slot].groups != 0)
                })
            }
          }
        }
      }
    }
    slots.datagrams = try received.get()
  }
}
#endif
