#if os(Linux)
import Netlink
import POSIX

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
