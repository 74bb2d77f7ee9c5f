// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import NetlinkSupport
import Testing
@testable import Netlink

@Suite(.deadline) struct MessageEncoderTests {
  private func encoded(_ encode: (inout MessageEncoder) -> Void) -> [UInt8] {
    var encoder = MessageEncoder()
    encode(&encoder)
    return encoder.bytes
  }

  @Test(
    arguments: [
      ([], [4, 0, 7, 0]),
      ([1], [5, 0, 7, 0, 1, 0, 0, 0]),
      ([1, 2], [6, 0, 7, 0, 1, 2, 0, 0]),
      ([1, 2, 3], [7, 0, 7, 0, 1, 2, 3, 0]),
      ([1, 2, 3, 4], [8, 0, 7, 0, 1, 2, 3, 4]),
      ([1, 2, 3, 4, 5], [9, 0, 7, 0, 1, 2, 3, 4, 5, 0, 0, 0]),
    ] as [([UInt8], [UInt8])])
  func `an attribute is padded to four bytes, excluded from its length`(
    value: [UInt8], bytes: [UInt8]
  ) {
    #expect(encoded { $0.attribute(7, bytes: value) } == bytes)
  }

  @Test func `integers have the machine's byte order, addresses the network's`() {
    #expect(encoded { $0.attribute(4, integer: Int32(-2)) } == [8, 0, 4, 0, 0xfe, 0xff, 0xff, 0xff])
    #expect(encoded { $0.attribute(1, integer: UInt16(0x102)) } == [6, 0, 1, 0, 2, 1, 0, 0])
    #expect(encoded { $0.attribute(1, address: "10.1.2.3") } == [8, 0, 1, 0, 10, 1, 2, 3])
    #expect(
      encoded { $0.attribute(5, address: "fd00:1::fe") }
        == [20, 0, 5, 0, 0xfd, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xfe])
  }

  @Test func `text ends with a zero byte`() {
    #expect(encoded { $0.attribute(3, text: "lo") } == [7, 0, 3, 0, 0x6c, 0x6f, 0, 0])
    #expect(encoded { $0.attribute(3, text: "eth") } == [8, 0, 3, 0, 0x65, 0x74, 0x68, 0])
    #expect(encoded { $0.attribute(3, text: "") } == [5, 0, 3, 0, 0, 0, 0, 0])
  }

  @Test func `an attribute's length includes nested attributes and their padding`() {
    let bytes = encoded { encoder in
      encoder.attribute(18) { nested in
        nested.attribute(1, text: "vlan")
        nested.attribute(2) { $0.attribute(1, integer: UInt16(100)) }
      }
    }
    #expect(
      bytes == [
        28, 0, 18, 0,
        9, 0, 1, 0, 0x76, 0x6c, 0x61, 0x6e, 0, 0, 0, 0,
        12, 0, 2, 0, 6, 0, 1, 0, 100, 0, 0, 0,
      ])
  }

  @Test func `consecutive messages have their own lengths`() {
    let bytes = encoded {
      $0.beginMessage(type: .getRoute, flags: .request, sequence: 7)
      $0.append(UInt32(1))
      $0.endMessage()
      $0.beginMessage(type: .getLink, flags: [.request, .dump], sequence: 0x1020304)
      $0.endMessage()
    }
    #expect(
      bytes == [
        20, 0, 0, 0, 26, 0, 1, 0, 7, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
        16, 0, 0, 0, 18, 0, 1, 3, 4, 3, 2, 1, 0, 0, 0, 0,
      ])
  }

  @Test func `an emptied encoder starts again`() {
    let bytes = encoded {
      $0.append(UInt64.max)
      $0.removeAll()
      $0.append(UInt8(1))
    }
    #expect(bytes == [1])
  }

  @Test(
    arguments: [
      (0, 0, nil), (1, 1, 1), (255, 255, 255), (256, 252, 256), (1000, 252, 1000), (.max, 252, .max),
    ] as [(UInt32, UInt8, UInt32?)])
  func `a table above eight bits is encoded in the attribute alone`(
    table: UInt32, headerByte: UInt8, attribute: UInt32?
  ) {
    let bytes = encoded { encoder in with(RouteMessage()) { $0.table = table }.encode(into: &encoder) }
    #expect(
      bytes
        == [0, 0, 0, 0, headerByte, 0, 0, 0, 0, 0, 0, 0]
        + (attribute.map { [8, 0, 15, 0] + littleEndian($0) } ?? []))
  }

  @Test(arguments: [(254, 254), (1000, 252)] as [(UInt32, UInt8)])
  func `a rule's table is in an attribute, and in the header if it fits`(
    table: UInt32, headerByte: UInt8
  ) {
    let bytes = encoded { encoder in
      Rule(0, .lookUp(table)).encode(into: &encoder)
    }
    #expect(
      bytes == [0, 0, 0, 0, headerByte, 0, 0, 1, 0, 0, 0, 0] + [8, 0, 15, 0] + littleEndian(table))
  }

  @Test func `a gateway of another family than the route's is encoded as RTA_VIA`() {
    let bytes = encoded { encoder in
      with(RouteMessage()) {
        $0.family = .ipv6
        $0.gateway = "10.1.0.1"
      }.encode(into: &encoder)
    }
    #expect(bytes == [10] + [UInt8](repeating: 0, count: 11) + [10, 0, 18, 0, 2, 0, 10, 1, 0, 1, 0, 0])
  }

  @Test func `a multipath route has one structure per next hop`() {
    let bytes = encoded { encoder in
      with(RouteMessage()) {
        $0.family = .ipv4
        $0.nextHops = [
          with(NextHop()) {
            $0.interface = 2
            $0.weight = 4
            $0.flags = .linkDown
            $0.gateway = "10.1.0.2"
          },
          with(NextHop()) { $0.interface = 3 },
        ]
      }.encode(into: &encoder)
    }
    #expect(
      bytes
        == [2] + [UInt8](repeating: 0, count: 11) + [
          28, 0, 9, 0,
          16, 0, 0x10, 4, 2, 0, 0, 0, 8, 0, 5, 0, 10, 1, 0, 2,
          8, 0, 0, 0, 3, 0, 0, 0,
        ])
  }

  @Test func `kind data is encoded even without a kind`() throws {
    let link = with(LinkMessage()) { $0.kindData = [1, 2, 3, 4] }
    let bytes = encoded { link.encode(into: &$0) }
    #expect(try LinkMessage(decoding: RawSpan(_elements: bytes.span), in: 0..<bytes.count) == link)
  }
}
#endif
