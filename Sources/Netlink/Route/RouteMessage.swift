#if os(Linux)
import InternetProtocol

/// A route: an entry of a table, or the question and the answer of a lookup.
///
/// The kernel messages are `RTM_NEWROUTE`, `RTM_DELROUTE` and `RTM_GETROUTE`.
package struct RouteMessage: Hashable, Sendable {
  package var family: AddressFamily = .unspecified
  package var destinationLength: UInt8 = 0
  package var sourceLength: UInt8 = 0
  package var typeOfService: UInt8 = 0
  /// The table's number; the header's eight bits are too few, so `RTA_TABLE` extends them.
  package var table: UInt32 = 0
  /// Who made the route, `RTPROT_…`.
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
  package var nexthopID: UInt32?
  package var nextHops: [NextHop] = []
  package var cacheInfo: CacheInfo?
  package var unknown: [RawAttribute] = []

  /// What the header says of a table whose number is too large for it, `RT_TABLE_COMPAT`.
  static var compatibleTable: UInt8 { 252 }

  package init() {}

  /// The range of destinations, or `nil` if the lengths make no sense.
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
      case RouteAttribute.nexthopID: nexthopID = try bytes.integer(in: attribute.value)
      case RouteAttribute.cacheInfo: cacheInfo = try CacheInfo(decoding: bytes, in: attribute.value)
      case RouteAttribute.multipath: nextHops = try NextHop.list(decoding: bytes, in: attribute.value)
      default: unknown.append(try RawAttribute(attribute, of: bytes))
      }
    }
  }

  /// Appends the message's payload.
  package func encode(into encoder: inout MessageEncoder) {
    encoder.append(family.rawValue)
    encoder.append(destinationLength)
    encoder.append(sourceLength)
    encoder.append(typeOfService)
    encoder.append(table < 256 ? UInt8(table) : RouteMessage.compatibleTable)
    encoder.append(origin)
    encoder.append(scope)
    encoder.append(kind.rawValue)
    encoder.append(flags.rawValue)
    // A strict kernel refuses the attribute in a lookup, and a request without a table needs none.
    if table != 0 { encoder.attribute(RouteAttribute.table, integer: table) }
    if let destination { encoder.attribute(RouteAttribute.destination, address: destination) }
    if let source { encoder.attribute(RouteAttribute.source, address: source) }
    if let inputInterface { encoder.attribute(RouteAttribute.inputInterface, integer: inputInterface) }
    if let outputInterface { encoder.attribute(RouteAttribute.outputInterface, integer: outputInterface) }
    if let gateway { encoder.appendGateway(gateway, family: family) }
    if let preferredSource { encoder.attribute(RouteAttribute.preferredSource, address: preferredSource) }
    if let priority { encoder.attribute(RouteAttribute.priority, integer: priority) }
    if let mark { encoder.attribute(RouteAttribute.mark, integer: mark) }
    if let userID { encoder.attribute(RouteAttribute.userID, integer: userID) }
    if let nexthopID { encoder.attribute(RouteAttribute.nexthopID, integer: nexthopID) }
    if let cacheInfo { encoder.attribute(RouteAttribute.cacheInfo) { cacheInfo.encode(into: &$0) } }
    if !nextHops.isEmpty {
      encoder.attribute(RouteAttribute.multipath) { nested in
        for hop in nextHops { hop.encode(into: &nested, family: family) }
      }
    }
    encoder.append(unknown)
  }
}

/// What a route does with a packet, `RTN_…`.
package struct RouteKind: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  package static let unspecified = RouteKind(rawValue: 0)
  package static let unicast = RouteKind(rawValue: 1)
  /// Delivered on this machine.
  package static let local = RouteKind(rawValue: 2)
  package static let broadcast = RouteKind(rawValue: 3)
  package static let anycast = RouteKind(rawValue: 4)
  package static let multicast = RouteKind(rawValue: 5)
  package static let blackhole = RouteKind(rawValue: 6)
  package static let unreachable = RouteKind(rawValue: 7)
  package static let prohibit = RouteKind(rawValue: 8)
  package static let `throw` = RouteKind(rawValue: 9)
}

/// The flags of a route, `RTM_F_…`, and of its next hop, `RTNH_F_…`.
package struct RouteFlags: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// The next hop is dead, `RTNH_F_DEAD`.
  package static let dead = RouteFlags(rawValue: 0x1)
  /// The next hop's link has no carrier, `RTNH_F_LINKDOWN`.
  package static let linkDown = RouteFlags(rawValue: 0x10)
  /// Made for one destination, such as by a redirect, `RTM_F_CLONED`.
  package static let cloned = RouteFlags(rawValue: 0x200)
  /// Asks for the true table, `RTM_F_LOOKUP_TABLE`.
  package static let lookupTable = RouteFlags(rawValue: 0x1000)
  /// Asks for the route that matches instead of what becomes of a packet, `RTM_F_FIB_MATCH`.
  package static let exactMatch = RouteFlags(rawValue: 0x2000)
}

extension RawSpan {
  /// Reads a next hop of any family: two bytes of family, then the address.
  ///
  /// The kernel structure is `rtvia`.
  func via(in range: Range<Int>) throws(DecodingError) -> IPAddress {
    guard range.count >= 2 else { throw DecodingError(.badValue, at: range.lowerBound) }
    return try address(in: range.lowerBound + 2..<range.upperBound)
  }
}

extension MessageEncoder {
  mutating func appendGateway(_ gateway: IPAddress, family: AddressFamily) {
    let gatewayFamily: AddressFamily = gateway.bitWidth == 32 ? .ipv4 : .ipv6
    guard family != gatewayFamily else { return attribute(RouteAttribute.gateway, address: gateway) }
    attribute(RouteAttribute.via) {
      $0.append(UInt16(gatewayFamily.rawValue))
      $0.append(gateway)
    }
  }
}
#endif
