#if os(Linux)
import InternetProtocol

/// What is known of a neighbour on a link: whether it answered when it was asked for its link-layer address.
///
/// The kernel messages are `RTM_NEWNEIGH`, `RTM_DELNEIGH` and `RTM_GETNEIGH`.
package struct NeighbourMessage: Hashable, Sendable {
  package var family: AddressFamily = .unspecified
  /// The index of the link that the neighbour is on.
  package var index: Int32 = 0
  package var state: NeighbourState = []
  /// `NTF_…`.
  package var flags: UInt8 = 0
  /// What packets to the neighbour are, `RTN_…`.
  package var kind: RouteKind = .unspecified
  package var destination: IPAddress?
  /// The link-layer address, once it is known.
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

  /// Appends the message's payload.
  package func encode(into encoder: inout MessageEncoder) {
    encoder.append(family.rawValue)
    encoder.appendZeros(3)
    encoder.append(index)
    encoder.append(state.rawValue)
    encoder.append(flags)
    encoder.append(kind.rawValue)
    if let destination { encoder.attribute(NeighbourAttribute.destination, address: destination) }
    if let hardwareAddress {
      encoder.attribute(NeighbourAttribute.hardwareAddress, bytes: hardwareAddress)
    }
    encoder.append(unknown)
  }
}

/// What the kernel thinks of a neighbour, `NUD_…`; none of them of one that it has nothing to think of.
package struct NeighbourState: OptionSet, Hashable, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// It is being asked for the first time, `NUD_INCOMPLETE`.
  package static let incomplete = NeighbourState(rawValue: 0x01)
  /// It answered a moment ago, `NUD_REACHABLE`.
  package static let reachable = NeighbourState(rawValue: 0x02)
  /// It answered some time ago, `NUD_STALE`.
  package static let stale = NeighbourState(rawValue: 0x04)
  /// It answered some time ago and is about to be asked again, `NUD_DELAY`.
  package static let delay = NeighbourState(rawValue: 0x08)
  /// It answered some time ago and is being asked again, `NUD_PROBE`.
  package static let probe = NeighbourState(rawValue: 0x10)
  /// It did not answer, `NUD_FAILED`.
  package static let failed = NeighbourState(rawValue: 0x20)
  /// Its link has no link-layer addresses to ask for, `NUD_NOARP`.
  package static let needless = NeighbourState(rawValue: 0x40)
  /// Somebody said what its link-layer address is, `NUD_PERMANENT`.
  package static let permanent = NeighbourState(rawValue: 0x80)
}
#endif
