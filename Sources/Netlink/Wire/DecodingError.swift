#if os(Linux)
/// A violation of the wire format, with its place in the datagram.
package struct DecodingError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of violation.
  package enum Code: String, Sendable {
    /// The bytes end before the value does.
    case truncated
    /// A length field is smaller than its own header, or exceeds the available bytes.
    case badLength = "bad length"
    /// A value has a size or content that its kind cannot have.
    case badValue = "bad value"
  }

  package var code: Code
  /// The offset in bytes from the start of the datagram.
  package var offset: Int

  package init(_ code: Code, at offset: Int) {
    self.code = code
    self.offset = offset
  }

  package var description: String { "\(code.rawValue) at byte \(offset)" }
}
#endif
