#if os(Linux)
import CPOSIX
import POSIX

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// One wrapper for each system call on a netlink socket; each repeats after a signal.
extension FileDescriptor {
  /// Opens a netlink socket of the calling thread's network namespace, with a port of its own, to the kernel.
  ///
  /// What other processes send to that port, the kernel then refuses for us. The calls are `socket` and `connect`.
  package static func netlinkSocket(_ netlinkProtocol: NetlinkProtocol) throws(Errno) -> FileDescriptor {
    let descriptor = try FileDescriptor(
      owning: socket(AF_NETLINK, rawSocket | closeOnExec, netlinkProtocol.rawValue))
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

  /// Returns the port that the kernel gave this socket; the call is `getsockname`.
  package func netlinkPort() throws(Errno) -> UInt32 {
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

  /// Sets an option of netlink; the call is `setsockopt`.
  package func setOption(_ option: NetlinkOption, _ value: CInt) throws(Errno) {
    // SOL_NETLINK, which not every C library names.
    try setOption(level: 270, name: option.rawValue, value: value)
  }

  private func setOption(level: CInt, name: CInt, value: CInt) throws(Errno) {
    var value = value
    let size = socklen_t(MemoryLayout<CInt>.size)
    guard unsafe setsockopt(rawValue, level, name, &value, size) == 0 else { throw .last }
  }

  /// Sets how many bytes of messages may wait, as far as the system allows; the option is `SO_RCVBUF`.
  package func setReceiveBuffer(_ size: CInt) throws(Errno) {
    try setOption(level: SOL_SOCKET, name: SO_RCVBUF, value: size)
  }

  /// Limits how long a receive may block; the option is `SO_RCVTIMEO`.
  package func setReceiveTimeout(seconds: Int) throws(Errno) {
    var limit = timeval(tv_sec: seconds, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    guard unsafe setsockopt(rawValue, SOL_SOCKET, SO_RCVTIMEO, &limit, size) == 0 else { throw .last }
  }

  /// Has the kernel run a program on each datagram before it is queued, or none; what is queued already stays.
  ///
  /// The options are `SO_ATTACH_FILTER` and `SO_DETACH_FILTER`.
  package func setFilter(_ filter: SocketFilter?) throws(Errno) {
    guard let filter else {
      // Who has none can't give it back.
      try? setOption(level: SOL_SOCKET, name: SO_DETACH_FILTER, value: 0)
      return
    }
    guard let count = UInt16(exactly: filter.instructions.count) else { throw Errno(rawValue: EINVAL) }
    let result = unsafe filter.instructions.withUnsafeBytes { bytes in
      var program = unsafe cposix_filter(count: count, instructions: bytes.baseAddress)
      let size = unsafe socklen_t(MemoryLayout<cposix_filter>.size)
      return unsafe setsockopt(rawValue, SOL_SOCKET, SO_ATTACH_FILTER, &program, size)
    }
    guard result == 0 else { throw .last }
  }

  /// Hands bytes to the kernel; the call is `send`.
  package func send(_ bytes: RawSpan) throws(Errno) {
    while true {
      let sent = unsafe bytes.withUnsafeBytes { unsafe sendToKernel(rawValue, $0) }
      if sent >= 0 { return }
      let error = Errno.last
      guard error == .interrupted else { throw error }
    }
  }

  /// Takes one datagram; the call is `recvfrom`.
  ///
  /// - Returns: The datagram's whole length, which is more than the buffer's if it was cut, and its sender.
  package func receive(into buffer: inout [UInt8], blocking: Bool) throws(Errno) -> Datagram {
    var address = cposix_address()
    let flags = Self.wholeLength | (blocking ? 0 : Self.dontWait)
    while true {
      var size = socklen_t(MemoryLayout<cposix_address>.size)
      let count = unsafe buffer.withUnsafeMutableBytes { bytes in
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
          unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe recvfrom(rawValue, bytes.baseAddress, bytes.count, flags, $0, &size)
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

extension FileDescriptor {
  // SOCK_RAW, SOCK_CLOEXEC, MSG_TRUNC and MSG_DONTWAIT: enumerators in one C library, macros in another.
  fileprivate static var rawSocket: CInt { 3 }
  fileprivate static var closeOnExec: CInt { 0o2000000 }
  fileprivate static var wholeLength: CInt { 0x20 }
  fileprivate static var dontWait: CInt { 0x40 }
}

/// Which part of the kernel a netlink socket speaks to, `NETLINK_…`.
package struct NetlinkProtocol: RawRepresentable, Hashable, Sendable {
  package let rawValue: CInt

  package init(rawValue: CInt) {
    self.rawValue = rawValue
  }

  /// Links, addresses, routes and rules, `NETLINK_ROUTE`.
  package static var route: NetlinkProtocol { NetlinkProtocol(rawValue: 0) }
  /// Families of messages that are found by their names, `NETLINK_GENERIC`.
  package static var generic: NetlinkProtocol { NetlinkProtocol(rawValue: 16) }
}

/// An option of a netlink socket, `NETLINK_…`.
package struct NetlinkOption: RawRepresentable, Hashable, Sendable {
  package let rawValue: CInt

  package init(rawValue: CInt) {
    self.rawValue = rawValue
  }

  /// `NETLINK_ADD_MEMBERSHIP`.
  package static var addMembership: NetlinkOption { NetlinkOption(rawValue: 1) }
  /// `NETLINK_DROP_MEMBERSHIP`.
  package static var dropMembership: NetlinkOption { NetlinkOption(rawValue: 2) }
  /// `NETLINK_CAP_ACK`.
  package static var cappedAcknowledgements: NetlinkOption { NetlinkOption(rawValue: 10) }
  /// `NETLINK_EXT_ACK`.
  package static var extendedAcknowledgements: NetlinkOption { NetlinkOption(rawValue: 11) }
  /// `NETLINK_GET_STRICT_CHK`.
  package static var strictChecking: NetlinkOption { NetlinkOption(rawValue: 12) }
}

/// Outside of the extension, where `send` is the C library's.
private func sendToKernel(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
  unsafe send(descriptor, bytes.baseAddress, bytes.count, 0)
}

/// What one receive brought.
package struct Datagram: Equatable, Sendable {
  /// The whole length in bytes, even if the buffer was shorter.
  package var count: Int
  /// The sender's netlink port; the kernel's is 0.
  package var senderPort: UInt32
  /// Whether it went to all who joined a group, of the first 32 groups; the kernel's field is `nl_groups`.
  package var isAnnouncement: Bool

  package init(count: Int, senderPort: UInt32, isAnnouncement: Bool = false) {
    self.count = count
    self.senderPort = senderPort
    self.isAnnouncement = isAnnouncement
  }
}
#endif
