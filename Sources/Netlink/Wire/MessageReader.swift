#if os(Linux)
/// One message of a datagram: its header and where its payload lies.
package struct Message: Equatable, Sendable {
  package var header: MessageHeader
  package var payload: Range<Int>
}

/// Walks over the messages of a datagram.
///
/// The reader holds positions, not bytes; the same bytes go into each call.
package struct MessageReader: Sendable {
  private var position: Int
  private let end: Int

  package init(in range: Range<Int>) {
    position = range.lowerBound
    end = range.upperBound
  }

  /// Returns the next message, or `nil` at the end.
  package mutating func next(_ bytes: RawSpan) throws(DecodingError) -> Message? {
    guard position < end else { return nil }
    let header = try MessageHeader(decoding: bytes, in: position..<end)
    let payload = position + MessageHeader.size..<position + header.length
    // The last message of a datagram may lack its padding.
    position = min(position + header.length.alignedToNetlink, end)
    return Message(header: header, payload: payload)
  }
}

/// One attribute of a message: its number and where its value lies.
package struct Attribute: Equatable, Sendable {
  /// The number, without the flags for nesting and byte order.
  package var type: UInt16
  package var value: Range<Int>
}

/// Walks over the attributes in a range of bytes.
///
///      0        1        2        3        4 …
///     0 |     length      |      type       | value, padded to four bytes
///
/// The kernel structure is `nlattr`; the length counts its own four bytes.
package struct AttributeReader: Sendable {
  private var position: Int
  private let end: Int

  package init(in range: Range<Int>) {
    position = range.lowerBound
    end = range.upperBound
  }

  /// Returns the next attribute, or `nil` at the end.
  package mutating func next(_ bytes: RawSpan) throws(DecodingError) -> Attribute? {
    // Fewer bytes than an attribute's header at the end are padding, as in the kernel's own nla_ok.
    guard end - position >= 4 else { return nil }
    let length = Int(try bytes.integer(UInt16.self, at: position, before: end))
    let type = try bytes.integer(UInt16.self, at: position + 2, before: end)
    guard length >= 4, length <= end - position else { throw DecodingError(.badLength, at: position) }
    let value = position + 4..<position + length
    position = min(position + length.alignedToNetlink, end)
    return Attribute(type: type & 0x3fff, value: value)
  }
}

/// An attribute that this module has no meaning for, kept as it came.
package struct RawAttribute: Hashable, Sendable {
  package var type: UInt16
  package var value: [UInt8]

  package init(type: UInt16, value: [UInt8]) {
    self.type = type
    self.value = value
  }

  package init(_ attribute: Attribute, of bytes: RawSpan) throws(DecodingError) {
    type = attribute.type
    value = try bytes.bytes(in: attribute.value)
  }
}

extension Int {
  /// The next multiple of four, to which netlink pads messages and attributes.
  var alignedToNetlink: Int { (self + 3) & ~3 }
}
#endif
