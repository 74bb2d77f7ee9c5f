// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import Testing

@testable import Netlink

@Suite(.deadline) struct KnownAnswerTests {
  private func answer(_ datagram: [UInt8]) throws -> Message {
    var messages = MessageReader(in: datagram.indices)
    return try #require(try messages.next(RawSpan(_elements: datagram.span)))
  }

  private func route(_ datagram: [UInt8]) throws -> KnownAnswer? {
    KnownAnswer(try answer(datagram), of: RawSpan(_elements: datagram.span))
  }

  private func isSame(_ route: KnownAnswer, as datagram: [UInt8]) throws -> Bool {
    route.isSame(as: try answer(datagram), of: RawSpan(_elements: datagram.span))
  }

  /// The ranges of attribute values in a message.
  private func values(of type: UInt16, in datagram: [UInt8]) throws -> [Int] {
    let bytes = RawSpan(_elements: datagram.span)
    var attributes = AttributeReader(in: 28..<datagram.count)
    while let attribute = try attributes.next(bytes) {
      if attribute.type == type { return Array(attribute.value) }
    }
    return []
  }

  @Test(arguments: ["route-ipv4-lookup", "route-ipv6-lookup"])
  func `a known route ignores the destination and the counters`(_ fixture: String) throws {
    let datagram = try Fixture(fixture).bytes
    let known = try #require(try route(datagram))
    let destination = try values(of: RouteAttribute.destination, in: datagram)
    let cache = try values(of: RouteAttribute.cacheInfo, in: datagram)
    #expect([4, 16].contains(destination.count))
    #expect(cache.count == 32)
    // The references and the last use, then the lifetime and the error, then the uses.
    let ignored = Set(destination + cache[0..<8] + cache[16..<20])
    for position in datagram.indices.dropFirst(16) {
      var other = datagram
      other[position] ^= 1
      #expect(try isSame(known, as: other) == ignored.contains(position), "byte \(position)")
    }
  }

  @Test func `a longer or shorter message, or another type, is not the known route`() throws {
    let datagram = try Fixture("route-ipv4-lookup").bytes
    let known = try #require(try route(datagram))
    #expect(try !isSame(known, as: try Fixture("route-ipv6-lookup").bytes))
    var longer = datagram + [4, 0, 99, 0]
    longer[0] += 4
    #expect(try !isSame(known, as: longer))
    #expect(try route(longer).map { try isSame($0, as: datagram) } == false)
    var removed = datagram
    removed[4] = 25
    #expect(try !isSame(known, as: removed))
    #expect(try route(removed) == nil)
  }

  @Test func `the entry of an IPv4 default route is compared as a whole`() throws {
    // It has neither a destination nor counters: a header, and the interface.
    let datagram: [UInt8] =
      [36, 0, 0, 0, 24, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0] + [2, 0, 0, 0, 254, 3, 0, 1, 0, 0, 0, 0]
      + [8, 0, 4, 0, 2, 0, 0, 0]
    let known = try #require(try route(datagram))
    for position in datagram.indices.dropFirst(16) {
      var other = datagram
      #expect(try isSame(known, as: other))
      other[position] ^= 1
      #expect(try !isSame(known, as: other), "byte \(position)")
    }
  }

  @Test func `a known refusal is one with the same number`() throws {
    let datagram = try Fixture("error-no-route").bytes
    let known = try #require(try route(datagram))
    for position in datagram.indices.dropFirst(16) {
      var other = datagram
      other[position] ^= 1
      #expect(try isSame(known, as: other) == (position >= 20), "byte \(position)")
    }
    #expect(try !isSame(known, as: try Fixture("route-ipv4-lookup").bytes))
  }

  @Test func `half a header and undecodable attributes are not known`() throws {
    var short = Array(try Fixture("route-ipv4-lookup").bytes.prefix(24))
    short[0] = 24
    #expect(try route(short) == nil)
    var broken = try Fixture("route-ipv4-lookup").bytes
    broken[28] = 255
    #expect(try route(broken) == nil)
    var half = Array(try Fixture("error-no-route").bytes.prefix(18))
    half[0] = 18
    #expect(try route(half) == nil)
  }
}
#endif
