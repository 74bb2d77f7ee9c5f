#if os(Linux)
import POSIX

/// The kernel's verdict on one request: success, or an error number with the kernel's text.
///
/// The kernel message is `NLMSG_ERROR`.
package struct Acknowledgement: Error, Equatable, Sendable {
  /// The error, or `nil` for success.
  package var error: Errno?
  /// The kernel's text, `NLMSGERR_ATTR_MSG`.
  package var text: String?

  /// `NLMSGERR_ATTR_MSG`.
  private static var textAttribute: UInt16 { 1 }

  //    0        1        2        3        4        5        6        7
  // 0 |          error (negative)         | the request's header, 16 bytes, or the
  //   whole request unless the flag "capped" is set; then attributes
  package init(decoding bytes: RawSpan, _ message: Message) throws(DecodingError) {
    let (start, end) = (message.payload.lowerBound, message.payload.upperBound)
    let code = try bytes.integer(Int32.self, at: start, before: end)
    // Int32.min has no positive counterpart.
    guard code <= 0, code > .min else { throw DecodingError(.badValue, at: start) }
    error = code == 0 ? nil : Errno(rawValue: -code)
    guard message.header.flags.contains(.errorAttributes) else { return }

    var position = start + 4 + MessageHeader.size
    if !message.header.flags.contains(.capped) {
      let length = Int(try bytes.integer(UInt32.self, at: start + 4, before: end))
      guard length >= MessageHeader.size, length <= end - start - 4 else {
        throw DecodingError(.badLength, at: start + 4)
      }
      position = start + 4 + length.alignedToNetlink
    }
    guard position <= end else { return }
    var attributes = AttributeReader(in: position..<end)
    while let attribute = try attributes.next(bytes) {
      if attribute.type == Self.textAttribute { text = try bytes.text(in: attribute.value) }
    }
  }
}
#endif
