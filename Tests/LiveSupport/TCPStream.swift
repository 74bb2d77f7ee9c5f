// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
#if canImport(Glibc)
import Glibc
private let (connectSocket, sendBytes) = unsafe (Glibc.connect, Glibc.send)
#elseif canImport(Musl)
import Musl
private let (connectSocket, sendBytes) = unsafe (Musl.connect, Musl.send)
#endif

/// A TCP connection between two network namespaces, of which a test holds both ends.
///
/// No call blocks for longer than its time limit, and none raises a signal.
public final class TCPStream: Sendable {
  private let client: Int32
  /// The accepted end, or -1 if nothing accepted.
  private let server: Int32

  /// Connects, without waiting for an answer, from a network.
  ///
  /// - Parameters:
  ///   - network: The network of the client.
  ///   - octets: The address to connect to.
  ///   - port: The port.
  public init(from network: NetworkNamespace, to octets: [UInt8], port: UInt16) throws {
    client = try Self.connect(from: network, octets, port)
    server = -1
  }

  /// Connects to a listener, and accepts the connection there.
  ///
  /// A connection that fails is tried again, for 20 seconds together: the kernel gives an attempt up when an address was not
  /// resolved for three seconds, as behind a link that has just come up.
  ///
  /// - Parameters:
  ///   - network: The network of the client.
  ///   - octets: The address to connect to.
  ///   - listener: The listener, in the network that has the address.
  public init(from network: NetworkNamespace, to octets: [UInt8], _ listener: Listener) throws {
    let deadline = ContinuousClock.now + .seconds(20)
    while true {
      let descriptor = try Self.connect(from: network, octets, listener.port)
      do throws(LiveError) {
        server = try listener.accept(from: descriptor, until: deadline)
        client = descriptor
        return
      } catch {
        close(descriptor)
        guard ContinuousClock.now < deadline else { throw error }
        // The next attempt may fail at once.
        usleep(10_000)
      }
    }
  }

  deinit {
    close(client)
    if server >= 0 { close(server) }
  }

  private static func connect(
    from network: NetworkNamespace, _ octets: [UInt8], _ port: UInt16
  ) throws -> Int32 {
    try network.run {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      let mapped = octets.count == 4 ? Array(repeating: 0, count: 10) + [255, 255] + octets : octets
      unsafe withUnsafeMutableBytes(of: &address.sin6_addr) { unsafe $0.copyBytes(from: mapped) }
      // SOCK_STREAM, SOCK_NONBLOCK and SOCK_CLOEXEC.
      let descriptor = socket(AF_INET6, 1 | 0o4000 | 0o2000000, 0)
      guard descriptor >= 0 else { throw LiveError("socket", errorNumber: errno) }
      // Small writes are sent at once.
      var isOn: Int32 = 1
      _ = unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, 4)
      let result = unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe connectSocket(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
        }
      }
      guard result == 0 || errno == EINPROGRESS else {
        let error = errno
        close(descriptor)
        throw LiveError("connect", errorNumber: error)
      }
      return descriptor
    }
  }

  /// Writes bytes at the client's end, as far as its buffer has room.
  public func send(_ count: Int) { Self.write(count, to: client) }

  /// Writes bytes at the server's end, as far as its buffer has room.
  public func reply(_ count: Int) { Self.write(count, to: server) }

  /// Reads everything that arrived at the server's end; returns the number of bytes.
  @discardableResult
  public func drainServer() -> Int { Self.drain(server) }

  /// Reads everything that arrived at the client's end; returns the number of bytes.
  @discardableResult
  public func drainClient() -> Int { Self.drain(client) }

  /// Ends the client's direction, the server's stays open.
  public func shutDown() { shutdown(client, Int32(SHUT_WR)) }

  /// Closes the client's socket; the server's end stays open.
  public func closeClient() {
    // The number stays this object's until its end.
    let placeholder = socket(AF_INET6, 1 | 0o2000000, 0)
    dup2(placeholder, client)
    close(placeholder)
  }

  private static func write(_ count: Int, to descriptor: Int32) {
    let bytes = [UInt8](repeating: 0x2a, count: count)
    // MSG_NOSIGNAL and MSG_DONTWAIT.
    _ = unsafe sendBytes(descriptor, bytes, count, 0x4000 | 0x40)
  }

  private static func drain(_ descriptor: Int32) -> Int {
    var buffer = [UInt8](repeating: 0, count: 65536)
    var total = 0
    while true {
      let count = unsafe recv(descriptor, &buffer, buffer.count, 0x40)
      guard count > 0 else { return total }
      total += count
    }
  }
}

extension Listener {
  /// Accepts the next connection, whose descriptor the caller closes; throws as soon as the client's attempt has failed.
  fileprivate func accept(
    from client: Int32, until deadline: ContinuousClock.Instant
  ) throws(LiveError) -> Int32 {
    while !waitForConnection(within: .milliseconds(20)) {
      var (problem, size) = (Int32(0), socklen_t(4))
      unsafe getsockopt(client, SOL_SOCKET, SO_ERROR, &problem, &size)
      guard problem == 0 else { throw LiveError("connect", errorNumber: problem) }
      guard ContinuousClock.now < deadline else { throw LiveError("accept", "no connection") }
    }
    let accepted = acceptDescriptor()
    guard accepted >= 0 else { throw LiveError("accept", errorNumber: errno) }
    return accepted
  }
}
#endif
