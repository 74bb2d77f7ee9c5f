#if os(Linux)
import CNetlink

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// One wrapper for each system call on a netlink socket; each repeats after a signal.
extension FileDescriptor {
  /// Opens a netlink socket of the calling thread's network namespace and gives it a port.
  ///
  /// The calls are `socket` and `bind`.
  package static func netlinkSocket(_ netlinkProtocol: CInt) throws(Errno) -> FileDescriptor {
    let descriptor = try FileDescriptor(owning: socket(AF_NETLINK, rawSocket | closeOnExec, netlinkProtocol))
    var address = sockaddr_nl()
    address.nl_family = sa_family_t(AF_NETLINK)
    let size = socklen_t(MemoryLayout<sockaddr_nl>.size)
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor.rawValue, $0, size)
      }
    }
    guard result == 0 else { throw .last }
    return descriptor
  }

  /// Sets an option whose value is a number; the call is `setsockopt`.
  package func setOption(level: CInt, name: CInt, value: CInt) throws(Errno) {
    var value = value
    let size = socklen_t(MemoryLayout<CInt>.size)
    guard unsafe setsockopt(rawValue, level, name, &value, size) == 0 else { throw .last }
  }

  /// Limits how long a receive may block; the option is `SO_RCVTIMEO`.
  package func setReceiveTimeout(seconds: Int) throws(Errno) {
    var limit = timeval(tv_sec: seconds, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    guard unsafe setsockopt(rawValue, SOL_SOCKET, SO_RCVTIMEO, &limit, size) == 0 else { throw .last }
  }

  /// Hands bytes to the kernel; the call is `send`.
  package func send(_ bytes: [UInt8]) throws(Errno) {
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
    var address = sockaddr_nl()
    let flags = Self.wholeLength | (blocking ? 0 : Self.dontWait)
    while true {
      var size = socklen_t(MemoryLayout<sockaddr_nl>.size)
      let count = unsafe buffer.withUnsafeMutableBytes { bytes in
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
          unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe recvfrom(rawValue, bytes.baseAddress, bytes.count, flags, $0, &size)
          }
        }
      }
      if count >= 0 { return Datagram(count: count, senderPort: address.nl_pid) }
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

  package init(count: Int, senderPort: UInt32) {
    self.count = count
    self.senderPort = senderPort
  }
}
#endif
