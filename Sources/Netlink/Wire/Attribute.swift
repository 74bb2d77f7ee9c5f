#if os(Linux)
/// One attribute of a message: its type and the range of its value.
package struct Attribute: Equatable, Sendable {
  /// The type, without the flags for nesting and byte order.
  package var type: UInt16
  package var value: Range<Int>
}
#endif
