#if os(Linux)
import Netlink

extension PolicyRule {
  init(_ message: RuleMessage) {
    let action: Action
    switch message.action {
    case .lookUp: action = message.table == 0 ? .other : .lookUp(message.table)
    case .blackhole: action = .refuse(.blackhole)
    case .unreachable: action = .refuse(.unreachable)
    case .prohibit: action = .refuse(.prohibit)
    default: action = .other
    }
    let transport: PolicyRule.Transport? = message.protocolNumber.map { number in
      ReachabilityTarget.Transport.allCases.first { $0.protocolNumber == number }.map { .known($0) }
        ?? .other(number)
    }
    // FRA_SUPPRESS_IFGROUP, FRA_PAD and FRA_PROTOCOL match no packets; UInt32.max suppresses nothing.
    let harmless: Set<UInt16> = [13, 18, 21]
    let users = message.userIDs.flatMap { UserNamespace.range(of: $0) }
    let suppressed = message.suppressedPrefixLength.flatMap { $0 == .max ? nil : $0 }
    self.init(
      message.priority ?? 0, action,
      source: message.source.flatMap { IPPrefix($0, length: Int(message.sourceLength)) },
      destination: message.destination.flatMap { IPPrefix($0, length: Int(message.destinationLength)) },
      mark: message.mark, markMask: message.markMask ?? .max, outputInterface: message.outputInterface,
      inputInterface: message.inputInterface, userIDs: users, transport: transport,
      sourcePorts: message.sourcePorts, destinationPorts: message.destinationPorts,
      destinationPortMask: message.destinationPortMask, isInverted: message.isInverted,
      suppressedPrefixLength: suppressed,
      asksForMore: message.typeOfService != 0 || (message.userIDs != nil && users == nil)
        || message.unknown.contains { !harmless.contains($0.type) })
  }
}

extension RuleMessage {
  /// Whether the rule applies to the packets that it does not match, `FIB_RULE_INVERT`.
  var isInverted: Bool { flags & 2 != 0 }
}
#endif
