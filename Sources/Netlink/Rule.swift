#if os(Linux)
import InternetProtocol

/// A policy rule, which selects a table or an action for matching packets.
///
/// The kernel messages are `RTM_NEWRULE` and `RTM_DELRULE`.
package struct RuleMessage: Hashable, Sendable {
  package var family: AddressFamily = .unspecified
  package var destinationLength: UInt8 = 0
  package var sourceLength: UInt8 = 0
  package var typeOfService: UInt8 = 0
  package var table: UInt32 = 0
  package var action: RuleAction = .unspecified
  /// `FIB_RULE_…`.
  package var flags: UInt32 = 0
  /// The position in the order of evaluation, lowest first.
  package var priority: UInt32?
  /// The priority of the rule that a jump continues with.
  package var jumpTarget: UInt32?
  package var destination: IPAddress?
  package var source: IPAddress?
  package var mark: UInt32?
  package var markMask: UInt32?
  package var inputInterface: InterfaceName?
  package var outputInterface: InterfaceName?
  /// The longest prefix length whose matches in the table are skipped.
  package var suppressedPrefixLength: UInt32?
  /// The group of interfaces whose matches in the table are skipped.
  package var suppressedGroup: UInt32?
  /// Nonzero for a rule that matches packets of routing domains (VRF), and looks up the domain's table.
  package var routingDomain: UInt8?
  package var userIDs: UserIDs?
  /// The IP protocol number.
  package var protocolNumber: UInt8?
  package var sourcePorts: ClosedRange<UInt16>?
  package var destinationPorts: ClosedRange<UInt16>?
  /// The bits of a single port that are compared.
  package var sourcePortMask: UInt16?
  package var destinationPortMask: UInt16?
  package var unknown: [RawAttribute] = []

  /// The range of users that a rule matches, in the numbering of the reader's user namespace.
  ///
  /// The kernel structure is `fib_rule_uid_range`.
  package struct UserIDs: Hashable, Sendable {
    package var first: UInt32
    package var last: UInt32

    package init(_ first: UInt32, _ last: UInt32) {
      self.first = first
      self.last = last
    }

    /// The number of every user that the user namespace does not map, `DEFAULT_OVERFLOWUID`.
    package static var unmapped: UInt32 { 65534 }
  }

  package init() {}

  //    0        1        2        3        4        5        6        7
  // 0 | family |dst len |src len |  tos   | table  |      (pad)      | action |
  // 8 |               flags               | attributes …
  package init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    let (start, end) = (range.lowerBound, range.upperBound)
    family = AddressFamily(rawValue: try bytes.integer(at: start, before: end))
    destinationLength = try bytes.integer(at: start + 1, before: end)
    sourceLength = try bytes.integer(at: start + 2, before: end)
    typeOfService = try bytes.integer(at: start + 3, before: end)
    table = UInt32(try bytes.integer(UInt8.self, at: start + 4, before: end))
    action = RuleAction(rawValue: try bytes.integer(at: start + 7, before: end))
    flags = try bytes.integer(at: start + 8, before: end)

    var attributes = AttributeReader(in: start + 12..<end)
    while let attribute = try attributes.next(bytes) {
      switch attribute.type {
      case RuleAttribute.table: table = try bytes.integer(in: attribute.value)
      case RuleAttribute.priority: priority = try bytes.integer(in: attribute.value)
      case RuleAttribute.jumpTarget: jumpTarget = try bytes.integer(in: attribute.value)
      case RuleAttribute.destination: destination = try bytes.address(in: attribute.value)
      case RuleAttribute.source: source = try bytes.address(in: attribute.value)
      case RuleAttribute.mark: mark = try bytes.integer(in: attribute.value)
      case RuleAttribute.markMask: markMask = try bytes.integer(in: attribute.value)
      case RuleAttribute.inputInterface: inputInterface = try bytes.name(in: attribute.value)
      case RuleAttribute.outputInterface: outputInterface = try bytes.name(in: attribute.value)
      case RuleAttribute.suppressedPrefixLength:
        suppressedPrefixLength = try bytes.integer(in: attribute.value)
      case RuleAttribute.suppressedGroup: suppressedGroup = try bytes.integer(in: attribute.value)
      case RuleAttribute.routingDomain: routingDomain = try bytes.integer(in: attribute.value)
      case RuleAttribute.userIDs: userIDs = try UserIDs(decoding: bytes, in: attribute.value)
      case RuleAttribute.protocolNumber: protocolNumber = try bytes.integer(in: attribute.value)
      case RuleAttribute.sourcePorts: sourcePorts = try Self.ports(decoding: bytes, in: attribute.value)
      case RuleAttribute.destinationPorts:
        destinationPorts = try Self.ports(decoding: bytes, in: attribute.value)
      case RuleAttribute.sourcePortMask: sourcePortMask = try bytes.integer(in: attribute.value)
      case RuleAttribute.destinationPortMask: destinationPortMask = try bytes.integer(in: attribute.value)
      default: unknown.append(try RawAttribute(attribute, of: bytes))
      }
    }
  }

  /// Decodes `struct fib_rule_port_range`, in the machine's byte order.
  private static func ports(
    decoding bytes: RawSpan, in range: Range<Int>
  ) throws(DecodingError) -> ClosedRange<UInt16> {
    let first = try bytes.integer(UInt16.self, at: range.lowerBound, before: range.upperBound)
    let last = try bytes.integer(UInt16.self, at: range.lowerBound + 2, before: range.upperBound)
    guard first <= last else { throw DecodingError(.badValue, at: range.lowerBound) }
    return first...last
  }
}

