#if os(Linux)
import Netlink

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A connection over TCP that is being made; letting it go closes it.
final class TCPSocket: Sendable {
  private let descriptor: FileDescriptor

  /// Begins to connect, in the calling thread's network namespace, and does not wait for that.
  ///
  /// - Parameters:
  ///   - target: An address, with its constraints.
  ///   - port: The port there.
  /// - Throws: Why the system does not even begin.
  init(connectingTo target: Target, _ address: IPAddress, port: UInt16) throws(Errno) {
    let family = address.family == .v4 ? AF_INET : AF_INET6
    // SOCK_STREAM, SOCK_CLOEXEC and SOCK_NONBLOCK.
    descriptor = try FileDescriptor(owning: socket(family, 1 | 0o2000000 | 0o4000, 0))
    var index: UInt32 = 0
    if let interface = target.interface {
      index = try Self.index(of: interface)
      // SO_BINDTOIFINDEX
      try setOption(62, index)
    }
    // SO_MARK, which takes CAP_NET_ADMIN.
    if let mark = target.mark, mark != 0 { try setOption(36, mark) }
    if let source = target.source {
      try call(address: source, port: 0, index) { unsafe bind($0, $1, $2) }
    }
    do throws(Errno) {
      try call(address: address, port: port, index) { unsafe connect($0, $1, $2) }
    } catch {
      guard [EINPROGRESS, EINTR].contains(error.rawValue) else { throw error }
    }
  }

  /// The descriptor to poll for output, which is there when the outcome is.
  var pollDescriptor: CInt { descriptor.rawValue }

  /// What came of it, once ``pollDescriptor`` has output or an error; `nil` is a connection.
  var failure: Errno? {
    var error: CInt = 0
    var size = socklen_t(MemoryLayout<CInt>.size)
    guard unsafe getsockopt(descriptor.rawValue, SOL_SOCKET, SO_ERROR, &error, &size) == 0 else {
      return .last
    }
    return error == 0 ? nil : Errno(rawValue: error)
  }

  private static func index(of interface: Target.Interface) throws(Errno) -> UInt32 {
    switch interface {
    case .name(let name):
      let index = unsafe if_nametoindex(name)
      guard index > 0 else { throw .noDevice }
      return index
    case .index(let index):
      guard let index = UInt32(exactly: index), index > 0 else { throw .noDevice }
      return index
    }
  }

  private func setOption(_ option: CInt, _ value: UInt32) throws(Errno) {
    var value = value
    guard unsafe setsockopt(descriptor.rawValue, SOL_SOCKET, option, &value, 4) == 0 else { throw .last }
  }

  /// Makes a system call that takes a socket address.
  private func call(
    address: IPAddress, port: UInt16, _ scope: UInt32,
    _ body: (CInt, UnsafePointer<sockaddr>, socklen_t) -> CInt
  ) throws(Errno) {
    let result: CInt
    switch address {
    case .v4(let address):
      var socketAddress = sockaddr_in()
      socketAddress.sin_family = sa_family_t(AF_INET)
      socketAddress.sin_port = in_port_t(port).bigEndian
      socketAddress.sin_addr.s_addr = address.rawValue.bigEndian
      result = unsafe withUnsafePointer(to: &socketAddress) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe body(descriptor.rawValue, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    case .v6:
      var socketAddress = sockaddr_in6()
      socketAddress.sin6_family = sa_family_t(AF_INET6)
      socketAddress.sin6_port = in_port_t(port).bigEndian
      unsafe withUnsafeMutableBytes(of: &socketAddress.sin6_addr) {
        unsafe $0.copyBytes(from: address.octets)
      }
      if address.needsZone { socketAddress.sin6_scope_id = scope }
      result = unsafe withUnsafePointer(to: &socketAddress) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe body(descriptor.rawValue, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
        }
      }
    }
    guard result == 0 else { throw .last }
  }
}
#endif
