#if os(Linux)
import InternetProtocol

/// The answer to a lookup: the part of ``RouteMessage`` that decides about a packet, which is faster to decode.
///
/// The kernel message is `RTM_NEWROUTE`.
package struct LookupReply: Hashable, Sendable {
  package var kind: RouteKind
  package var flags: RouteFlags
  package var destinationLength: UInt8
  package var table: UInt32
  package var outputInterface: Int32?
  /// The next hop, from `RTA_GATEWAY` or, for one of another family, `RTA_VIA`.
  package var gateway: IPAddress?
  package var preferredSource: IPAddress?
  /// The metric, where the lowest wins; an IPv4 answer has it only for a matching entry.
  package var priority: UInt32 = 0
  /// The remaining lifetime in hundredths of a second; 0 if unlimited.
  package var expires: Int32 = 0
  package var nextHops: [NextHop] = []
  /// How the packets are wrapped, if they are.
  package var encapsulation: Encapsulation?

  // RouteMessage has the drawing.
  package init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    let (start, end) = (range.lowerBound, range.upperBound)
    destinationLength = try bytes.integer(at: start + 1, before: end)
    table = UInt32(try bytes.integer(UInt8.self, at: start + 4, before: end))
    kind = RouteKind(rawValue: try bytes.integer(at: start + 7, before: end))
    flags = RouteFlags(rawValue: try bytes.integer(at: start + 8, before: end))

    var encapsulationType: UInt16 = 0
    var details: Range<Int>?
    var attributes = AttributeReader(in: start + 12..<end)
    while let attribute = try attributes.next(bytes) {
      switch attribute.type {
      case RouteAttribute.outputInterface: outputInterface = try bytes.integer(in: attribute.value)
      case RouteAttribute.gateway: gateway = try bytes.address(in: attribute.value)
      case RouteAttribute.via: gateway = try bytes.via(in: attribute.value)
      case RouteAttribute.preferredSource: preferredSource = try bytes.address(in: attribute.value)
      case RouteAttribute.priority: priority = try bytes.integer(in: attribute.value)
      case RouteAttribute.table: table = try bytes.integer(in: attribute.value)
      case RouteAttribute.cacheInfo: expires = try CacheInfo.expires(decoding: bytes, in: attribute.value)
      case RouteAttribute.multipath: nextHops = try NextHop.list(decoding: bytes, in: attribute.value)
      case RouteAttribute.encapsulationType: encapsulationType = try bytes.integer(in: attribute.value)
      case RouteAttribute.encapsulation: details = attribute.value
      default: continue
      }
    }
    // The type follows what it describes.
    guard encapsulationType != 0 else { return }
    encapsulation = try Encapsulation(type: encapsulationType, decoding: bytes, in: details ?? end..<end)
  }
}
#endif
