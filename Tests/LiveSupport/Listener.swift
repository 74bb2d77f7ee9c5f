#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A socket that listens in a network namespace; the kernel takes connections by itself.
public final class Listener: Sendable {
  /// Where it listens.
  public let port: UInt16
  private let descriptor: Int32

  /// Listens at all addresses, those of IPv4 too.
  public init(in network: NetworkNamespace) throws {
    (descriptor, port) = try network.run {
      // SOCK_STREAM and SOCK_CLOEXEC.
      let descriptor = socket(AF_INET6, 1 | 0o2000000, 0)
      guard descriptor >= 0 else { throw LiveError("socket", errorNumber: errno) }
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

  /// Takes the next connection, which must be there, and returns the 16 octets of where it came from.
  public func acceptedSource() throws -> [UInt8] {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&wanted, 1, 20_000) == 1 else { throw LiveError("accept", "nobody came") }
    var address = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let accepted = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe accept(descriptor, $0, &size)
      }
    }
    guard accepted >= 0 else { throw LiveError("accept", errorNumber: errno) }
    close(accepted)
    return unsafe withUnsafeBytes(of: address.sin6_addr) { unsafe Array($0) }
  }
}
#endif
