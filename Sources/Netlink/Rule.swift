// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol

/// A policy rule, which selects a table or an action for matching packets.
///
/// The kernel messages are `RTM_NEWRULE` and `RTM_DELRULE`.
package struct Rule: Equatable, Sendable {
  /// What a rule does with the packets that it matches.
  package enum Action: Equatable, Sendable {
    /// Look up the table with this number, `FR_ACT_TO_TBL`.
    case lookUp(UInt32)
    case refuse(Refusal)
    /// Continue with the first rule of this priority, `FR_ACT_GOTO`.
    case jump(UInt32)
    /// Continue with the next rule, `FR_ACT_NOP`.
    case none
    /// Another action with this number, or one that names no table or rule.
    case other(UInt8)
  }

  /// The kind of refusal by a rule or a route, in the words of `ip`.
  package enum Refusal: String, Equatable, Sendable {
    /// `FR_ACT_BLACKHOLE`.
    case blackhole
    /// `FR_ACT_UNREACHABLE`.
    case unreachable
    /// `FR_ACT_PROHIBIT`.
    case prohibit
  }

  /// The range of users that a rule matches, in the numbering of the reader's user namespace.
  ///
  /// The kernel structure is `fib_rule_uid_range`.
  package struct UserIDs: Equatable, Sendable {
    package var first: UInt32
    package var last: UInt32

    init(_ first: UInt32, _ last: UInt32) {
      self.first = first
      self.last = last
    }

    package func contains(_ user: UInt32) -> Bool { first <= user && user <= last }

    /// The number of every user that the user namespace does not map, `DEFAULT_OVERFLOWUID`.
    package static var unmapped: UInt32 { 65534 }
  }

  package var family: AddressFamily = .unspecified
  /// The position in the order of evaluation, lowest first.
  package var priority: UInt32
  package var action: Action
  /// `FIB_RULE_…`.
  package var flags: UInt32 = 0
  package var source: IPPrefix?
  package var destination: IPPrefix?
  /// The type of service, or zero for any.
  package var typeOfService: UInt8 = 0
  package var mark: UInt32?
  /// The bits of a mark that count.
  package var markMask: UInt32
  package var inputInterface: InterfaceName?
  package var outputInterface: InterfaceName?
  package var userIDs: UserIDs?
  /// The IP protocol number.
  package var protocolNumber: UInt8?
  package var sourcePorts: ClosedRange<UInt16>?
  package var destinationPorts: ClosedRange<UInt16>?
  /// The bits of a single port that count; zero if the ports are a range.
  package var sourcePortMask: UInt16 = 0
  package var destinationPortMask: UInt16
  /// Whether the rule matches packets of routing domains (VRF), and looks up the domain's table.
  package var matchesRoutingDomains = false
  /// The longest prefix length whose matches in the table are skipped.
  package var suppressedPrefixLength: UInt32?
  /// The group of interfaces whose matches in the table are skipped.
  package var suppressedGroup: UInt32?
  /// Whether the rule has selectors that are not known here.
  package var hasUnknownSelectors: Bool

  package init(
    _ priority: UInt32 = 0, _ action: Action = .other(0), source: IPPrefix? = nil,
    destination: IPPrefix? = nil, mark: UInt32? = nil, markMask: UInt32 = .max,
    outputInterface: InterfaceName? = nil, inputInterface: InterfaceName? = nil,
    userIDs: ClosedRange<UInt32>? = nil, protocolNumber: UInt8? = nil,
    sourcePorts: ClosedRange<UInt16>? = nil, destinationPorts: ClosedRange<UInt16>? = nil,
    destinationPortMask: UInt16 = 0, isInverted: Bool = false, suppressedPrefixLength: UInt32? = nil,
    hasUnknownSelectors: Bool = false
  ) {
    self.priority = priority
    self.action = action
    self.source = source
    self.destination = destination
    self.mark = mark
    self.markMask = markMask
    self.outputInterface = outputInterface
    self.inputInterface = inputInterface
    self.userIDs = userIDs.map { UserIDs($0.lowerBound, $0.upperBound) }
    self.protocolNumber = protocolNumber
    self.sourcePorts = sourcePorts
    self.destinationPorts = destinationPorts
    self.destinationPortMask = destinationPortMask
    if isInverted { flags = Self.inverting }
    self.suppressedPrefixLength = suppressedPrefixLength
    self.hasUnknownSelectors = hasUnknownSelectors
  }

  /// Whether the rule matches the packets that its selectors do not.
  package var isInverted: Bool { flags & Self.inverting != 0 }

  /// `FIB_RULE_INVERT`.
  private static var inverting: UInt32 { 2 }

  /// `FIB_RULE_PERMANENT`, `FIB_RULE_INVERT`, `FIB_RULE_UNRESOLVED`, `FIB_RULE_IIF_DETACHED` and
  /// `FIB_RULE_OIF_DETACHED`.
  private static var knownFlags: UInt32 { 0x1f }
}

// MARK: - Decoding

