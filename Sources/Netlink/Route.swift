// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol

/// A route: an entry of a table, or the answer to a lookup.
///
/// In the answer about a packet, the preferred source is the one that the kernel chose, and the table is 0 if it looked
/// none up. The metric of such an answer about IPv4 is missing.
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
  package var destination: ReachabilityAddress?
  /// The sources that an IPv6 route is for, with ``sourceLength``.
  package var sourceNetwork: ReachabilityAddress?
  package var interface: Int32?
  /// The next hop, from `RTA_GATEWAY` or, for one of another family, `RTA_VIA`.
  package var gateway: ReachabilityAddress?
  package var preferredSource: ReachabilityAddress?
  /// The metric, where the lowest wins.
  package var priority: UInt32?
  package var nextHopID: UInt32?
  package var nextHops: [NextHop] = []
  /// The remaining lifetime in hundredths of a second; 0 if unlimited, or for IPv4 if unknown.
  package var expires: Int32 = 0
  /// How the packets are wrapped, if they are.
  package var encapsulation: Encapsulation?
  /// Whether the announced route has taken the place of another one, which is not announced (`NLM_F_REPLACE`).
  package var isReplacement = false

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
    self.init()
    try decode(bytes, in: range)
  }

  // Apart, since an initializer that throws copies its value at the end.
  private mutating func decode(_ bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
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

    var encapsulationType: UInt16 = 0
    var details: Range<Int>?
    var attributes = AttributeReader(in: start + 12..<end)
    while let attribute = try attributes.next(bytes) {
      switch attribute.type {
      case RouteAttribute.table: table = try bytes.integer(in: attribute.value)
      case RouteAttribute.destination: destination = try bytes.address(in: attribute.value)
      case RouteAttribute.source: sourceNetwork = try bytes.address(in: attribute.value)
      case RouteAttribute.outputInterface: interface = try bytes.integer(in: attribute.value)
      case RouteAttribute.gateway: gateway = try bytes.address(in: attribute.value)
      case RouteAttribute.via: gateway = try bytes.via(in: attribute.value)
      case RouteAttribute.preferredSource: preferredSource = try bytes.address(in: attribute.value)
      case RouteAttribute.priority: priority = try bytes.integer(in: attribute.value)
      case RouteAttribute.nextHopID: nextHopID = try bytes.integer(in: attribute.value)
      // The offset of rta_expires in rta_cacheinfo.
      case RouteAttribute.cacheInfo:
        expires = try bytes.integer(at: attribute.value.lowerBound + 8, before: attribute.value.upperBound)
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

/// The attributes of routes, `RTA_…`.
package enum RouteAttribute {
  /// `RTA_DST`.
  package static var destination: UInt16 { 1 }
  /// `RTA_SRC`.
  package static var source: UInt16 { 2 }
  /// `RTA_OIF`.
  package static var outputInterface: UInt16 { 4 }
  /// `RTA_GATEWAY`.
  package static var gateway: UInt16 { 5 }
  /// `RTA_PRIORITY`.
  package static var priority: UInt16 { 6 }
  /// `RTA_PREFSRC`.
  package static var preferredSource: UInt16 { 7 }
  /// `RTA_MULTIPATH`.
  package static var multipath: UInt16 { 9 }
  /// `RTA_CACHEINFO`.
  package static var cacheInfo: UInt16 { 12 }
  /// `RTA_TABLE`.
  package static var table: UInt16 { 15 }
  /// `RTA_MARK`.
  static var mark: UInt16 { 16 }
  /// `RTA_VIA`.
  package static var via: UInt16 { 18 }
  /// `RTA_ENCAP_TYPE`.
  package static var encapsulationType: UInt16 { 21 }
  /// `RTA_ENCAP`.
  package static var encapsulation: UInt16 { 22 }
  /// `RTA_UID`.
  static var userID: UInt16 { 25 }
  /// `RTA_IP_PROTO`.
  static var protocolNumber: UInt16 { 27 }
  /// `RTA_SPORT`.
  static var sourcePort: UInt16 { 28 }
  /// `RTA_DPORT`.
  static var destinationPort: UInt16 { 29 }
  /// `RTA_NH_ID`.
  package static var nextHopID: UInt16 { 30 }
}

/// The effect of a route on a packet, `RTN_…`.
package struct RouteKind: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  // The one that every raw value has is generic.
  package static func == (one: RouteKind, other: RouteKind) -> Bool { one.rawValue == other.rawValue }

  static var unspecified: RouteKind { RouteKind(rawValue: 0) }
  package static var unicast: RouteKind { RouteKind(rawValue: 1) }
  /// Delivered on this machine.
  package static var local: RouteKind { RouteKind(rawValue: 2) }
  package static var broadcast: RouteKind { RouteKind(rawValue: 3) }
  package static var anycast: RouteKind { RouteKind(rawValue: 4) }
  package static var multicast: RouteKind { RouteKind(rawValue: 5) }
  package static var blackhole: RouteKind { RouteKind(rawValue: 6) }
  package static var unreachable: RouteKind { RouteKind(rawValue: 7) }
  package static var prohibit: RouteKind { RouteKind(rawValue: 8) }
  package static var `throw`: RouteKind { RouteKind(rawValue: 9) }
}

/// The flags of a route, `RTM_F_…`, and of its next hop, `RTNH_F_…`.
package struct RouteFlags: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// The next hop is dead, `RTNH_F_DEAD`.
  package static var dead: RouteFlags { RouteFlags(rawValue: 0x1) }
  /// The next hop's link has no carrier, `RTNH_F_LINKDOWN`.
  package static var linkDown: RouteFlags { RouteFlags(rawValue: 0x10) }
  /// Created for one destination, for example by a redirect, `RTM_F_CLONED`.
  package static var cloned: RouteFlags { RouteFlags(rawValue: 0x200) }
  /// Requests the true table, `RTM_F_LOOKUP_TABLE`.
  static var lookupTable: RouteFlags { RouteFlags(rawValue: 0x1000) }
  /// Requests the matching route instead of the resolved one, `RTM_F_FIB_MATCH`.
  static var exactMatch: RouteFlags { RouteFlags(rawValue: 0x2000) }
  /// Requests the matching route and its true table.
  static var exactLookup: RouteFlags { RouteFlags(rawValue: 0x3000) }
}

/// One next hop of a multipath route.
package struct NextHop: Hashable, Sendable {
  package var flags: RouteFlags = []
  /// The share of the traffic, minus one.
  package var weight: UInt8 = 0
  package var interface: Int32 = 0
  package var gateway: ReachabilityAddress?

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
    interface = try bytes.integer(at: start + 4, before: end)
    var attributes = AttributeReader(in: start + 8..<end)
    while let attribute = try attributes.next(bytes) {
      switch attribute.type {
      case RouteAttribute.gateway: gateway = try bytes.address(in: attribute.value)
      case RouteAttribute.via: gateway = try bytes.via(in: attribute.value)
      default: continue
      }
    }
  }
}

