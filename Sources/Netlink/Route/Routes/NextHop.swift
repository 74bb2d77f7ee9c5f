#if os(Linux)
import InternetProtocol

/// One next hop of a multipath route.
package struct NextHop: Hashable, Sendable {
  package var flags: RouteFlags = []
  /// The share of the traffic, minus one.
  package var weight: UInt8 = 0
  package var outputInterface: Int32 = 0
  package var gateway: IPAddress?
  package var unknown: [RawAttribute] = []

  package init() {}

  //    0        1        2        3        4        5        6        7
  // 0 |     length      | flags  | weight |         output interface          |
  // 8   attributes …; the kernel structure is rtnexthop
  static func list(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) -> [NextHop] {
    var hops: [NextHop] = []
    var position = range.lowerBound
    while range.upperBound - position >= 8 {
      let length = Int(try bytes.integer(UInt16.self, at: position, before: range.upperBound))
      guard length >= 8, length <= range.upperBound - position else {
        throw DecodingError(.badLength, at: position)
      }
      hops.append(try NextHop(decoding: bytes, in: position..<position + length))
      position += length.alignedToNetlink
    }
    return hops
  }

  private init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    let (start, end) = (range.lowerBound, range.upperBound)
    flags = RouteFlags(rawValue: UInt32(try bytes.integer(UInt8.self, at: start + 2, before: end)))
    weight = try bytes.integer(at: start + 3, before: end)
    outputInterface = try bytes.integer(at: start + 4, before: end)
    var attributes = AttributeReader(in: start + 8..<end)
    while let attribute = try attributes.next(bytes) {
      switch attribute.type {
      case RouteAttribute.gateway: gateway = try bytes.address(in: attribute.value)
      case RouteAttribute.via: gateway = try bytes.via(in: attribute.value)
      default: unknown.append(try RawAttribute(attribute, of: bytes))
      }
    }
  }
}
#endif
