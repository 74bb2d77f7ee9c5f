#if os(Linux)
/// The header of every netlink message.
///
///      0        1        2        3        4        5        6        7
///     0 |              length               |      type       |      flags      |
///     8 |             sequence              |               port                |
///
/// The kernel structure is `nlmsghdr`.
package struct MessageHeader: Equatable, Sendable {
  package static let size = 16

  /// The length of the message in bytes, including this header and excluding the padding after it.
  package var length: Int
  package var type: MessageType
  package var flags: MessageFlags
  package var sequence: UInt32
  /// The netlink port of the receiving process.
  package var port: UInt32

  package init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    let (start, end) = (range.lowerBound, range.upperBound)
    length = Int(try bytes.integer(UInt32.self, at: start, before: end))
    type = MessageType(rawValue: try bytes.integer(at: start + 4, before: end))
    flags = MessageFlags(rawValue: try bytes.integer(at: start + 6, before: end))
    sequence = try bytes.integer(at: start + 8, before: end)
    port = try bytes.integer(at: start + 12, before: end)
    guard length >= Self.size, length <= range.count else { throw DecodingError(.badLength, at: start) }
  }
}
#endif