extension RawSpan {
  /// Decodes a gateway of any family: two bytes of family, then the address.
  ///
  /// The kernel structure is `rtvia`.
  func via(in range: Range<Int>) throws(DecodingError) -> ReachabilityAddress {
    guard range.count >= 2 else { throw DecodingError(.badValue, at: range.lowerBound) }
    return try address(in: range.lowerBound + 2..<range.upperBound)
  }
}

/// How a route wraps packets, `RTA_ENCAP_TYPE` (`LWTUNNEL_ENCAP_…`).
package enum Encapsulation: Hashable, Sendable {
  /// Packets are sent to this segment first (`LWTUNNEL_ENCAP_SEG6`, RFC 8754).
  case segment(ReachabilityAddress)
  /// Ethernet frames are sent to a segment (`SEG6_IPTUN_MODE_L2ENCAP`).
  case frames
  /// Another kind, for example `LWTUNNEL_ENCAP_IP` (2).
  case other(UInt16)

  /// `LWTUNNEL_ENCAP_SEG6`.
  private static var segmentRouting: UInt16 { 5 }
  /// `SEG6_IPTUNNEL_SRH`.
  private static var segmentRoutingHeader: UInt16 { 1 }
  /// `SEG6_IPTUN_MODE_L2ENCAP` and `SEG6_IPTUN_MODE_L2ENCAP_RED`.
  private static var frameModes: Set<Int32> { [2, 4] }

  //    0        1        2        3        4        5        6        7
  // 0 |               mode                |  next  | length |  type  |  left  |
  // 8 |  last  | flags  |       tag       | segments of 16 bytes, the first one at the end …
  // The kernel structures are seg6_iptunnel_encap and ipv6_sr_hdr.
  init(type: UInt16, decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    self = .other(type)
    guard type == Self.segmentRouting else { return }
    var attributes = AttributeReader(in: range)
    while let attribute = try attributes.next(bytes) {
      guard attribute.type == Self.segmentRoutingHeader else { continue }
      let (start, end) = (attribute.value.lowerBound, attribute.value.upperBound)
      if Self.frameModes.contains(try bytes.integer(at: start, before: end)) {
        self = .frames
        return
      }
      let place = start + 12 + 16 * Int(try bytes.integer(UInt8.self, at: start + 8, before: end))
      guard place + 16 <= end else { throw DecodingError(.truncated, at: start) }
      self = .segment(try bytes.address(in: place..<place + 16))
      return
    }
  }
}
#endif
