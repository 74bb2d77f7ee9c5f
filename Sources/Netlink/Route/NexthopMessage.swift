#if os(Linux)
import InternetProtocol

/// A next-hop object, which routes refer to by its number.
///
/// The kernel messages are `RTM_NEWNEXTHOP` and `RTM_DELNEXTHOP`.
package struct NexthopMessage: Hashable, Sendable {
  package var family: AddressFamily = .unspecified
  package var scope: UInt8 = 0
  package var origin: UInt8 = 0
  package var flags: RouteFlags = []
  package var id: UInt32?
  package var outputInterface: Int32?
  package var gateway: IPAddress?
  package var isBlackhole = false
  package var members: [Member] = []
  package var unknown: [RawAttribute] = []

  /// A next hop of a group; the kernel structure is `nexthop_grp`.
  package struct Member: Hashable, Sendable {
    package var id: UInt32
    /// How much of the traffic goes this way, less one.
    package var weight: UInt8
    /// The high byte of the weight on kernels that have one.
    package var weightHigh: UInt8
  }

  package init() {}

  //    0        1        2        3        4        5        6        7
  // 0 | family | scope  | origin |  (pad) |               flags               |
  // 8   attributes …; the kernel structure is nhmsg
  package init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    let (start, end) = (range.lowerBound, range.upperBound)
    family = AddressFamily(rawValue: try bytes.integer(at: start, before: end))
    scope = try bytes.integer(at: start + 1, before: end)
    origin = try bytes.integer(at: start + 2, before: end)
    flags = RouteFlags(rawValue: try bytes.integer(at: start + 4, before: end))

    var attributes = AttributeReader(in: start + 8..<end)
    while let attribute = try attributes.next(bytes) {
      switch attribute.type {
      case NexthopAttribute.id: id = try bytes.integer(in: attribute.value)
      case NexthopAttribute.outputInterface: outputInterface = try bytes.integer(in: attribute.value)
      case NexthopAttribute.gateway: gateway = try bytes.address(in: attribute.value)
      case NexthopAttribute.blackhole: isBlackhole = true
      case NexthopAttribute.group: members = try Self.members(decoding: bytes, in: attribute.value)
      default: unknown.append(try RawAttribute(attribute, of: bytes))
      }
    }
  }

  //    0        1        2        3        4        5        6        7
  // 0 |                id                 | weight |  high  |    reserved     |
  private static func members(
    decoding bytes: RawSpan, in range: Range<Int>
  ) throws(DecodingError) -> [Member] {
    guard range.count % 8 == 0 else { throw DecodingError(.badValue, at: range.lowerBound) }
    var members: [Member] = []
    for start in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
      let end = start + 8
      members.append(
        Member(
          id: try bytes.integer(at: start, before: end),
          weight: try bytes.integer(at: start + 4, before: end),
          weightHigh: try bytes.integer(at: start + 5, before: end)))
    }
    return members
  }

  /// Appends the message's payload.
  package func encode(into encoder: inout MessageEncoder) {
    encoder.append(family.rawValue)
    encoder.append(scope)
    encoder.append(origin)
    encoder.appendZeros(1)
    encoder.append(flags.rawValue)
    if let id { encoder.attribute(NexthopAttribute.id, integer: id) }
    if !members.isEmpty {
      encoder.attribute(NexthopAttribute.group) { nested in
        for member in members {
          nested.append(member.id)
          nested.append(member.weight)
          nested.append(member.weightHigh)
          nested.appendZeros(2)
        }
      }
    }
    if isBlackhole { encoder.attribute(NexthopAttribute.blackhole, bytes: []) }
    if let outputInterface { encoder.attribute(NexthopAttribute.outputInterface, integer: outputInterface) }
    if let gateway { encoder.attribute(NexthopAttribute.gateway, address: gateway) }
    encoder.append(unknown)
  }
}
#endif
