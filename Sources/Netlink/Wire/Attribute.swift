// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol

/// One attribute of a message: its type and the range of its value.
package struct Attribute: Equatable, Sendable {
  /// The type, without the flags for nesting and byte order.
  package var type: UInt16
  package var value: Range<Int>
}

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

extension RawSpan {
  /// Reads an integer in the machine's byte order, which netlink uses for all values except addresses.
  package func integer<Value: FixedWidthInteger & BitwiseCopyable>(
    _: Value.Type = Value.self, at offset: Int, before end: Int
  ) throws(DecodingError) -> Value {
    guard offset >= 0, end <= byteCount, end - offset >= MemoryLayout<Value>.size else {
      throw DecodingError(.truncated, at: offset)
    }
    // The guard checked the bounds, and any bit pattern is an integer.
    return unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: Value.self)
  }

  /// Reads an integer whose size is exactly that of the range.
  package func integer<Value: FixedWidthInteger & BitwiseCopyable>(
    _: Value.Type = Value.self, in range: Range<Int>
  ) throws(DecodingError) -> Value {
    guard range.count == MemoryLayout<Value>.size else {
      throw DecodingError(.badValue, at: range.lowerBound)
    }
    return try integer(at: range.lowerBound, before: range.upperBound)
  }

  /// Reads an address whose size is exactly that of the range: 4 or 16 bytes in network order.
  func address(in range: Range<Int>) throws(DecodingError) -> ReachabilityAddress {
    switch range.count {
    case 4:
      return .v4(.init(rawValue: UInt32(bigEndian: try integer(in: range))))
    case 16:
      let high = UInt64(bigEndian: try integer(at: range.lowerBound, before: range.upperBound))
      let low = UInt64(bigEndian: try integer(at: range.lowerBound + 8, before: range.upperBound))
      return .v6(.init(rawValue: UInt128(high) << 64 | UInt128(low)))
    default:
      throw DecodingError(.badValue, at: range.lowerBound)
    }
  }

  /// Copies the bytes of the range.
  package func bytes(in range: Range<Int>) throws(DecodingError) -> [UInt8] {
    guard range.lowerBound >= 0, range.upperBound <= byteCount else {
      throw DecodingError(.truncated, at: range.lowerBound)
    }
    return unsafe extracting(range).withUnsafeBytes { unsafe Array($0) }
  }

  /// Whether the bytes at an offset equal other bytes.
  func isEqual(to other: RawSpan, at offset: Int) -> Bool {
    let count = other.byteCount
    guard offset >= 0, byteCount - offset >= count else { return false }
    var position = 0
    // The guard checked the bounds.
    while position + 8 <= count {
      let own = unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset + position, as: UInt64.self)
      guard unsafe own == other.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self) else {
        return false
      }
      position += 8
    }
    while position < count {
      let own = unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset + position, as: UInt8.self)
      guard unsafe own == other.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt8.self) else {
        return false
      }
      position += 1
    }
    return true
  }

  /// Reads text up to the first zero byte or the end of the range; invalid UTF-8 is replaced.
  package func text(in range: Range<Int>) throws(DecodingError) -> String {
    String(decoding: try bytes(in: range).prefix { $0 != 0 }, as: UTF8.self)
  }

  /// Reads an interface name up to the first zero byte or the end of the range.
  func name(in range: Range<Int>) throws(DecodingError) -> InterfaceName {
    InterfaceName(bytes: try bytes(in: range).prefix { $0 != 0 })
  }
}

extension Int {
  /// The next multiple of four; netlink pads messages and attributes to it.
  var alignedToNetlink: Int { (self + 3) & ~3 }
}
#endif
