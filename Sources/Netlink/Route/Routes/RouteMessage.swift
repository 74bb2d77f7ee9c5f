#if os(Linux)
import InternetProtocol

/// A route: an entry of a table, or the answer to a lookup.
///
/// The kernel messages are `RTM_NEWROUTE`, `RTM_DELROUTE` and `RTM_GETROUTE`.
package struct RouteMessage: Hashable, Sendable {
  package var family: AddressFamily = .unspecified
  package var destinationLength: UInt8 = 0
  package var sourceLength: UInt8 = 0
  package var typeOfService: UInt8 = 0
  /// The number of the table, from `RTA_TABLE`, which extends the header's eight bits.
  package var table: UInt32 = 0
  /// The origin of the route, `RTPROT_…`.
  package var origin: UInt8 = 0
  package var scope: UInt8 = 0
  package var kind: RouteKind = .unspecified
  package var flags: RouteFlags = []
  package var destination: IPAddress?
  package var source: IPAddress?
  package var inputInterface: Int32?
  package var outputInterface: Int32?
  /// The next hop, from `RTA_GATEWAY` or, for one of another family, `RTA_VIA`.
  package var gateway: IPAddress?
  package var preferredSource: IPAddress?
  package var priority: UInt32?
  package var mark: UInt32?
  package var userID: UInt32?
  package var nextHopID: UInt32?
  package var nextHops: [NextHop] = []
  package var cacheInfo: CacheInfo?
  package var unknown: [RawAttribute] = []

  package init() {}

  /// The range of destinations, or `nil` if the length is invalid.
  package var prefix: IPPrefix? {
    let length = Int(destinationLength)
    if let destination { return IPPrefix(destination, length: length) }
    switch family {
    case .ipv4: return IPPrefix(.v4(.init(rawValue: 0)), length: length)
    case .ipv6: return IPPrefix(.v6(.init(rawValue: 0)), length: length)
    default: return nil
    }
  }

  //    0        1        2        3        4        5        6        7
  // 0 | family |dst len |src len |  tos   | table  | origin | scope  |  kind  |
  // 8 |               flags               | attributes …
  package init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    let (start, end) = (range.lowerBound, range.upperBound)
    family = AddressFamily(rawValue: try bytes.integer(at: start, before: end))
    destinationLength = try bytes.integer(at: start + 1, before: end)
    sourceLength = try bytes.integer(at: start + 2, before: end)
    typeOfService = try bytes.integer(at: start + 3, before: end)
    table = UInt32(try bytes.integer(UInt8.self, at: start + 4, before: end))
    origin = try bytes.integer(at: start + 5, before: end)
    scope = try bytes.integer(at: start + 6, before: end)
    kind = RouteKind(rawValue: try bytes.integer(at: start + 7, before: end))
    flags = RouteFlags(rawValue: try bytes.integer(at: start + 8, before: end))

    var attributes = AttributeReader(in: start + 12..<end)
    while let attribute = try attributes.next(bytes) {
      switch attribute.type {
      case RouteAttribute.table: table = try bytes.integer(in: attribute.value)
      case RouteAttribute.destination: destination = try bytes.address(in: attribute.value)
      case RouteAttribute.source: source = try bytes.address(in: attribute.value)
      case RouteAttribute.inputInterface: inputInterface = try bytes.integer(in: attribute.value)
      case RouteAttribute.outputInterface: outputInterface = try bytes.integer(in: attribute.value)
      case RouteAttribute.gateway: gateway = try bytes.address(in: attribute.value)
      case RouteAttribute.via: gateway = try bytes.via(in: attribute.value)
      case RouteAttribute.preferredSource: preferredSource = try bytes.address(in: attribute.value)
      case RouteAttribute.priority: priority = try bytes.integer(in: attribute.value)
      case RouteAttribute.mark: mark = try bytes.integer(in: attribute.value)
      case RouteAttribute.userID: userID = try bytes.integer(in: attribute.value)
      case RouteAttribute.nextHopID: nextHopID = try bytes.integer(in: attribute.value)
      case RouteAttribute.cacheInfo: cacheInfo = try CacheInfo(decoding: bytes, in: attribute.value)
      case RouteAttribute.multipath: nextHops = try NextHop.list(decoding: bytes, in: attribute.value)
      default: unknown.append(try RawAttribute(attribute, of: bytes))
      }
    }
  }
}
#endif
