#if os(Linux)
import InternetProtocol

/// A policy rule: which packets look in which table, or meet which fate.
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
  /// The place in the order, the lowest first.
  package var priority: UInt32?
  package var destination: IPAddress?
  package var source: IPAddress?
  package var mark: UInt32?
  package var markMask: UInt32?
  package var inputInterface: InterfaceName?
  package var outputInterface: InterfaceName?
  /// The prefix length up to which matches of the table are passed over.
  package var suppressedPrefixLength: UInt32?
  package var userIDs: UserIDs?
  /// The number of the protocol above IP.
  package var protocolNumber: UInt8?
  package var sourcePorts: ClosedRange<UInt16>?
  package var destinationPorts: ClosedRange<UInt16>?
  /// Which bits of a single port count.
  package var sourcePortMask: UInt16?
  package var destinationPortMask: UInt16?
  package var unknown: [RawAttribute] = []

  /// The first and the last user that a rule is for, as the reader's user namespace numbers them.
  ///
  /// The kernel structure is `fib_rule_uid_range`.
  package struct UserIDs: Hashable, Sendable {
    package var first: UInt32
    package var last: UInt32

    package init(_ first: UInt32, _ last: UInt32) {
      self.first = first
      self.last = last
    }

    /// The number of all users that the user namespace has no other for, `DEFAULT_OVERFLOWUID`.
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
      case RuleAttribute.destination: destination = try bytes.address(in: attribute.value)
      case RuleAttribute.source: source = try bytes.address(in: attribute.value)
      case RuleAttribute.mark: mark = try bytes.integer(in: attribute.value)
      case RuleAttribute.markMask: markMask = try bytes.integer(in: attribute.value)
      case RuleAttribute.inputInterface: inputInterface = try bytes.name(in: attribute.value)
      case RuleAttribute.outputInterface: outputInterface = try bytes.name(in: attribute.value)
      case RuleAttribute.suppressedPrefixLength:
        suppressedPrefixLength = try bytes.integer(in: attribute.value)
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

  /// Reads `struct fib_rule_port_range`, which is in the machine's byte order.
  private static func ports(
    decoding bytes: RawSpan, in range: Range<Int>
  ) throws(DecodingError) -> ClosedRange<UInt16> {
    let first = try bytes.integer(UInt16.self, at: range.lowerBound, before: range.upperBound)
    let last = try bytes.integer(UInt16.self, at: range.lowerBound + 2, before: range.upperBound)
    guard first <= last else { throw DecodingError(.badValue, at: range.lowerBound) }
    return first...last
  }

  /// Appends the message's payload.
  package func encode(into encoder: inout MessageEncoder) {
    encoder.append(family.rawValue)
    encoder.append(destinationLength)
    encoder.append(sourceLength)
    encoder.append(typeOfService)
    encoder.append(table < 256 ? UInt8(table) : RouteMessage.compatibleTable)
    encoder.appendZeros(2)
    encoder.append(action.rawValue)
    encoder.append(flags)
    encoder.attribute(RuleAttribute.table, integer: table)
    if let priority { encoder.attribute(RuleAttribute.priority, integer: priority) }
    if let destination { encoder.attribute(RuleAttribute.destination, address: destination) }
    if let source { encoder.attribute(RuleAttribute.source, address: source) }
    if let mark { encoder.attribute(RuleAttribute.mark, integer: mark) }
    if let markMask { encoder.attribute(RuleAttribute.markMask, integer: markMask) }
    if let inputInterface { encoder.attribute(RuleAttribute.inputInterface, name: inputInterface) }
    if let outputInterface { encoder.attribute(RuleAttribute.outputInterface, name: outputInterface) }
    if let suppressedPrefixLength {
      encoder.attribute(RuleAttribute.suppressedPrefixLength, integer: suppressedPrefixLength)
    }
    if let userIDs {
      encoder.attribute(RuleAttribute.userIDs) {
        $0.append(userIDs.first)
        $0.append(userIDs.last)
      }
    }
    if let protocolNumber { encoder.attribute(RuleAttribute.protocolNumber, integer: protocolNumber) }
    for (type, ports) in [
      (RuleAttribute.sourcePorts, sourcePorts), (RuleAttribute.destinationPorts, destinationPorts),
    ] {
      guard let ports else { continue }
      encoder.attribute(type) {
        $0.append(ports.lowerBound)
        $0.append(ports.upperBound)
      }
    }
    if let sourcePortMask { encoder.attribute(RuleAttribute.sourcePortMask, integer: sourcePortMask) }
    if let destinationPortMask {
      encoder.attribute(RuleAttribute.destinationPortMask, integer: destinationPortMask)
    }
    encoder.append(unknown)
  }
}

extension RuleMessage.UserIDs {
  fileprivate init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    first = try bytes.integer(at: range.lowerBound, before: range.upperBound)
    last = try bytes.integer(at: range.lowerBound + 4, before: range.upperBound)
  }
}

/// What a rule does with a packet, `FR_ACT_…`.
package struct RuleAction: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  package static let unspecified = RuleAction(rawValue: 0)
  /// Look in the table.
  package static let lookUp = RuleAction(rawValue: 1)
  package static let goTo = RuleAction(rawValue: 2)
  package static let blackhole = RuleAction(rawValue: 6)
  package static let unreachable = RuleAction(rawValue: 7)
  package static let prohibit = RuleAction(rawValue: 8)
}
#endif
