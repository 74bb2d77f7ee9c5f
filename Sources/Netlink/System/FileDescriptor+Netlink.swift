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

  /// Limits the time that a receive may block; the option is `SO_RCVTIMEO`.
  package func setReceiveTimeout(seconds: Int) throws(Errno) {
    var limit = timeval(tv_sec: seconds, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    guard unsafe setsockopt(rawValue, SOL_SOCKET, SO_RCVTIMEO, &limit, size) == 0 else { throw .last }
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
  package func send(_ bytes: RawSpan) throws(Errno) {
    while true {
      let sent = unsafe bytes.withUnsafeBytes { unsafe sendToKernel(rawValue, $0) }
      if sent >= 0 { return }
      let error = Errno.last
      guard error == .interrupted else { throw error }
    }
  }

  /// Receives one datagram; the call is `recvfrom`.
  ///
  /// - Returns: The sender and the whole length, which exceeds the buffer's if the datagram was truncated.
  package func receive(into buffer: inout [UInt8], blocking: Bool) throws(Errno) -> Datagram {
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

/// Calls the C library's `send`, which the extension's method of that name hides.
private func sendToKernel(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
  unsafe send(descriptor, bytes.baseAddress, bytes.count, 0)
}
#endif
