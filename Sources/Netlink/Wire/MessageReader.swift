#if os(Linux)
/// An iterator over the messages of a datagram.
///
/// The reader holds positions, not bytes; every call takes the same bytes.
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
#endif
