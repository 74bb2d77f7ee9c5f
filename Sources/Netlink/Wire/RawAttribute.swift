#if os(Linux)
/// An attribute that this module does not interpret, with its bytes as received.
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
#endif
