// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink
import PacketTrace

/// A decoder of arbitrary bytes.
///
/// ``all`` is the only table of decoders. The tests use it, and so does `scripts/fuzz`, which compiles this folder.
package struct WireDecoder: Sendable {
  package let name: String
  /// Decodes the datagram in the range.
  ///
  /// Returns whether the value survives encoding and decoding.
  package let decode: @Sendable (RawSpan, Range<Int>) throws(DecodingError) -> Bool

  package static let all = [
    WireDecoder(name: "MessageHeader") { bytes, range throws(DecodingError) in
      _ = try MessageHeader(decoding: bytes, in: range)
      return true
    },
    ofPayload("LinkMessage", LinkMessage.init) { $0.encode(into: &$1) },
    ofPayload("AddressMessage", AddressMessage.init) { $0.encode(into: &$1) },
    ofPayload("RouteMessage", RouteMessage.init) { $0.encode(into: &$1) },
    ofPayload("NeighbourMessage", NeighbourMessage.init) { $0.encode(into: &$1) },
    ofPayload("RouterOption", RouterOption.init) { $0.encode(into: &$1) },
    ofPayload("Rule", Rule.init(decoding:in:)) { $0.encode(into: &$1) },
    ofPayload("PolicyMessage") { bytes, range throws(DecodingError) in
      _ = try PolicyMessage(decoding: bytes, in: range)
    },
    ofPayload("SocketMessage", SocketMessage.init) { $0.encode(into: &$1) },
    ofPayload("StatisticsMessage", StatisticsMessage.init) { $0.encode(into: &$1) },
    ofPayload("GenericHeader", GenericHeader.init) { $0.encode(into: &$1) },
    ofPayload("FamilyMessage", FamilyMessage.init) { $0.encode(into: &$1) },
    ofPayload("WirelessInterfaceMessage", WirelessInterfaceMessage.init) { $0.encode(into: &$1) },
    ofPayload("TraceMessage", TraceMessage.init) { $0.encode(into: &$1) },
    ofPayload("FilterRule") { bytes, range throws(DecodingError) in
      _ = try FilterRule(decoding: bytes, in: range)
    },
    ofPayload("FilterChain") { bytes, range throws(DecodingError) in
      _ = try FilterChain(decoding: bytes, in: range)
    },
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

  /// Returns whether the datagram is refused at a plausible offset, or decoded to a value that survives encoding.
  package func copes(with datagram: [UInt8]) -> Bool {
    do throws(DecodingError) {
      return try decode(RawSpan(_elements: datagram.span), 0..<datagram.count)
    } catch {
      // The first missing byte may follow skipped ones: two of padding, or eight of a structure.
      return (0...datagram.count + 8).contains(error.offset)
    }
  }

  /// A decoder of the bytes after the first header, regardless of the header.
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
      let encoded = encoder.bytes
      let span = RawSpan(_elements: encoded.span)
      return try decode(span, 0..<span.byteCount) == value
    }
  }

  /// A decoder of the bytes after the first header, whose value has less than they say.
  private static func ofPayload(
    _ name: String, _ decode: @escaping @Sendable (RawSpan, Range<Int>) throws(DecodingError) -> Void
  ) -> WireDecoder {
    WireDecoder(name: name) { bytes, range throws(DecodingError) in
      let start = min(range.lowerBound + MessageHeader.size, range.upperBound)
      try decode(bytes, start..<range.upperBound)
      return true
    }
  }

  /// A decoder of every message in the datagram.
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
  /// Returns whether the event survives encoding and decoding.
  fileprivate func survivesEncoding(as type: MessageType) throws(DecodingError) -> Bool {
    // Such an event has no content.
    if case .other = self { return true }
    var encoder = MessageEncoder()
    encoder.beginMessage(type: type, flags: flags, sequence: 0)
    encode(into: &encoder)
    encoder.endMessage()
    let encoded = encoder.bytes
    let bytes = RawSpan(_elements: encoded.span)
    var reader = MessageReader(in: 0..<bytes.byteCount)
    guard let message = try reader.next(bytes) else { return false }
    return try RouteEvent(message, of: bytes) == self
  }
}
#endif
