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

  @Test func `addresses and ports have Apple's constants`() {
    let ipv4: [IPv4Address] = [
      .any, .broadcast, .loopback, .allHostsGroup, .allRoutersGroup, .allReportsGroup, .mdnsGroup,
    ]
    #expect(
      ipv4.map { "\($0)" } == [
        "0.0.0.0", "255.255.255.255", "127.0.0.1", "224.0.0.1", "224.0.0.2", "224.0.0.22", "224.0.0.251",
      ])
    let ipv6: [IPv6Address] = [
      .any, .broadcast, .loopback, .nodeLocalNodes, .linkLocalNodes, .linkLocalRouters,
    ]
    #expect(ipv6.map { "\($0)" } == ["::", "::", "::1", "ff01::1", "ff02::1", "ff02::2"])
    let ports: [NWEndpoint.Port] = [.any, .ssh, .smtp, .http, .pop, .imap, .https, .imaps, .socks]
    #expect(ports.map(\.rawValue) == [0, 22, 25, 80, 110, 143, 443, 993, 1080])
    let texts = ["443", "https", "0", "65535", "65536", "-1", "", "no such service"]
    #expect(texts.map { NWEndpoint.Port($0)?.rawValue } == [443, 443, 0, 65535, nil, nil, nil, nil])
  }

  @Test func `IPv6 addresses tell their ranges and scopes`() throws {
    func marks(_ text: String) throws -> [Bool] {
      let address = try #require(IPv6Address(text))
      return [
        address.isAny, address.isUniqueLocal, address.isIPv4Compatabile, address.isIPv4Mapped, address.is6to4,
      ]
    }
    for (place, text) in ["::", "fd00::1", "::192.0.2.1", "::ffff:192.0.2.1", "2002:c000:201::"].enumerated()
    {
      #expect(try marks(text) == (0..<5).map { $0 == place }, "\(text)")
    }
    for text in ["::1", "2001:db8::1"] { #expect(try marks(text).allSatisfy { !$0 }, "\(text)") }
    let embedded = ["::192.0.2.1", "::ffff:192.0.2.1", "2002:c000:201::", "::1", "2001:db8::1"]
    #expect(
      embedded.map { IPv6Address($0)?.asIPv4?.debugDescription } == [
        "192.0.2.1", "192.0.2.1", nil, nil, nil,
      ])
    let groups = ["ff01::1", "ff02::1", "ff05::1", "ff08::1", "ff0e::1", "ff03::1", "fd00::1"]
    #expect(
      groups.map { IPv6Address($0)?.multicastScope } == [
        .nodeLocal, .linkLocal, .siteLocal, .organizationLocal, .global, nil, nil,
      ])
  }

  @Test func `code is generic over both kinds of address`() {
    func lengths(_ addresses: [any IPAddress]) -> [Int] { addresses.map { $0.rawValue.count } }
    func parse<Address: IPAddress>(_ text: String) -> Address? { Address(text) }
    #expect(lengths([IPv4Address.loopback, IPv6Address.loopback]) == [4, 16])
    let address: IPv4Address? = parse("192.0.2.1")
    #expect(address?.isLoopback == false && address?.interface == nil)
  }

  @Test func `the lengths of socket addresses are there with this module alone`() {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    #expect(address.sin_len == 16 && sockaddr_storage().ss_len == 0)
  }

  @Test func `endpoints print as Apple's do`() throws {
    let port: NWEndpoint.Port = 443
    #expect(port == NWEndpoint.Port(rawValue: 443) && NWEndpoint.Port.any.rawValue == 0)
    #expect("\(NWEndpoint.hostPort(host: "10.1.0.1", port: port))" == "10.1.0.1:443")
    #expect("\(NWEndpoint.hostPort(host: "fd00::1", port: port))" == "fd00::1.443")
    #expect("\(NWEndpoint.hostPort(host: "example.com", port: .any))" == "example.com:0")
    let service = NWEndpoint.service(name: "printer", type: "_ipp._tcp", domain: "local", interface: nil)
    #expect("\(service)" == "printer._ipp._tcp.local" && service.interface == nil)
    let socket = NWEndpoint.unix(path: "/run/x")
    #expect("\(socket)" == "/run/x" && socket.interface == nil)
    let url = NWEndpoint.url(try #require(URL(string: "https://example.com/")))
    #expect("\(url)" == "https://example.com/" && url.interface == nil)
  }
}
