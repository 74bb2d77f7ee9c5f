// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import NetlinkSupport
import Testing
@testable import Netlink

@Suite(.deadline) struct RecordedMessageTests {
  @Test func `every recording has an expectation`() throws {
    #expect(try Expectation.all.map { $0.fixture }.sorted() == Fixture.names())
  }

  @Test(arguments: Expectation.all)
  func `a recorded message is decoded completely`(_ expected: Expectation) throws {
    let fixture = try Fixture(expected.fixture)
    let header = try MessageHeader(
      decoding: RawSpan(_elements: fixture.bytes.span), in: 0..<fixture.bytes.count)
    #expect(header == expected.header)
    #expect(
      try Expectation.Content(decoding: fixture.bytes, from: expected.sender) == expected.content(fixture))
  }

  @Test(arguments: Expectation.all)
  func `a recorded message survives encoding`(_ expected: Expectation) throws {
    let fixture = try Fixture(expected.fixture)
    let decoder = try WireDecoder.named(expected.sender.decoder)
    #expect(try decoder.decode(RawSpan(_elements: fixture.bytes.span), 0..<fixture.bytes.count))
  }

  @Test(arguments: Expectation.all)
  func `a truncated recorded message is refused at the first missing byte`(_ expected: Expectation)
    throws
  {
    let fixture = try Fixture(expected.fixture)
    for count in 1..<fixture.bytes.count {
      let cut = Array(fixture.bytes[0..<count])
      // The header's fields are at 0, 4, 6, 8 and 12; once all are present, the length is wrong.
      let missed = [(0, 4), (4, 6), (6, 8), (8, 12), (12, 16)].first { $0.1 > count }
      let error = missed.map { DecodingError(.truncated, at: $0.0) } ?? DecodingError(.badLength, at: 0)
      #expect(outcome(of: cut, from: expected.sender) == .refused(error), "cut after \(count) bytes")
    }
  }

  @Test(arguments: Expectation.all)
  func `a shortened message with a corrected length is refused at the cut, or valid`(
    _ expected: Expectation
  ) throws {
    let fixture = try Fixture(expected.fixture)
    for count in MessageHeader.size..<fixture.bytes.count {
      var cut = Array(fixture.bytes[0..<count])
      cut.replaceSubrange(0..<4, with: littleEndian(UInt32(count)))
      let error = fixture.missed(after: count)
      #expect(
        outcome(of: cut, from: expected.sender) == error.map(Outcome.refused) ?? .decoded,
        "cut after \(count) bytes")
    }
  }

  @Test(arguments: Expectation.all)
  func `every decoder refuses or decodes every piece of a recorded message`(_ expected: Expectation) throws {
    let bytes = try Fixture(expected.fixture).bytes
    var trouble: [String] = []
    // Every third length, another third for each decoder: scripts/fuzz tries others.
    for (position, decoder) in WireDecoder.all.enumerated() {
      for count in stride(from: position % 3, through: bytes.count, by: 3) {
        let cut = Array(bytes[0..<count])
        if !decoder.copes(with: cut) { trouble.append("\(decoder.name), cut after \(count) bytes") }
      }
    }
    #expect(trouble == [])
  }

  // Slow: about 50,000 decodings without optimisation.
  @Test(arguments: Expectation.all)
  func `any one-byte change is refused, or decoded to a value that survives encoding`(
    _ expected: Expectation
  ) throws {
    let fixture = try Fixture(expected.fixture)
    let suitable =
      switch expected.header.type {
      case .error: ["Answer", "Acknowledgement"]
      case .newRoute: ["Answer", "RouteEvent", "RouteMessage"]
      default: ["Answer", expected.sender.decoder]
      }
    let decoders = try suitable.map(WireDecoder.named)
    var bytes = fixture.bytes
    var trouble: [String] = []
    for index in bytes.indices {
      let original = bytes[index]
      // One bit of each byte, another one in the next byte, or all: scripts/fuzz tries others.
      let changed = index % 2 == 0 ? original ^ 1 << UInt8(index / 2 % 8) : 0xff
      bytes[index] = changed
      for decoder in decoders where !decoder.copes(with: bytes) {
        trouble.append("\(decoder.name), byte \(index) is \(changed)")
      }
      bytes[index] = original
    }
    #expect(trouble == [])
  }
}

extension RecordedMessageTests {
  private enum Outcome: Equatable {
    case decoded
    case refused(DecodingError)
  }

  private func outcome(of datagram: [UInt8], from sender: Expectation.Sender) -> Outcome? {
    do {
      _ = try Expectation.Content(decoding: datagram, from: sender)
      return .decoded
    } catch let error as DecodingError {
      return .refused(error)
    } catch {
      return nil
    }
  }
}

extension Expectation.Sender {
  /// The name of the decoder for this sender's messages.
  fileprivate var decoder: String {
    switch self {
    case .routes: "RouteEvent"
    case .families: "FamilyMessage"
    case .radios: "WirelessInterfaceMessage"
    case .neighbours: "NeighbourMessage"
    case .sockets: "SocketMessage"
    case .counters: "StatisticsMessage"
    case .traces: "TraceMessage"
    case .filterRules: "FilterRule"
    case .filterChains: "FilterChain"
    }
  }
}

extension Fixture {
  /// The first missing byte if the message, with a corrected length, ends after `count` bytes; `nil` if none.
  fileprivate func missed(after count: Int) -> DecodingError? {
    // The decoder reads only the header of these, or the header and the family.
    guard !name.hasPrefix("netconf"), !name.hasPrefix("nexthop"), name != "done",
      name != "link-bridge-port" || count == MessageHeader.size
    else { return nil }
    for field in fields where field.range.lowerBound >= MessageHeader.size {
      if field.isAttribute {
        let start = field.range.lowerBound
        let end = start + statedLength(of: field)
        // Fewer than four bytes are padding.
        if start + 4 <= count, count < end { return DecodingError(.badLength, at: start) }
      } else if !["reserved", "padding", "request", "ifa_scope"].contains(field.name),
        field.range.upperBound > count
      {
        return DecodingError(.truncated, at: field.range.lowerBound)
      }
    }
    // The first attribute is the address.
    if name.hasPrefix("address"), let first = fields.first(where: \.isAttribute),
      count < first.range.lowerBound + 4
    {
      return DecodingError(.badValue, at: MessageHeader.size + 1)
    }
    return nil
  }
}
#endif