extension RuleMessage.UserIDs {
  fileprivate init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    first = try bytes.integer(at: range.lowerBound, before: range.upperBound)
    last = try bytes.integer(at: range.lowerBound + 4, before: range.upperBound)
  }
}

/// The attributes of policy rules, `FRA_…`.
package enum RuleAttribute {
  /// `FRA_DST`.
  package static var destination: UInt16 { 1 }
  /// `FRA_SRC`.
  package static var source: UInt16 { 2 }
  /// `FRA_IIFNAME`.
  package static var inputInterface: UInt16 { 3 }
  /// `FRA_GOTO`.
  package static var jumpTarget: UInt16 { 4 }
  /// `FRA_PRIORITY`.
  package static var priority: UInt16 { 6 }
  /// `FRA_FWMARK`.
  package static var mark: UInt16 { 10 }
  /// `FRA_SUPPRESS_IFGROUP`.
  package static var suppressedGroup: UInt16 { 13 }
  /// `FRA_SUPPRESS_PREFIXLEN`.
  package static var suppressedPrefixLength: UInt16 { 14 }
  /// `FRA_TABLE`.
  package static var table: UInt16 { 15 }
  /// `FRA_FWMASK`.
  package static var markMask: UInt16 { 16 }
  /// `FRA_OIFNAME`.
  package static var outputInterface: UInt16 { 17 }
  /// `FRA_L3MDEV`.
  package static var routingDomain: UInt16 { 19 }
  /// `FRA_UID_RANGE`.
  package static var userIDs: UInt16 { 20 }
  /// `FRA_IP_PROTO`.
  package static var protocolNumber: UInt16 { 22 }
  /// `FRA_SPORT_RANGE`.
  package static var sourcePorts: UInt16 { 23 }
  /// `FRA_DPORT_RANGE`.
  package static var destinationPorts: UInt16 { 24 }
  /// `FRA_SPORT_MASK`.
  package static var sourcePortMask: UInt16 { 28 }
  /// `FRA_DPORT_MASK`.
  package static var destinationPortMask: UInt16 { 29 }
}

/// The action of a rule on a packet, `FR_ACT_…`.
package struct RuleAction: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  package static let unspecified = RuleAction(rawValue: 0)
  /// Looks the packet up in the table, `FR_ACT_TO_TBL`.
  package static let lookUp = RuleAction(rawValue: 1)
  /// Continues with the rule of another priority, `FR_ACT_GOTO`.
  package static let jump = RuleAction(rawValue: 2)
  /// Continues with the next rule, `FR_ACT_NOP`.
  package static let none = RuleAction(rawValue: 3)
  package static let blackhole = RuleAction(rawValue: 6)
  package static let unreachable = RuleAction(rawValue: 7)
  package static let prohibit = RuleAction(rawValue: 8)
}
#endif
