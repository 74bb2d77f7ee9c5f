// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import Testing
@testable import Netlink

@Suite(.deadline) struct TunnelHeaderTests {
  private func link(_ fixture: String) throws -> LinkMessage {
    let bytes = try Fixture(fixture).bytes
    return try LinkMessage(decoding: RawSpan(_elements: bytes.span), in: 16..<bytes.count)
  }

  @Test func `a recorded tunnel has its other end`() throws {
    #expect(
      try link("link-gre").tunnelHeader == TunnelHeader(remote: "192.0.2.2", local: "192.0.2.1", lower: 2))
    #expect(try link("link-sit").tunnelHeader == TunnelHeader(remote: "192.0.2.2", local: "192.0.2.1"))
  }

  @Test(arguments: ["link-vxlan", "link-wireguard", "link-xfrm", "link-tun", "link-veth", "link-vlan"])
  func `a link without a fixed remote has no header`(_ fixture: String) throws {
    #expect(try link(fixture).tunnelHeader == nil)
  }

  private static let ipv4: [UInt8] = [10, 0, 0, 1]
  private static let ipv6: [UInt8] = [0xfd] + [UInt8](repeating: 0, count: 14) + [1]

  private static func attribute(_ type: UInt8, _ value: [UInt8]) -> [UInt8] {
    [UInt8(value.count + 4), 0, type, 0] + value + [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
  }

  /// The private data, and the header that follows from it, of each kind.
  private static let kinds: [(String, [[UInt8]], TunnelHeader)] = [
    (
      "vxlan", [attribute(2, ipv4), attribute(3, [2, 0, 0, 0]), attribute(15, [0x12, 0xb5])],
      TunnelHeader(remote: "10.0.0.1", lower: 2, port: 4789)
    ),
    (
      "vxlan", [attribute(16, ipv6), attribute(17, ipv6), attribute(15, [0x12, 0xb5]), attribute(25, [0])],
      TunnelHeader(remote: "fd00::1", local: "fd00::1", port: 4789)
    ),
    (
      "geneve", [attribute(2, ipv4), attribute(5, [0x17, 0xc1])], TunnelHeader(remote: "10.0.0.1", port: 6081)
    ),
    (
      "geneve", [attribute(7, ipv6), attribute(5, [0x17, 0xc1])], TunnelHeader(remote: "fd00::1", port: 6081)
    ),
    (
      "gretap", [attribute(7, ipv4), attribute(20, [5, 0, 0, 0])], TunnelHeader(remote: "10.0.0.1", mark: 5)
    ),
    ("ip6gre", [attribute(6, ipv6), attribute(7, ipv6)], TunnelHeader(remote: "fd00::1", local: "fd00::1")),
    ("ipip", [attribute(2, ipv4), attribute(3, ipv4)], TunnelHeader(remote: "10.0.0.1", local: "10.0.0.1")),
    ("ip6tnl", [attribute(3, ipv6), attribute(1, [3, 0, 0, 0])], TunnelHeader(remote: "fd00::1", lower: 3)),
    ("vti", [attribute(5, ipv4), attribute(6, [7, 0, 0, 0])], TunnelHeader(remote: "10.0.0.1", mark: 7)),
    ("vti6", [attribute(5, ipv6), attribute(4, ipv6)], TunnelHeader(remote: "fd00::1", local: "fd00::1")),
  ]

  @Test func `each kind has its other end`() {
    for (kind, data, header) in Self.kinds {
      var link = LinkMessage()
      link.kind = kind
      link.kindData = data.flatMap(\.self)
      #expect(link.tunnelHeader == header, "\(kind)")
      // Outer packets in another namespace are not this one's.
      link.lowerNamespace = 0
      #expect(link.tunnelHeader == nil, "\(kind)")
    }
  }

  @Test func `packets with a remote of their own, a group or no remote have no header`() {
    for (kind, data) in [
      ("vxlan", Self.attribute(2, [239, 1, 1, 1])), ("gre", Self.attribute(7, [0, 0, 0, 0])),
      ("vxlan", Self.attribute(2, Self.ipv4) + Self.attribute(25, [1])),
      ("gre", Self.attribute(7, Self.ipv4) + Self.attribute(18, [])), ("ipip", []),
    ] as [(String, [UInt8])] {
      var link = LinkMessage()
      link.kind = kind
      link.kindData = data
      #expect(link.tunnelHeader == nil, "\(kind)")
    }
  }

  @Test func `damaged data has no header`() throws {
    var link = try link("link-gre")
    let data = try #require(link.kindData)
    for count in 0..<52 {
      link.kindData = Array(data[0..<count])
      _ = link.tunnelHeader
    }
    link.kindData = Self.attribute(7, [1, 2, 3])
    #expect(link.tunnelHeader == nil)
  }
}
#endif
