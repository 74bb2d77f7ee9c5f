#if os(Linux)
/// Why a conversation with the kernel failed.
package struct NetlinkError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// A system call failed; ``NetlinkError/errno`` tells why.
    package static var system: Code { Code(rawValue: "system call failed") }
    /// The kernel refused the request; ``NetlinkError/errno`` tells why.
    package static var refused: Code { Code(rawValue: "refused") }
    /// The table changed during each attempt to list it.
    package static var interrupted: Code { Code(rawValue: "the table never held still") }
    /// Messages were lost because the socket's buffer was full.
    package static var overrun: Code { Code(rawValue: "messages were lost") }
    /// The kernel did not answer within the socket's time limit.
    package static var timedOut: Code { Code(rawValue: "no answer") }
    /// The kernel's message could not be read.
    package static var malformed: Code { Code(rawValue: "malformed message") }
  }

  package var code: Code
  /// What was attempted, such as "list links".
  package var attempt: String
  package var errno: Errno?
  /// The kernel's own text (`NETLINK_EXT_ACK`), or what was wrong with its message.
  package var detail: String?

  package init(_ code: Code, attempt: String, errno: Errno? = nil, detail: String? = nil) {
    self.code = code
    self.attempt = attempt
    self.errno = errno
    self.detail = detail
  }

  /// Such as "could not list links: Operation not permitted".
  package var description: String {
    let cause = errno.map(\.description) ?? code.rawValue
    return "could not \(attempt): \(cause)" + (detail.map { " (\($0))" } ?? "")
  }
}

/// The kernel's answer to one request: nothing, or an error number with its own text.
package struct Acknowledgement: Equatable, Sendable {
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
      // NLMSGERR_ATTR_MSG
      if attribute.type == 1 { text = try bytes.text(in: attribute.value) }
    }
  }
}
#endif
