// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Foundation
import NetworkPathMonitor
import Testing

/// Endpoints and addresses that programs make and print.
@Suite("Endpoints", .deadline)
struct EndpointTests {
  @Test func `a host is an address or else a name`() {
    #expect(IPv4Address("10.1.0.1").map { .ipv4($0) } == NWEndpoint.Host("10.1.0.1"))
    guard case .ipv6(let address) = "fd00::1" as NWEndpoint.Host else {
      Issue.record("no IPv6 address")
      return
    }
    #expect(address.rawValue == Data([0xfd, 0] + [UInt8](repeating: 0, count: 13) + [1]))
    #expect("example.com" as NWEndpoint.Host == .name("example.com", nil))
    for text in ["10.1.0.1", "fd00::1", "example.com"] { #expect("\(NWEndpoint.Host(text))" == text) }
  }

  @Test func `addresses take their octets, and no other number of them`() {
    #expect(IPv4Address(Data([10, 1, 0, 1]))?.debugDescription == "10.1.0.1")
    #expect(IPv4Address(Data(count: 5)) == nil && IPv4Address("10.1.0") == nil)
    #expect(IPv6Address(Data(count: 16))?.debugDescription == "::")
    #expect(IPv6Address(Data(count: 4)) == nil && IPv6Address("10.1.0.1") == nil)
  }

  @Test func `addresses tell loopback, link-local and multicast ones`() throws {
    func marks(_ text: String) throws -> [Bool] {
      if let address = IPv4Address(text) {
        return [address.isLoopback, address.isLinkLocal, address.isMulticast]
      }
      let address = try #require(IPv6Address(text))
      return [address.isLoopback, address.isLinkLocal, address.isMulticast]
    }
    for text in ["127.0.0.2", "::1"] { #expect(try marks(text) == [true, false, false]) }
    for text in ["169.254.1.1", "fe80::1"] { #expect(try marks(text) == [false, true, false]) }
    for text in ["224.0.0.251", "ff02::fb"] { #expect(try marks(text) == [false, false, true]) }
    for text in ["10.169.254.1", "fd00::1"] { #expect(try marks(text) == [false, false, false]) }
  }

  @Test func `endpoints print as Apple's do`() {
    let port: NWEndpoint.Port = 443
    #expect(port == NWEndpoint.Port(rawValue: 443) && NWEndpoint.Port.any.rawValue == 0)
    #expect("\(NWEndpoint.hostPort(host: "10.1.0.1", port: port))" == "10.1.0.1:443")
    #expect("\(NWEndpoint.hostPort(host: "fd00::1", port: port))" == "fd00::1.443")
    #expect("\(NWEndpoint.hostPort(host: "example.com", port: .any))" == "example.com:0")
    let service = NWEndpoint.service(name: "printer", type: "_ipp._tcp", domain: "local", interface: nil)
    #expect("\(service)" == "printer._ipp._tcp.local" && service.interface == nil)
    let socket = NWEndpoint.unix(path: "/run/x")
    #expect("\(socket)" == "/run/x" && socket.interface == nil)
  }
}
