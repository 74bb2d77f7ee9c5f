#if os(Linux)
/// The kernel's answer to one request.
package enum Answer: Equatable, Sendable {
  case message(Message)
  /// An error, or a success without content.
  case acknowledgement(Acknowledgement)

  package init(_ message: Message, of bytes: RawSpan) throws(DecodingError) {
    if message.header.type == .error {
      self = .acknowledgement(try Acknowledgement(decoding: bytes, message))
    } else {
      self = .message(message)
    }
  }
}
#endif
