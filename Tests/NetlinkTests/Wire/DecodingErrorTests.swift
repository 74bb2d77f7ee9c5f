// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import NetlinkSupport
import Testing
@testable import Netlink

/// A malformed payload after the 16 bytes of a header, and the expected error.
struct BadPayload: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var decoder: String
  var payload: [UInt8]
  var error: DecodingError

  init(
    _ description: String, in decoder: String, _ payload: [[UInt8]], _ code: DecodingError.Code,
    at offset: Int
  ) {
    testDescription = description
    self.decoder = decoder
    self.payload = payload.flatMap(\.self)
    error = DecodingError(code, at: offset)
  }
}

@Suite(.deadline) struct DecodingErrorTests {
  private static let linkHeader = [UInt8](repeating: 0, count: 16)
  private static let addressHeader = [UInt8](repeating: 0, count: 8)
  private static let routeHeader = [UInt8](repeating: 0, count: 12)
  private static let ruleHeader = [UInt8](repeating: 0, count: 12)

  /// The bytes of an attribute with any length field, without padding.
  private static func attribute(_ type: UInt16, length: Int? = nil, _ value: [UInt8]) -> [UInt8] {
    littleEndian(UInt16(length ?? value.count + 4)) + littleEndian(type) + value
  }

  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  static let badAttributes = [
    BadPayload(
      "a length of 3", in: "RouteMessage", [routeHeader, attribute(4, length: 3, zeros(4))],
      .badLength, at: 28),
    BadPayload(
      "a length of 0", in: "RouteMessage", [routeHeader, attribute(4, length: 0, zeros(4))],
      .badLength, at: 28),
    BadPayload(
      "a length beyond the end", in: "RouteMessage", [routeHeader, attribute(4, length: 9, zeros(4))],
      .badLength, at: 28),
    BadPayload(
      "the greatest length", in: "RouteMessage", [routeHeader, attribute(4, length: 65535, zeros(4))],
      .badLength, at: 28),
    BadPayload(
      "a bad length after a good attribute", in: "RouteMessage",
      [routeHeader, attribute(4, zeros(4)), attribute(4, length: 3, zeros(4))], .badLength, at: 36),
    BadPayload(
      "a bad length after padding", in: "RouteMessage",
      [routeHeader, attribute(99, zeros(1)), zeros(3), attribute(4, length: 9, zeros(4))],
      .badLength, at: 36),
    BadPayload(
      "a bad length inside a nest", in: "LinkMessage",
      [linkHeader, attribute(18, attribute(1, length: 9, zeros(4)))], .badLength, at: 36),
  ]

  static let badRoutes = [
    BadPayload(
      "RTA_OIF of 3 bytes", in: "RouteMessage", [routeHeader, attribute(4, zeros(3))], .badValue, at: 32),
    BadPayload(
      "RTA_OIF of 5 bytes", in: "RouteMessage", [routeHeader, attribute(4, zeros(5))], .badValue, at: 32),
    BadPayload(
      "RTA_OIF of no bytes", in: "RouteMessage", [routeHeader, attribute(4, [])], .badValue, at: 32),
    BadPayload(
      "RTA_DST of 5 bytes", in: "RouteMessage", [routeHeader, attribute(1, zeros(5))], .badValue, at: 32),
    BadPayload(
      "RTA_DST of 17 bytes", in: "RouteMessage", [routeHeader, attribute(1, zeros(17))], .badValue, at: 32),
    BadPayload(
      "RTA_VIA of 1 byte", in: "RouteMessage", [routeHeader, attribute(18, zeros(1))], .badValue, at: 32),
    BadPayload(
      "RTA_VIA with 5 bytes of address", in: "RouteMessage", [routeHeader, attribute(18, zeros(7))],
      .badValue, at: 34),
    BadPayload(
      "RTA_CACHEINFO of no bytes", in: "RouteMessage", [routeHeader, attribute(12, [])],
      .truncated, at: 40),
    BadPayload(
      "a next hop's length of 7", in: "RouteMessage",
      [routeHeader, attribute(9, littleEndian(UInt16(7)) + zeros(6))], .badLength, at: 32),
    BadPayload(
      "a next hop's length beyond the end", in: "RouteMessage",
      [routeHeader, attribute(9, littleEndian(UInt16(9)) + zeros(6))], .badLength, at: 32),
    BadPayload(
      "a second next hop's length of 0", in: "RouteMessage",
      [routeHeader, attribute(9, littleEndian(UInt16(8)) + zeros(14))], .badLength, at: 40),
    BadPayload(
      "a next hop's gateway of 3 bytes", in: "RouteMessage",
      [routeHeader, attribute(9, littleEndian(UInt16(15)) + zeros(6) + attribute(5, zeros(3)))],
      .badValue, at: 44),
    BadPayload(
      "a next hop's attribute beyond its end", in: "RouteMessage",
      [routeHeader, attribute(9, littleEndian(UInt16(12)) + zeros(6) + attribute(5, length: 8, zeros(4)))],
      .badLength, at: 40),
  ]

