#if os(Linux)
import POSIX

/// The kernel's answer to one request of a batch.
package enum Answer: Equatable, Sendable {
  case message(Message)
  /// An error, or a success that has nothing to tell.
  case acknowledgement(Acknowledgement)

  init(_ message: Message, of bytes: RawSpan) throws(DecodingError) {
    if message.header.type == .error {
      self = .acknowledgement(try Acknowledgement(decoding: bytes, message))
    } else {
      self = .message(message)
    }
  }
}

/// The kernel's answer to one request: nothing, or an error number with its own text.
package struct Acknowledgement: Error, Equatable, Sendable {
  /// The error, or `nil` for success.
  package var error: Errno?
  /// The kernel's text (`NLMSGERR_ATTR_MSG`).
  package var text: String?

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
      if attribute.type == ErrorAttribute.text { text = try bytes.text(in: attribute.value) }
    }
  }
}

/// How far the answer to a request for a table has come.
struct DumpProgress {
  var messages = 0
  var isDone = false
  var isInterrupted = false
  var error: Errno?
  var text: String?

  mutating func note(_ message: Message, of bytes: RawSpan) throws(DecodingError) {
    messages += 1
    if message.header.flags.contains(.dumpInterrupted) { isInterrupted = true }
    switch message.header.type {
    case .done:
      isDone = true
      let (start, end) = (message.payload.lowerBound, message.payload.upperBound)
      // Since Linux 4.20 the end of a list tells how the listing went.
      guard end - start >= 4 else { return }
      let code = try bytes.integer(Int32.self, at: start, before: end)
      if code < 0, code > Int32.min { error = Errno(rawValue: -code) }
    case .error:
      let acknowledgement = try Acknowledgement(decoding: bytes, message)
      isDone = true
      error = acknowledgement.error
      text = acknowledgement.text
    default:
      break
    }
  }
}
#endif
