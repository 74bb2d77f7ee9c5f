#if os(Linux)
import Netlink

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
#endif