  static let badOthers = [
    BadPayload(
      "IFLA_MTU of 2 bytes", in: "LinkMessage", [linkHeader, attribute(4, zeros(2))], .badValue, at: 36),
    BadPayload(
      "IFLA_OPERSTATE of 4 bytes", in: "LinkMessage", [linkHeader, attribute(16, zeros(4))],
      .badValue, at: 36),
    BadPayload(
      "IFLA_CARRIER of no bytes", in: "LinkMessage", [linkHeader, attribute(33, [])], .badValue, at: 36),
    BadPayload(
      "IFA_LOCAL of 6 bytes", in: "AddressMessage", [addressHeader, attribute(2, zeros(6))],
      .badValue, at: 28),
    BadPayload(
      "IFA_FLAGS of 1 byte", in: "AddressMessage", [addressHeader, attribute(8, zeros(1))],
      .badValue, at: 28),
    BadPayload(
      "a source of 33 bits", in: "Rule",
      [[2, 0, 33] + zeros(9), attribute(2, [10, 0, 0, 0])], .badValue, at: 18),
    BadPayload(
      "FRA_UID_RANGE of 7 bytes", in: "Rule", [ruleHeader, attribute(20, zeros(7))],
      .truncated, at: 36),
    BadPayload(
      "FRA_DPORT_RANGE of 3 bytes", in: "Rule", [ruleHeader, attribute(24, zeros(3))],
      .truncated, at: 34),
    BadPayload(
      "FRA_SPORT_RANGE from 2 to 1", in: "Rule",
      [ruleHeader, attribute(23, littleEndian(UInt16(2)) + littleEndian(UInt16(1)))], .badValue, at: 32),
    BadPayload(
      "RTA_GATEWAY of 5 bytes", in: "RouteMessage", [routeHeader, attribute(5, zeros(5))],
      .badValue, at: 32),
    BadPayload(
      "RTA_CACHEINFO of 11 bytes", in: "RouteMessage", [routeHeader, attribute(12, zeros(11))],
      .truncated, at: 40),
    BadPayload(
      "FRA_PRIORITY of 8 bytes", in: "Rule", [ruleHeader, attribute(6, zeros(8))],
      .badValue, at: 32),
  ]

  @Test(arguments: badAttributes + badRoutes + badOthers)
  func `a malformed payload is refused at its offset`(_ bad: BadPayload) throws {
    let datagram = Self.zeros(16) + bad.payload
    let decoder = try WireDecoder.named(bad.decoder)
    #expect(throws: bad.error) {
      try decoder.decode(RawSpan(_elements: datagram.span), 0..<datagram.count)
    }
  }

  @Test func `an offset counts from the start of the datagram, not of the message`() throws {
    let first = oneMessage(.done) { $0.append(Int32(0)) }
    let second = oneMessage(.newRoute) {
      $0.append([2])
      $0.appendZeros(11)
      $0.attribute(4, bytes: [1, 2, 3])
    }
    let datagram = first + second
    #expect(throws: DecodingError(.badValue, at: 20 + 16 + 12 + 4)) {
      try WireDecoder.named("RouteEvent").decode(RawSpan(_elements: datagram.span), 0..<datagram.count)
    }
  }

  @Test(arguments: [UInt32(0), 1, 15, 21, .max])
  func `a length below the header's or beyond the datagram is refused`(_ length: UInt32)
    throws
  {
    let good = oneMessage(.done) { $0.append(Int32(0)) }
    let bad = littleEndian(length) + good.dropFirst(4)
    for (datagram, offset) in [(bad, 0), (good + bad, 20)] {
      #expect(throws: DecodingError(.badLength, at: offset)) {
        try WireDecoder.named("RouteEvent").decode(RawSpan(_elements: datagram.span), 0..<datagram.count)
      }
    }
  }

  @Test(
    arguments: [
      (1, DecodingError(.badValue, at: 16)), (.max, DecodingError(.badValue, at: 16)),
      (.min, DecodingError(.badValue, at: 16)),
    ] as [(Int32, DecodingError)])
  func `an invalid error number is refused`(_ code: Int32, _ error: DecodingError) throws {
    let datagram = oneMessage(.error, flags: .capped) {
      $0.append(code)
      $0.appendZeros(16)
    }
    #expect(throws: error) {
      try WireDecoder.named("Acknowledgement").decode(
        RawSpan(_elements: datagram.span), 0..<datagram.count)
    }
  }

  @Test(arguments: [UInt32(0), 15, 25, .max])
  func `an echoed request with an invalid length is refused`(_ length: UInt32) throws {
    let datagram = oneMessage(.error, flags: .errorAttributes) {
      $0.append(Int32(-101))
      $0.append(length)
      $0.appendZeros(20)
    }
    #expect(throws: DecodingError(.badLength, at: 20)) {
      try WireDecoder.named("Acknowledgement").decode(
        RawSpan(_elements: datagram.span), 0..<datagram.count)
    }
  }

  @Test func `a decoding error describes the violation and its offset`() {
    #expect(DecodingError(.truncated, at: 7).description == "truncated at byte 7")
    #expect(DecodingError(.badLength, at: 28).description == "bad length at byte 28")
    #expect(DecodingError(.badValue, at: 0).description == "bad value at byte 0")
  }
}
#endif
