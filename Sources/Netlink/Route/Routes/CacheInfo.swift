#if os(Linux)
/// Statistics and lifetime of a route; the kernel structure is `rta_cacheinfo`.
package struct CacheInfo: Hashable, Sendable {
  /// The number of references, and the hundredths of a second since the last use.
  package var references: UInt32
  package var lastUse: UInt32
  /// The remaining lifetime in hundredths of a second; 0 if unlimited, or for IPv4 if unknown.
  package var expires: Int32
  /// The error number for packets, negated, or 0.
  package var error: UInt32
  package var used: UInt32
  package var identifier: UInt32
  package var timestamp: UInt32
  package var timestampAge: UInt32

  //    0        1        2        3        4        5        6        7
  // 0 |            references             |             last use              |
  // 8 |              expires              |               error               |
  // 16|               used                |            identifier             |
  // 24|             timestamp             |           timestamp age           |
  init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    let (start, end) = (range.lowerBound, range.upperBound)
    references = try bytes.integer(at: start, before: end)
    lastUse = try bytes.integer(at: start + 4, before: end)
    expires = try bytes.integer(at: start + 8, before: end)
    error = try bytes.integer(at: start + 12, before: end)
    used = try bytes.integer(at: start + 16, before: end)
    identifier = try bytes.integer(at: start + 20, before: end)
    timestamp = try bytes.integer(at: start + 24, before: end)
    timestampAge = try bytes.integer(at: start + 28, before: end)
  }

  /// Decodes the remaining lifetime alone.
  static func expires(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) -> Int32 {
    try bytes.integer(at: range.lowerBound + 8, before: range.upperBound)
  }
}
#endif
