// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol

/// A neighbour on a link, with the result of resolving its link-layer address.
///
/// The kernel messages are `RTM_NEWNEIGH`, `RTM_DELNEIGH` and `RTM_GETNEIGH`.
package struct NeighbourMessage: Equatable, Sendable {
  package var family: AddressFamily = .unspecified
  /// The index of the neighbour's link.
  package var index: Int32 = 0
  package var state: NeighbourState = []
  /// `NTF_…`.
  package var flags: UInt8 = 0
  /// The kind of packets to the neighbour, `RTN_…`.
  package var kind: RouteKind = .unspecified
  package var destination: ReachabilityAddress?
  /// The link-layer address, `nil` until it is resolved.
  package var hardwareAddress: [UInt8]?
  /// The hundredths of a second since the state or the link-layer address changed, `ndm_updated`; `nil` if the kernel does
  /// not tell.
  package var sinceChange: UInt32?

  package init() {}

  //    0        1        2        3        4        5        6        7
  // 0 | family |           (pad)          |               index               |
  // 8 |      state      | flags  |  kind  | attributes …
  package init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    let (start, end) = (range.lowerBound, range.upperBound)
    family = AddressFamily(rawValue: try bytes.integer(at: start, before: end))
    index = try bytes.integer(at: start + 4, before: end)
    state = NeighbourState(rawValue: try bytes.integer(at: start + 8, before: end))
    flags = try bytes.integer(at: start + 10, before: end)
    kind = RouteKind(rawValue: try bytes.integer(at: start + 11, before: end))

    var attributes = AttributeReader(in: start + 12..<end)
    while let attribute = try attributes.next(bytes) {
      switch attribute.type {
      case NeighbourAttribute.destination: destination = try bytes.address(in: attribute.value)
      case NeighbourAttribute.hardwareAddress: hardwareAddress = try bytes.bytes(in: attribute.value)
      // The structure nda_cacheinfo: times since the last confirmation, use and change, and a count of references.
      case NeighbourAttribute.ages:
        sinceChange = try bytes.integer(
          at: attribute.value.lowerBound + 8, before: attribute.value.upperBound)
      default: continue
      }
    }
  }
}

/// The attributes of neighbours, `NDA_…`.
package enum NeighbourAttribute {
  /// `NDA_DST`.
  package static var destination: UInt16 { 1 }
  /// `NDA_LLADDR`.
  package static var hardwareAddress: UInt16 { 2 }
  /// `NDA_CACHEINFO`.
  package static var ages: UInt16 { 3 }
}

/// The state of a neighbour entry, `NUD_…`; empty before the first resolution.
package struct NeighbourState: OptionSet, Equatable, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// First resolution in progress, `NUD_INCOMPLETE`.
  package static let incomplete = NeighbourState(rawValue: 0x01)
  /// Confirmed recently, `NUD_REACHABLE`.
  package static let reachable = NeighbourState(rawValue: 0x02)
  /// Confirmed some time ago, `NUD_STALE`.
  package static let stale = NeighbourState(rawValue: 0x04)
  /// Confirmed some time ago and about to be probed, `NUD_DELAY`.
  package static let delay = NeighbourState(rawValue: 0x08)
  /// Confirmed some time ago and being probed, `NUD_PROBE`.
  package static let probe = NeighbourState(rawValue: 0x10)
  /// Did not answer, `NUD_FAILED`.
  package static let failed = NeighbourState(rawValue: 0x20)
  /// On a link without link-layer addresses to resolve, `NUD_NOARP`.
  package static let needless = NeighbourState(rawValue: 0x40)
  /// Configured with its link-layer address, `NUD_PERMANENT`.
  package static let permanent = NeighbourState(rawValue: 0x80)
}
#endif
