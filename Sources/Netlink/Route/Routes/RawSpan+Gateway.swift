#if os(Linux)
import InternetProtocol

extension RawSpan {
  /// Decodes a gateway of any family: two bytes of family, then the address.
  ///
  /// The kernel structure is `rtvia`.
  func via(in range: Range<Int>) throws(DecodingError) -> IPAddress {
    guard range.count >= 2 else { throw DecodingError(.badValue, at: range.lowerBound) }
    return try address(in: range.lowerBound + 2..<range.upperBound)
  }
}
#endif
