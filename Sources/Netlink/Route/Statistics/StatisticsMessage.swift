#if os(Linux)
/// The packet counters of a link.
///
/// The kernel messages are `RTM_NEWSTATS` and `RTM_GETSTATS`.
package struct StatisticsMessage: Hashable, Sendable {
  /// The index of the link.
  package var index: Int32 = 0
  /// The groups of counters that the message contains, or that a request asks for.
  package var groups: UInt32 = 0
  /// The numbers of packets; missing if the message has no such group.
  package var received: UInt64?
  package var sent: UInt64?

  package init() {}

  //    0        1        2        3        4        5        6        7
  // 0 | family |           (pad)          |               index               |
  // 8 |               groups              | attributes …
  package init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    let (start, end) = (range.lowerBound, range.upperBound)
    index = try bytes.integer(at: start + 4, before: end)
    groups = try bytes.integer(at: start + 8, before: end)
    var attributes = AttributeReader(in: start + 12..<end)
    while let attribute = try attributes.next(bytes) {
      guard attribute.type == Self.counters else { continue }
      let (start, end) = (attribute.value.lowerBound, attribute.value.upperBound)
      received = try bytes.integer(at: start, before: end)
      sent = try bytes.integer(at: start + 8, before: end)
    }
  }

  /// `IFLA_STATS_LINK_64`, the structure `rtnl_link_stats64`.
  package static var counters: UInt16 { 1 }
  /// The bit of this group.
  package static var countersGroup: UInt32 { 1 << (UInt32(counters) - 1) }
}
#endif
