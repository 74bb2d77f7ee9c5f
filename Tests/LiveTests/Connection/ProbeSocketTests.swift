// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LiveSupport
import POSIX
import Testing

@testable import ReachabilityKit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension LiveTests {
  /// The sockets that query name servers.
  @Suite("Sockets of probes")
  struct ProbeSocketTests {
    @Test func `an empty datagram is a datagram`() throws {
      let network = try NetworkNamespace()
      try network.raiseLoopback()
      let received = try network.run {
        let server = try DatagramServer()
        let socket = try ProbeSocket(
          .datagrams, to: .address("127.0.0.1"), "127.0.0.1", port: server.port, interface: nil)
        try socket.send([1])
        server.answerWithEmptyDatagram()
        // The error of an earlier call is none of this one's.
        errno = EIO
        return try (socket.receive(), socket.receive())
      }
      // Over the loopback interface a datagram arrives before the call that sends it returns.
      #expect(received.0 == [])
      #expect(received.1 == nil)
    }
  }
}

/// A UDP socket on the loopback interface of the calling thread's network namespace.
private struct DatagramServer: ~Copyable {
  let port: UInt16
  private let descriptor: Int32

  init() throws {
    // SOCK_DGRAM and SOCK_CLOEXEC.
    descriptor = socket(AF_INET, 2 | 0o2000000, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = unsafe withUnsafeMutablePointer(to: &address) { [descriptor] pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, size) == 0 ? getsockname(descriptor, $0, &size) : -1
      }
    }
    try #require(result == 0, "bind: \(errno)")
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(descriptor) }

  /// Receives a datagram, and sends an empty one to its sender.
  func answerWithEmptyDatagram() {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        var octet: UInt8 = 0
        _ = unsafe recvfrom(descriptor, &octet, 1, 0, $0, &size)
        _ = unsafe sendto(descriptor, &octet, 0, 0, $0, size)
      }
    }
  }
}
#endif
