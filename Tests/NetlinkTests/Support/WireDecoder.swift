#if os(Linux)
@testable import Netlink

/// A decoder, run over a datagram whose bytes may be anything.
///
/// ``all`` is the one list of them: what must never trap is tested from here, and fuzzed by `scripts/fuzz`, which
/// compiles this file too.
struct WireDecoder: Sendable {
  let name: String
  /// Decodes the datagram in the range.
  ///
  /// Returns whether what was decoded is still the same after it was encoded and decoded again.
  let decode: @Sendable (RawSpan, Range<Int>) throws(DecodingError) -> Bool

  static let all = [
    WireDecoder(name: "MessageHeader") { bytes, range throws(DecodingError) in
      _ = try MessageHeader(decoding: bytes, in: range)
      return true
    },
    ofPayload("LinkMessage", LinkMessage.init) { $0.encode(into: &$1) },
    ofPayload("AddressMessage", AddressMessage.init) { $0.encode(into: &$1) },
    ofPayload("RouteMessage", RouteMessage.init) { $0.encode(into: &$1) },
    WireDecoder(name: "LookupReply") { bytes, range throws(DecodingError) in
      let start = min(range.lowerBound + MessageHeader.size, range.upperBound)
      _ = try LookupReply(decoding: bytes, in: start..<range.upperBound)
      return true
    },
    ofPayload("NeighbourMessage", NeighbourMessage.init) { $0.encode(into: &$1) },
    ofPayload("RuleMessage", RuleMessage.init) { $0.encode(into: &$1) },
    ofPayload("NexthopMessage", NexthopMessage.init) { $0.encode(into: &$1) },
    ofPayload("GenericHeader", GenericHeader.init) { $0.encode(into: &$1) },
    ofPayload("FamilyMessage", FamilyMessage.init) { $0.encode(into: &$1) },
    ofPayload("WirelessInterfaceMessage", WirelessInterfaceMessage.init) { $0.encode(into: &$1) },
    ofMessages("RouteEvent") { message, bytes throws(DecodingError) in
      try RouteEvent(message, of: bytes).survivesEncoding(as: message.header.type)
    },
    ofMessages("Answer") { message, bytes throws(DecodingError) in
      _ = try Answer(message, of: bytes)
      return true
    },
    ofMessages("Acknowledgement") { message, bytes throws(DecodingError) in
      _ = try Acknowledgement(decoding: bytes, message)
      return true
    },
  ]

  /// Returns whether the datagram is refused at a place that it has or lacks, or read into what survives being encoded.
  func copes(with datagram: [UInt8]) -> Bool {
    do throws(DecodingError) {
      return try decode(RawSpan(_elements: datagram.span), 0..<datagram.count)
    } catch {
      // What is missed first may lie behind bytes that nobody asks for: two of padding, or eight of a structure.
      return (0...datagram.count + 8).contains(error.offset)
    }
  }

  /// A decoder of what follows the first header, whatever the header says.
  private static func ofPayload<Value: Equatable & SendableMetatype>(
    _ name: String,
    _ decode: @escaping @Sendable (RawSpan, Range<Int>) throws(DecodingError) -> Value,
    _ encode: @escaping @Sendable (Value, inout MessageEncoder) -> Void
  ) -> WireDecoder {
    WireDecoder(name: name) { bytes, range throws(DecodingError) in
      let start = min(range.lowerBound + MessageHeader.size, range.upperBound)
      let value = try decode(bytes, start..<range.upperBound)
      var encoder = MessageEncoder()
      encode(value, &encoder)
      let encoded = RawSpan(_elements: encoder.bytes.span)
      return try decode(encoded, 0..<encoded.byteCount) == value
    }
  }

  /// A decoder of each of the datagram's messages.
  private static func ofMessages(
    _ name: String, _ decode: @escaping @Sendable (Message, RawSpan) throws(DecodingError) -> Bool
  ) -> WireDecoder {
    WireDecoder(name: name) { bytes, range throws(DecodingError) in
      var survives = true
      var reader = MessageReader(in: range)
      while let message = try reader.next(bytes) {
        if try !decode(message, bytes) { survives = false }
      }
      return survives
    }
  }
}

extension RouteEvent {
  /// Returns whether the event is still the same after it was encoded and decoded again.
  func survivesEncoding(as type: MessageType) throws(DecodingError) -> Bool {
    // Nothing of it was decoded.
    if case .other = self { return true }
    var encoder = MessageEncoder()
    encoder.beginMessage(type: type, flags: [], sequence: 0)
    encode(into: &encoder)
    encoder.endMessage()
    let bytes = RawSpan(_elements: encoder.bytes.span)
    var reader = MessageReader(in: 0..<bytes.byteCount)
    guard let message = try reader.next(bytes) else { return false }
    return try RouteEvent(message, of: bytes) == self
  }

  /// Appends the payload of the announcement.
  func encode(into encoder: inout MessageEncoder) {
    switch self {
    case .link(let message), .linkRemoved(let message): message.encode(into: &encoder)
    case .address(let message), .addressRemoved(let message): message.encode(into: &encoder)
    case .route(let message), .routeRemoved(let message): message.encode(into: &encoder)
    case .rule(let message), .ruleRemoved(let message): message.encode(into: &encoder)
    case .nexthop(let message), .nexthopRemoved(let message): message.encode(into: &encoder)
    case .nexthopBucket, .configuration, .other: break
    }
  }
}
#endif
