#if os(Linux)
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
