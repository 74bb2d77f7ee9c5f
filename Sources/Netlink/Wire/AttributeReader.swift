#if os(Linux)
/// An iterator over the attributes in a range of bytes.
///
///      0        1        2        3        4 …
///     0 |     length      |      type       | value, padded to four bytes
///
/// The kernel structure is `nlattr`; the length includes its own four bytes.
package struct AttributeReader: Sendable {
  private var position: Int
  private let end: Int

  /// The bits of the type, without `NLA_F_NESTED` and `NLA_F_NET_BYTEORDER`; `NLA_TYPE_MASK`.
  private static var typeMask: UInt16 { 0x3fff }

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
    return Attribute(type: type & Self.typeMask, value: value)
  }
}
#endif
