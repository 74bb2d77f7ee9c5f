#if os(Linux)
import InternetProtocol

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
  package func address(in range: Range<Int>) throws(DecodingError) -> IPAddress {
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
  package func isEqual(to other: RawSpan, at offset: Int) -> Bool {
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
  package func name(in range: Range<Int>) throws(DecodingError) -> InterfaceName {
    InterfaceName(bytes: try bytes(in: range).prefix { $0 != 0 })
  }
}
#endif
