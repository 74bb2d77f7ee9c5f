#if os(Linux)
/// A family of generic netlink with its message type and name.
///
/// The kernel message is `CTRL_CMD_NEWFAMILY`.
package struct FamilyMessage: Hashable, Sendable {
  package var header: GenericHeader
  /// The type of the family's messages.
  package var id: UInt16?
  package var name: String?

  package init(id: UInt16?, name: String?) {
    header = GenericHeader(.newFamily, version: 2)
    self.id = id
    self.name = name
  }

  package init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    header = try GenericHeader(decoding: bytes, in: range)
    var attributes = AttributeReader(in: range.lowerBound + GenericHeader.size..<range.upperBound)
    while let attribute = try attributes.next(bytes) {
      switch attribute.type {
      case FamilyAttribute.id: id = try bytes.integer(in: attribute.value)
      case FamilyAttribute.name: name = try bytes.text(in: attribute.value)
      default: continue
      }
    }
  }
}
#endif
