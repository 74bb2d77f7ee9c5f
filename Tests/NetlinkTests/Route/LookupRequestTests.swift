// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import NetlinkSupport
import Testing
@testable import Netlink

/// The encoding of lookups, byte for byte.
@Suite(.deadline) struct LookupRequestTests {
  private func payload(_ request: RouteRequest) -> [UInt8] {
    var encoder = MessageEncoder()
    request.encode(into: &encoder)
    return encoder.bytes
  }

  /// The recorded lookup, which the kernel echoed after its own header and the error number.
  private func recorded() throws -> [UInt8] {
    Array(try Fixture("error-request-echoed").bytes[20...])
  }

  @Test func `the recorded lookup is encoded as it was sent`() throws {
    let request = RouteRequest("203.0.113.1", form: .entry)
    let encoded = oneMessage(.getRoute, flags: .request, sequence: 14) { request.encode(into: &$0) }
    #expect(try encoded == recorded())
  }

  @Test func `the recorded lookup decodes as a route and encodes to the same bytes`() throws {
    let bytes = try recorded()
    let route = try RouteMessage(decoding: RawSpan(_elements: bytes.span), in: 16..<bytes.count)
    #expect(
      route
        == with(RouteMessage()) {
          $0.family = .ipv4
          $0.destination = "203.0.113.1"
          $0.destinationLength = 32
          $0.flags = [.lookupTable, .exactMatch]
        })
    #expect(oneMessage(.getRoute, flags: .request, sequence: 14) { route.encode(into: &$0) } == bytes)
  }

  @Test func `a lookup with all its fields has the expected bytes`() {
    let request = RouteRequest(
      "fd00::1", source: "fd00::2", interface: 3, mark: 0x10, userID: 1000, protocolNumber: 6,
      destinationPort: 443)
    #expect(
      payload(request) == [
        10, 128, 128, 0, 0, 0, 0, 0, 0, 0x10, 0, 0,
        20, 0, 1, 0, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
        20, 0, 2, 0, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
        8, 0, 4, 0, 3, 0, 0, 0,
        8, 0, 16, 0, 0x10, 0, 0, 0,
        8, 0, 25, 0, 0xe8, 3, 0, 0,
        5, 0, 27, 0, 6, 0, 0, 0,
        6, 0, 29, 0, 1, 0xbb, 0, 0,
      ])
  }

  @Test(
    arguments: [
      RouteRequest("10.1.0.1"), RouteRequest("fd00::1"),
      RouteRequest("10.1.0.1", source: "10.1.0.2", form: .entry),
      RouteRequest("255.255.255.255", interface: .max, mark: .max),
      RouteRequest("ff02::1", source: "fe80::1", interface: -1, mark: 0),
    ])
  func `a lookup has the bytes of the equivalent route message`(_ request: RouteRequest) throws {
    let bytes = payload(request)
    let expected = with(RouteMessage()) {
      $0.family = request.destination.bitWidth == 32 ? .ipv4 : .ipv6
      $0.destination = request.destination
      $0.destinationLength = UInt8(request.destination.bitWidth)
      $0.sourceNetwork = request.source
      $0.sourceLength = request.source == nil ? 0 : $0.destinationLength
      $0.interface = request.interface
      $0.flags = request.form == .entry ? [.lookupTable, .exactMatch] : .lookupTable
    }
    #expect(try RouteMessage(decoding: RawSpan(_elements: bytes.span), in: 0..<bytes.count) == expected)
  }
}
#endif
