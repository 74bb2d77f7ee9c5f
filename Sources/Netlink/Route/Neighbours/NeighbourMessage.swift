#if os(Linux)
import InternetProtocol

/// A neighbour on a link, with the result of resolving its link-layer address.
///
/// The kernel messages are `RTM_NEWNEIGH`, `RTM_DELNEIGH` and `RTM_GETNEIGH`.
package struct NeighbourMessage: Hashable, Sendable {
  package var family: AddressFamily = .unspecified
  /// The index of the neighbour's link.
  package var index: Int32 = 0
  package var state: NeighbourState = []
  /// `NTF_…`.
  package var flags: UInt8 = 0
  /// The kind of packets to the neighbour, `RTN_…`.
  package var kind: RouteKind = .unspecified
  package var destination: IPAddress?
  /// The link-layer address, `nil` until it is resolved.
  package var hardwareAddress: [UInt8]?
  package var unknown: [RawAttribute] = []

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
      default: unknown.append(try RawAttribute(attribute, of: bytes))
      }
    }
  }
}
#endif
