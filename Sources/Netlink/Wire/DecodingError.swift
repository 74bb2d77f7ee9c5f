#if os(Linux)
/// Why bytes are not the message that they should be, and where.
package struct DecodingError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What is wrong.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The bytes end before the value does.
    package static var truncated: Code { Code(rawValue: "truncated") }
    /// A length field says less than its own header, or more than there is.
    package static var badLength: Code { Code(rawValue: "bad length") }
    /// A value has a size or a content that its kind can't have.
    package static var badValue: Code { Code(rawValue: "bad value") }
  }

  package var code: Code
  /// Where, in bytes from the start of the datagram.
  package var offset: Int

  package init(_ code: Code, at offset: Int) {
    self.code = code
    self.offset = offset
  }

  package var description: String { "\(code.rawValue) at byte \(offset)" }
}
#endif
