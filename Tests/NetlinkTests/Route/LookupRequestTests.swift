#if os(Linux)
import InternetProtocol
import Testing
@testable import Netlink

/// The requests for a route, byte for byte as a kernel has accepted them.
@Suite struct LookupRequestTests {
  private func payload(_ change: (inout RouteMessage) -> Void) -> [UInt8] {
    var encoder = MessageEncoder()
    with(RouteMessage(), change).encode(into: &encoder)
    return encoder.bytes
  }

  @Test func `the recorded lookup is encoded as it was sent`() throws {
    // Sent back by the kernel behind its own header and the error number.
    let echoed = try Fixture("error-request-echoed").bytes[20...]
    var encoder = MessageEncoder()
    encoder.beginMessage(type: .getRoute, flags: .request, sequence: 14)
    with(RouteMessage()) {
      $0.family = .ipv4
      $0.destination = "203.0.113.1"
      $0.destinationLength = 32
      $0.flags = [.lookupTable, .exactMatch]
    }.encode(into: &encoder)
    encoder.endMessage()
    #expect(encoder.bytes == Array(echoed))
  }

  @Test func `the recorded lookup is decoded as it was meant`() throws {
    let echoed = Array(try Fixture("error-request-echoed").bytes[36...])
    #expect(
      try RouteMessage(decoding: RawSpan(_elements: echoed.span), in: 0..<echoed.count)
        == with(RouteMessage()) {
          $0.family = .ipv4
          $0.destination = "203.0.113.1"
          $0.destinationLength = 32
          $0.flags = [.lookupTable, .exactMatch]
        })
  }

  @Test func `a lookup with all that it may have is encoded byte for byte`() {
    let bytes = payload {
      $0.family = .ipv6
      $0.destination = "fd00::1"
      $0.destinationLength = 128
      $0.source = "fd00::2"
      $0.sourceLength = 128
      $0.outputInterface = 3
      $0.mark = 0x10
      $0.userID = 1000
      $0.flags = .lookupTable
    }
    #expect(
      bytes == [
        10, 128, 128, 0, 0, 0, 0, 0, 0, 0x10, 0, 0,
        20, 0, 1, 0, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
        20, 0, 2, 0, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
        8, 0, 4, 0, 3, 0, 0, 0,
        8, 0, 16, 0, 0x10, 0, 0, 0,
        8, 0, 25, 0, 0xe8, 3, 0, 0,
      ])
  }
}
#endif
