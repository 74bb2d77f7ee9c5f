// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import NetlinkSupport
import Testing
@testable import Netlink

/// Unusual but valid messages.
@Suite(.deadline) struct LenientDecodingTests {
  private func route(_ encode: (inout MessageEncoder) -> Void) throws -> RouteMessage {
    var encoder = MessageEncoder()
    encoder.appendZeros(12)
    encode(&encoder)
    return try route(encoder.bytes)
  }

  private func route(_ payload: [UInt8]) throws -> RouteMessage {
    try RouteMessage(decoding: RawSpan(_elements: payload.span), in: 0..<payload.count)
  }

  private func link(_ encode: (inout MessageEncoder) -> Void) throws -> LinkMessage {
    var encoder = MessageEncoder()
    encoder.appendZeros(16)
    encode(&encoder)
    return try LinkMessage(
      decoding: RawSpan(_elements: encoder.bytes.span), in: 0..<encoder.bytes.count)
  }

  @Test func `the last attribute may lack its padding`() throws {
    let header = [UInt8](repeating: 0, count: 12)
    #expect(
      try route(header + [5, 0, 99, 0, 7])
        == RouteMessage())
  }

  @Test(arguments: 1...3)
  func `fewer bytes than an attribute's header at the end are padding`(_ count: Int) throws {
    let payload = [UInt8](repeating: 0, count: 12) + [8, 0, 4, 0, 2, 0, 0, 0]
    #expect(
      try route(payload + [UInt8](repeating: 0xff, count: count))
        == with(RouteMessage()) { $0.interface = 2 })
  }

  @Test func `the last message of a datagram may lack its padding`() throws {
    let first: [UInt8] = [17, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9]
    let datagram = first + [0, 0, 0] + first
    let bytes = RawSpan(_elements: datagram.span)
    var reader = MessageReader(in: 0..<datagram.count)
    let header = MessageHeader(length: 17, type: .done, flags: [], sequence: 1, port: 0)
    #expect(try reader.next(bytes) == Message(header: header, payload: 16..<17))
    #expect(try reader.next(bytes) == Message(header: header, payload: 36..<37))
    #expect(try reader.next(bytes) == nil)
  }

  @Test func `the last attribute of a next hop may lack its padding`() throws {
    let first: [UInt8] = [13, 0, 0, 0, 2, 0, 0, 0, 5, 0, 99, 0, 7, 0, 0, 0]
    let second: [UInt8] = [8, 0, 0, 1, 3, 0, 0, 0]
    let decoded = try route { $0.attribute(9, bytes: first + second) }
    let hops = [
      with(NextHop()) {
        $0.interface = 2
      },
      with(NextHop()) {
        $0.interface = 3
        $0.weight = 1
      },
    ]
    #expect(decoded == with(RouteMessage()) { $0.nextHops = hops })
  }

  @Test func `an attribute's type excludes the flags for nesting and byte order`() throws {
    let decoded = try route {
      $0.attribute(0x8000 | 4, integer: Int32(2))
      $0.attribute(0xc000 | 99, bytes: [1])
    }
    #expect(
      decoded
        == with(RouteMessage()) {
          $0.interface = 2
        })
  }

  @Test func `the last of repeated attributes wins`() throws {
    let decoded = try route {
      $0.attribute(4, integer: Int32(2))
      $0.attribute(4, integer: Int32(3))
    }
    #expect(decoded == with(RouteMessage()) { $0.interface = 3 })
  }

  @Test func `a link carries IPv6 unless its settings say that it is disabled, or it has none`() throws {
    /// A link with settings of a family, of which one is 1.
    func decoded(_ family: UInt16, settings: Int, one: Int? = nil) throws -> IPv6Support? {
      try link { message in
        message.attribute(26) { families in
          families.attribute(family) { part in
            part.attribute(2, bytes: (0..<settings).flatMap { [$0 == one ? 1 : 0, 0, 0, 0] })
          }
        }
      }.ipv6
    }
    #expect(try link { $0.attribute(3, bytes: Array("eth0".utf8)) }.ipv6 == nil)
    #expect(try decoded(10, settings: 60) == .on)
    #expect(try decoded(10, settings: 60, one: 26) == .off)
    #expect(try decoded(10, settings: 60, one: 25) == .on)
    // Old kernels have fewer settings; without IPv6 there is only the part of IPv4.
    #expect(try decoded(10, settings: 26) == .on)
    #expect(try decoded(2, settings: 60) == .absent)
  }

  @Test func `text ends at the first zero byte, or at the end of the attribute`() throws {
    #expect(
      try link { $0.attribute(3, bytes: Array("eth0".utf8)) } == with(LinkMessage()) { $0.name = "eth0" })
    #expect(
      try link { $0.attribute(3, bytes: Array("eth0\0junk".utf8)) }
        == with(LinkMessage()) { $0.name = "eth0" })
    #expect(try link { $0.attribute(3, bytes: []) } == with(LinkMessage()) { $0.name = "" })
  }

  @Test func `an interface name with invalid UTF-8 keeps its bytes`() throws {
    let decoded = try link { $0.attribute(3, bytes: [0x65, 0xff, 0x30, 0]) }
    #expect(decoded == with(LinkMessage()) { $0.name = InterfaceName(bytes: [0x65, 0xff, 0x30]) })
    #expect(decoded.name?.text == "e\u{fffd}0")
  }

  @Test func `the last list of properties has all alternative names`() throws {
    let decoded = try link { encoder in
      encoder.attribute(0x8000 | 52) { $0.attribute(53, text: "old") }
      encoder.attribute(0x8000 | 52) {
        $0.attribute(53, text: "uplink")
        $0.attribute(99, bytes: [1])
        $0.attribute(53, bytes: Array(repeating: 0x61, count: 127))
      }
    }
    let long = InterfaceName(String(repeating: "a", count: 127))
    #expect(decoded == with(LinkMessage()) { $0.alternativeNames = ["uplink", long] })
  }

  @Test func `a rule's range of users may be reversed, as user namespaces show it`() throws {
    var encoder = MessageEncoder()
    encoder.append([2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    encoder.attribute(20) {
      $0.append(UInt32(65534))
      $0.append(UInt32(1000))
    }
    let rule = try Rule(
      decoding: RawSpan(_elements: encoder.bytes.span), in: 0..<encoder.bytes.count)
    #expect(rule.userIDs == .init(65534, 1000))
  }

  @Test(
    arguments: [(0x1f, 21, false), (0x20, 21, true), (0, 99, true)] as [(UInt32, UInt16, Bool)])
  func `a rule with an unknown flag or attribute has unknown selectors`(
    flags: UInt32, attribute: UInt16, isUnknown: Bool
  ) throws {
    let rule = try rule([2, 0, 0, 0, 0, 0, 0, 0]) {
      $0.append(flags)
      $0.attribute(attribute, bytes: [1])
    }
    #expect(rule.hasUnknownSelectors == isUnknown)
    #expect(rule.isInverted == (flags & 2 != 0))
  }

  @Test(arguments: [([8, 0], true), ([0, 8], true), ([0, 0], false)] as [([UInt8], Bool)])
  func `a rule's length without an address is an unknown selector`(lengths: [UInt8], isUnknown: Bool) throws {
    let rule = try rule([2] + lengths + [UInt8](repeating: 0, count: 9)) { _ in }
    #expect(rule.hasUnknownSelectors == isUnknown)
  }

  @Test func `a rule's mask without a mark selects packets without a mark`() throws {
    let rule = try rule([2, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0]) { $0.attribute(16, integer: UInt32(0xff)) }
    #expect(rule == with(Rule(0, .none, mark: 0, markMask: 0xff)) { $0.family = .ipv4 })
  }

  @Test(
    arguments: [
      (1, 0, nil, .other(1)), (1, 7, nil, .lookUp(7)), (2, 0, nil, .other(2)), (2, 0, 9, .jump(9)),
      (3, 7, nil, .none), (6, 0, nil, .refuse(.blackhole)), (7, 0, nil, .refuse(.unreachable)),
      (8, 7, nil, .refuse(.prohibit)), (9, 7, nil, .other(9)),
    ] as [(UInt8, UInt8, UInt32?, Rule.Action)])
  func `a rule's action names the table or the rule that it needs`(
    number: UInt8, table: UInt8, target: UInt32?, action: Rule.Action
  ) throws {
    let rule = try rule([2, 0, 0, 0, table, 0, 0, number, 0, 0, 0, 0]) { encoder in
      if let target { encoder.attribute(4, integer: target) }
    }
    #expect(rule.action == action)
  }

  private func rule(_ header: [UInt8], _ encode: (inout MessageEncoder) -> Void) throws -> Rule {
    var encoder = MessageEncoder()
    encoder.append(header)
    encode(&encoder)
    return try Rule(decoding: RawSpan(_elements: encoder.bytes.span), in: 0..<encoder.bytes.count)
  }

  @Test func `the known part of a newer kernel's longer structure is decoded`() throws {
    let decoded = try route { encoder in
      encoder.attribute(12) {
        $0.appendZeros(8)
        $0.append(Int32(7))
        $0.appendZeros(28)
      }
    }
    #expect(decoded == with(RouteMessage()) { $0.expires = 7 })
  }

  @Test func `the table's attribute overrides the header's eight bits`() throws {
    #expect(
      try route([0, 0, 0, 0, 252, 0, 0, 0, 0, 0, 0, 0] + [8, 0, 15, 0, 0xe8, 3, 0, 0])
        == with(RouteMessage()) { $0.table = 1000 })
    #expect(
      try route([0, 0, 0, 0, 252, 0, 0, 0, 0, 0, 0, 0]) == with(RouteMessage()) { $0.table = 252 })
  }

  @Test func `the flags attribute of an address overrides the header's eight bits`() throws {
    let payload: [UInt8] =
      [2, 24, 0x80, 0, 2, 0, 0, 0] + [8, 0, 2, 0, 10, 1, 0, 1] + [8, 0, 8, 0, 0x80, 2, 0, 0]
    let bytes = RawSpan(_elements: payload.span)
    let expected = AddressMessage("10.1.0.1", 24, AddressFlags(rawValue: 0x280), on: 2)
    #expect(try AddressMessage(decoding: bytes, in: 0..<24) == expected)
    #expect(
      try AddressMessage(decoding: bytes, in: 0..<16)
        == with(expected) { $0.flags = AddressFlags(rawValue: 0x80) })
  }

  @Test func `a link's kind data and its master's kind are decoded from the nest`() throws {
    let decoded = try link { encoder in
      encoder.attribute(0x8000 | 18) {
        $0.attribute(1, text: "vlan")
        $0.attribute(2, bytes: [1, 2, 3])
        $0.attribute(4, text: "bridge")
        $0.attribute(5, bytes: [9])
      }
    }
    #expect(
      decoded
        == with(LinkMessage()) {
          $0.kind = "vlan"
          $0.kindData = [1, 2, 3]
          $0.memberKind = "bridge"
        })
  }

  @Test func `a route's prefix follows from its destination and length`() {
    let cases: [(AddressFamily, ReachabilityAddress?, UInt8, IPPrefix?)] = [
      (.ipv4, "10.1.0.0", 16, IPPrefix("10.1.0.0", length: 16)),
      (.ipv4, nil, 0, IPPrefix("0.0.0.0", length: 0)),
      (.ipv6, "fd00::", 8, IPPrefix("fd00::", length: 8)),
      (.ipv6, nil, 0, IPPrefix("::", length: 0)),
      (.ipv4, "10.1.0.0", 33, nil),
      (.ipv4, nil, 33, nil),
      (.ipv6, "fd00::", 129, nil),
      (AddressFamily(rawValue: 28), nil, 20, nil),
    ]
    for (family, destination, length, prefix) in cases {
      let route = with(RouteMessage()) {
        $0.family = family
        $0.destination = destination
        $0.destinationLength = length
      }
      #expect(route.prefix == prefix, "\(family) \(destination?.description ?? "-")/\(length)")
    }
  }

  @Test(arguments: [[], [8, 0, 1, 0, 10, 1, 0, 1]] as [[UInt8]])
  func `an address without a number, or with too long a prefix, is refused`(_ attribute: [UInt8]) {
    let payload: [UInt8] = [2, 33, 0, 0, 2, 0, 0, 0] + attribute
    #expect(throws: DecodingError(.badValue, at: 1)) {
      try AddressMessage(decoding: RawSpan(_elements: payload.span), in: 0..<payload.count)
    }
  }
}
#endif
