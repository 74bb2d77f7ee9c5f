#if os(Linux)
import InternetProtocol

/// One of the ways of a multipath route.
package struct NextHop: Hashable, Sendable {
  package var flags: RouteFlags = []
  /// How much of the traffic goes this way, less one.
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

  func encode(into encoder: inout MessageEncoder, family: AddressFamily) {
    var own = MessageEncoder()
    if let gateway { own.appendGateway(gateway, family: family) }
    own.append(unknown)
    encoder.append(UInt16(8 + own.bytes.count))
    encoder.append(UInt8(truncatingIfNeeded: flags.rawValue))
    encoder.append(weight)
    encoder.append(outputInterface)
    encoder.append(own)
  }
}

/// What the kernel remembers about the use of a route; the structure is `rta_cacheinfo`.
package struct CacheInfo: Hashable, Sendable {
  /// References to the route, and hundredths of a second since it was used last.
  package var references: UInt32
  package var lastUse: UInt32
  /// How long the route still lives, in hundredths of a second; 0 for ever (or, for IPv4, never known).
  package var expires: Int32
  /// The error that a packet gets, as a negative error number's magnitude, or 0.
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

  /// Reads only how long the route still lives.
  static func expires(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) -> Int32 {
    try bytes.integer(at: range.lowerBound + 8, before: range.upperBound)
  }

  func encode(into encoder: inout MessageEncoder) {
    encoder.append(references)
    encoder.append(lastUse)
    encoder.append(expires)
    encoder.append(error)
    encoder.append(used)
    encoder.append(identifier)
    encoder.append(timestamp)
    encoder.append(timestampAge)
  }
}
#endif
