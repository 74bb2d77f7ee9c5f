#if os(Linux)
import Netlink
import POSIX

extension PolicyRule {
  init(_ message: RuleMessage) {
    let action: Action
    switch message.action {
    // A routing domain's own table is not named.
    case .lookUp: action = message.table == 0 ? .other : .lookUp(message.table)
    case .jump: action = message.isUnresolved ? .none : message.jumpTarget.map { .jump($0) } ?? .other
    case .none: action = .none
    case .blackhole: action = .refuse(.blackhole)
    case .unreachable: action = .refuse(.unreachable)
    case .prohibit: action = .refuse(.prohibit)
    default: action = .other
    }
    let transport: PolicyRule.Transport? = message.protocolNumber.map { number in
      ReachabilityTarget.Transport.allCases.first { $0.protocolNumber == number }.map { .known($0) }
        ?? .other(number)
    }
    // FRA_FLOW, FRA_PAD and FRA_PROTOCOL match no packets; UInt32.max suppresses nothing.
    let harmless: Set<UInt16> = [11, 18, 21]
    let users = message.userIDs.flatMap { UserNamespace.range(of: $0) }
    let suppressed = message.suppressedPrefixLength.flatMap { $0 == .max ? nil : $0 }
    self.init(
      message.priority ?? 0, action,
      source: message.source.flatMap { IPPrefix($0, length: Int(message.sourceLength)) },
      destination: message.destination.flatMap { IPPrefix($0, length: Int(message.destinationLength)) },
      // The kernel leaves out a mark of zero.
      mark: message.mark ?? message.markMask.map { _ in 0 }, markMask: message.markMask ?? .max,
      outputInterface: message.outputInterface,
      inputInterface: message.inputInterface, userIDs: users, transport: transport,
      sourcePorts: message.sourcePorts, destinationPorts: message.destinationPorts,
      destinationPortMask: message.destinationPortMask, isInverted: message.isInverted,
      suppressedPrefixLength: suppressed,
      hasUnknownSelectors: (message.userIDs != nil && users == nil)
        || message.sourceLength > 0 && message.source == nil
        || message.destinationLength > 0 && message.destination == nil
        || message.hasUnknownFlags || message.unknown.contains { !harmless.contains($0.type) })
    typeOfService = message.typeOfService
    matchesRoutingDomains = (message.routingDomain ?? 0) != 0
    suppressedGroup = message.suppressedGroup.flatMap { $0 == .max ? nil : $0 }
  }
}

extension RuleMessage {
  /// Whether the rule applies to the packets that it does not match, `FIB_RULE_INVERT`.
  var isInverted: Bool { flags & 2 != 0 }

  /// Whether no rule has the priority that a jump names, `FIB_RULE_UNRESOLVED`.
  fileprivate var isUnresolved: Bool { flags & 4 != 0 }

  /// Whether there are flags beside `FIB_RULE_PERMANENT`, `FIB_RULE_INVERT`, `FIB_RULE_UNRESOLVED`,
  /// `FIB_RULE_IIF_DETACHED` and `FIB_RULE_OIF_DETACHED`.
  fileprivate var hasUnknownFlags: Bool { flags & ~0x1f != 0 }
}

extension SourceRule {
  /// Converts a rule; returns `nil` if it matches no source addresses.
  init?(_ message: RuleMessage) {
    guard let source = message.source, let prefix = IPPrefix(source, length: Int(message.sourceLength)) else {
      return nil
    }
    self.init(
      prefix, isInverted: message.isInverted,
      refuses: [.blackhole, .unreachable, .prohibit].contains(message.action))
  }

  /// A stand-in for a rule that could not be read, which may match any source.
  static func unreadable(_ family: AddressFamily) -> SourceRule? {
    IPPrefix(family == .ipv4 ? "0.0.0.0" : "::", length: 0).map { SourceRule($0) }
  }
}

/// The user namespace of the process.
enum UserNamespace {
  /// Whether every user has a number here, so that no number stands for several users.
  private static var isInitial: Bool {
    guard let map = try? SystemFile.contents(of: "/proc/self/uid_map", upTo: 4096) else { return false }
    return String(decoding: map, as: UTF8.self).split { $0 == " " || $0 == "\n" } == ["0", "0", "4294967295"]
  }

  /// Whether a number stands for one user only.
  static func isUnique(_ user: UInt32) -> Bool { user != RuleMessage.UserIDs.unmapped || isInitial }

  /// Returns the users of a rule; `nil` if a bound may be any user without a number in this namespace.
  static func range(of users: RuleMessage.UserIDs) -> ClosedRange<UInt32>? {
    let (first, last) = (users.first, users.last)
    guard first <= last else { return nil }
    let isExact = first != RuleMessage.UserIDs.unmapped && last != RuleMessage.UserIDs.unmapped
    return isExact || isInitial ? first...last : nil
  }
}
#endif