extension Rule {
  //    0        1        2        3        4        5        6        7
  // 0 | family |dst len |src len |  tos   | table  |      (pad)      | action |
  // 8 |               flags               | attributes …
  package init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    self.init()
    let (start, end) = (range.lowerBound, range.upperBound)
    family = AddressFamily(rawValue: try bytes.integer(at: start, before: end))
    let destinationLength = try bytes.integer(UInt8.self, at: start + 1, before: end)
    let sourceLength = try bytes.integer(UInt8.self, at: start + 2, before: end)
    typeOfService = try bytes.integer(at: start + 3, before: end)
    var table = UInt32(try bytes.integer(UInt8.self, at: start + 4, before: end))
    let number = try bytes.integer(UInt8.self, at: start + 7, before: end)
    flags = try bytes.integer(at: start + 8, before: end)
    var (sourceAddress, destinationAddress): (ReachabilityAddress?, ReachabilityAddress?)
    var (jumpTarget, mask): (UInt32?, UInt32?)
    var hasOtherSelectors = false

    var attributes = AttributeReader(in: start + 12..<end)
    while let attribute = try attributes.next(bytes) {
      switch attribute.type {
      case RuleAttribute.table: table = try bytes.integer(in: attribute.value)
      case RuleAttribute.priority: priority = try bytes.integer(in: attribute.value)
      case RuleAttribute.jumpTarget: jumpTarget = try bytes.integer(in: attribute.value)
      case RuleAttribute.destination: destinationAddress = try bytes.address(in: attribute.value)
      case RuleAttribute.source: sourceAddress = try bytes.address(in: attribute.value)
      case RuleAttribute.mark: mark = try bytes.integer(in: attribute.value)
      case RuleAttribute.markMask: mask = try bytes.integer(in: attribute.value)
      case RuleAttribute.inputInterface: inputInterface = try bytes.name(in: attribute.value)
      case RuleAttribute.outputInterface: outputInterface = try bytes.name(in: attribute.value)
      case RuleAttribute.suppressedPrefixLength:
        suppressedPrefixLength = try Self.suppressed(bytes, in: attribute.value)
      case RuleAttribute.suppressedGroup: suppressedGroup = try Self.suppressed(bytes, in: attribute.value)
      case RuleAttribute.routingDomain:
        matchesRoutingDomains = try bytes.integer(UInt8.self, in: attribute.value) != 0
      case RuleAttribute.userIDs: userIDs = try UserIDs(decoding: bytes, in: attribute.value)
      case RuleAttribute.protocolNumber: protocolNumber = try bytes.integer(in: attribute.value)
      case RuleAttribute.sourcePorts: sourcePorts = try Self.ports(decoding: bytes, in: attribute.value)
      case RuleAttribute.destinationPorts:
        destinationPorts = try Self.ports(decoding: bytes, in: attribute.value)
      case RuleAttribute.sourcePortMask: sourcePortMask = try bytes.integer(in: attribute.value)
      case RuleAttribute.destinationPortMask: destinationPortMask = try bytes.integer(in: attribute.value)
      default:
        hasOtherSelectors = hasOtherSelectors || !RuleAttribute.matchingNothing.contains(attribute.type)
      }
    }

    destination = try Self.prefix(destinationAddress, destinationLength, at: start + 1)
    source = try Self.prefix(sourceAddress, sourceLength, at: start + 2)
    action = Action(number, table: table, jumpTarget: jumpTarget)
    if let mask {
      // The kernel leaves out a mark of zero.
      mark = mark ?? 0
      markMask = mask
    }
    hasUnknownSelectors =
      hasOtherSelectors || destination == nil && destinationLength > 0 || source == nil && sourceLength > 0
      || flags & ~Self.knownFlags != 0
  }

  /// Returns the range of a selector, whose length is in the header.
  private static func prefix(
    _ address: ReachabilityAddress?, _ length: UInt8, at offset: Int
  ) throws(DecodingError) -> IPPrefix? {
    guard let address else { return nil }
    guard let prefix = IPPrefix(address, length: Int(length)) else {
      throw DecodingError(.badValue, at: offset)
    }
    return prefix
  }

  /// Decodes what a rule suppresses; the kernel's value for nothing is -1.
  private static func suppressed(_ bytes: RawSpan, in range: Range<Int>) throws(DecodingError) -> UInt32? {
    let value = try bytes.integer(UInt32.self, in: range)
    return value == .max ? nil : value
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

extension Rule.Action {
  fileprivate init(_ number: UInt8, table: UInt32, jumpTarget: UInt32?) {
    switch (number, jumpTarget) {
    // A routing domain's own table is not named.
    case (1, _) where table != 0: self = .lookUp(table)
    case (2, let target?): self = .jump(target)
    case (3, _): self = .none
    case (6, _): self = .refuse(.blackhole)
    case (7, _): self = .refuse(.unreachable)
    case (8, _): self = .refuse(.prohibit)
    default: self = .other(number)
    }
  }
}

extension Rule.UserIDs {
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

  /// `FRA_FLOW`, `FRA_PAD` and `FRA_PROTOCOL`, the program that created the rule.
  fileprivate static var matchingNothing: [UInt16] { [11, 18, 21] }
}
#endif
