// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A listening socket in a network namespace; the kernel accepts connections by itself.
public final class Listener: Sendable {
  /// The port of the socket.
  public let port: UInt16
  private let descriptor: Int32

  /// Listens on all addresses, including IPv4.
  ///
  /// - Parameter wanted: The port; 0 for any free one.
  public init(in network: NetworkNamespace, port wanted: UInt16 = 0) throws {
    (descriptor, port) = try network.run {
      // SOCK_STREAM and SOCK_CLOEXEC.
      let descriptor = socket(AF_INET6, 1 | 0o2000000, 0)
      guard descriptor >= 0 else { throw LiveError("socket", errorNumber: errno) }
      var any = sockaddr_in6()
      any.sin6_family = sa_family_t(AF_INET6)
      any.sin6_port = wanted.bigEndian
      let bound = unsafe withUnsafePointer(to: &any) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
        }
      }
      guard bound == 0 else { throw LiveError("bind", errorNumber: errno) }
      guard listen(descriptor, 100) == 0 else { throw LiveError("listen", errorNumber: errno) }
      var address = sockaddr_in6()
      var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
      let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe getsockname(descriptor, $0, &size)
        }
      }
      guard result == 0 else { throw LiveError("getsockname", errorNumber: errno) }
      return (descriptor, UInt16(bigEndian: address.sin6_port))
    }
  }

  deinit { close(descriptor) }

  /// Whether a connection waits to be accepted.
  public var hasConnection: Bool { waitForConnection(within: .zero) }

  /// Waits for a connection to be accepted; returns whether there is one.
  func waitForConnection(within limit: Duration) -> Bool {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&wanted, 1, Int32(limit / .milliseconds(1))) == 1
  }

  /// Accepts a waiting connection, whose descriptor the caller closes; -1 with `errno` on failure.
  func acceptDescriptor() -> Int32 { accept(descriptor, nil, nil) }

  /// Accepts the next connection and returns the 16 octets of its source address.
  ///
  /// - Parameter reply: The text to send after the first data; without it the connection is closed immediately.
  public func acceptedSource(replying reply: String? = nil) throws -> [UInt8] {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&wanted, 1, 20_000) == 1 else { throw LiveError("accept", "no connection") }
    var address = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let accepted = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe accept(descriptor, $0, &size)
      }
    }
    guard accepted >= 0 else { throw LiveError("accept", errorNumber: errno) }
    defer { close(accepted) }
    if let reply {
      var wanted = pollfd(fd: accepted, events: Int16(POLLIN), revents: 0)
      var bytes = [UInt8](repeating: 0, count: 65536)
      guard unsafe poll(&wanted, 1, 20_000) == 1, unsafe recv(accepted, &bytes, bytes.count, 0) > 0 else {
        throw LiveError("receive", "no data")
      }
      // MSG_NOSIGNAL
      _ = unsafe send(accepted, reply, reply.utf8.count, 0x4000)
    }
    return unsafe withUnsafeBytes(of: address.sin6_addr) { unsafe Array($0) }
  }
}
#endif
