// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol

/// An IPsec policy as the kernel describes it.
///
/// The kernel message is `XFRM_MSG_NEWPOLICY`, its struct `xfrm_userpolicy_info`.
package struct PolicyMessage: Equatable, Sendable {
  /// The direction of the packets, `XFRM_POLICY_…`.
  enum Direction: UInt8, Sendable {
    case incoming = 0
    case outgoing = 1
    case forwarded = 2
  }

  var family: AddressFamily
  package var source: IPPrefix?
  package var destination: IPPrefix?
  /// The number of the IP protocol, or 0 for all.
  package var protocolNumber: UInt8
  var sourcePort: UInt16
  package var sourcePortMask: UInt16
  package var destinationPort: UInt16
  package var destinationPortMask: UInt16
  /// The index of the outgoing link, or 0 for all.
  package var interface: Int32
  /// Of two policies that match, the one with the lower number applies.
  package var priority: UInt32
  package var index: UInt32
  var direction: Direction?
  /// Whether it discards packets, `XFRM_POLICY_BLOCK`.
  package var blocks: Bool
  /// The number of transformations that packets must take.
  var templates = 0
  package var mark: UInt32 = 0
  package var markMask: UInt32 = 0
  /// The number of an XFRM interface, or 0 for none.
  package var interfaceID: UInt32 = 0
  /// Whether it is a policy of the second kind, which is looked up first, `XFRM_POLICY_TYPE_SUB`.
  package var isSub = false

  //    0        1        2        3        4        5        6        7
  //  0 | destination (16 bytes) …
  // 16 | source (16 bytes) …
  // 32 | dest. port      |  mask            |  source port     |  mask            |
  // 40 | family          | dst len | src len| proto  |  (pad)                     |
  // 48 |          interface index           |               user                |
  // 56 | limits (64 bytes), state (32 bytes) …
  // 152|             priority               |               index               |
  // 160| dir.   | action | flags  | share  |  (pad)                             |
  // 168  attributes …
  package init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    let (start, end) = (range.lowerBound, range.upperBound)
    func integer<Value: FixedWidthInteger & BitwiseCopyable>(
      _ type: Value.Type, _ offset: Int
    ) throws(DecodingError) -> Value { try bytes.integer(at: start + offset, before: end) }

    guard end - start >= 168 else { throw DecodingError(.truncated, at: start) }
    family = AddressFamily(rawValue: UInt8(truncatingIfNeeded: try integer(UInt16.self, 40)))
    let size = family == .ipv6 ? 16 : 4
    destination = IPPrefix(
      try bytes.address(in: start..<start + size), length: Int(try integer(UInt8.self, 42)))
    source = IPPrefix(
      try bytes.address(in: start + 16..<start + 16 + size), length: Int(try integer(UInt8.self, 43)))
    destinationPort = UInt16(bigEndian: try integer(UInt16.self, 32))
    destinationPortMask = UInt16(bigEndian: try integer(UInt16.self, 34))
    sourcePort = UInt16(bigEndian: try integer(UInt16.self, 36))
    sourcePortMask = UInt16(bigEndian: try integer(UInt16.self, 38))
    protocolNumber = try integer(UInt8.self, 44)
    interface = try integer(Int32.self, 48)
    priority = try integer(UInt32.self, 152)
    index = try integer(UInt32.self, 156)
    direction = Direction(rawValue: try integer(UInt8.self, 160))
    blocks = try integer(UInt8.self, 161) == 1

    var attributes = AttributeReader(in: start + 168..<end)
    while let attribute = try attributes.next(bytes) {
      switch attribute.type {
      case PolicyAttribute.templates: templates = attribute.value.count / Self.templateSize
      case PolicyAttribute.type:
        isSub = try bytes.integer(UInt8.self, at: attribute.value.lowerBound, before: end) == 1
      case PolicyAttribute.mark:
        mark = try bytes.integer(at: attribute.value.lowerBound, before: attribute.value.upperBound)
        markMask = try bytes.integer(at: attribute.value.lowerBound + 4, before: attribute.value.upperBound)
      case PolicyAttribute.interfaceID: interfaceID = try bytes.integer(in: attribute.value)
      default: continue
      }
    }
  }

  /// The size of `xfrm_user_tmpl`.
  private static var templateSize: Int { 64 }
}

/// The attributes of policies, `XFRMA_…`.
enum PolicyAttribute {
  /// `XFRMA_SPD_INFO`, of which only the answer to `XFRM_MSG_GETSPDINFO` has one.
  static var counts: UInt16 { 1 }
  /// `XFRMA_TMPL`.
  static var templates: UInt16 { 5 }
  /// `XFRMA_POLICY_TYPE`.
  static var type: UInt16 { 16 }
  /// `XFRMA_MARK`.
  static var mark: UInt16 { 21 }
  /// `XFRMA_IF_ID`.
  static var interfaceID: UInt16 { 31 }
}

extension MessageType {
  /// `XFRM_MSG_NEWPOLICY`.
  static var newPolicy: MessageType { MessageType(rawValue: 0x13) }
  /// `XFRM_MSG_GETPOLICY`.
  static var getPolicy: MessageType { MessageType(rawValue: 0x15) }
  /// `XFRM_MSG_NEWSPDINFO`.
  static var newPolicyCounts: MessageType { MessageType(rawValue: 0x24) }
  /// `XFRM_MSG_GETSPDINFO`.
  static var getPolicyCounts: MessageType { MessageType(rawValue: 0x25) }
}
#endif
