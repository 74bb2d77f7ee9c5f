#if os(Linux)
import Netlink
import POSIX

/// How the process sees users.
enum UserNamespace {
  /// Whether every user has a number here, so that none stands for several.
  static var isInitial: Bool {
    guard let map = try? SystemFile.contents(of: "/proc/self/uid_map", upTo: 4096) else { return false }
    return String(decoding: map, as: UTF8.self).split { $0 == " " || $0 == "\n" } == ["0", "0", "4294967295"]
  }
}

extension RuleMessage.UserIDs {
  /// The users, or `nil` where one of the bounds may be anybody that this user namespace has no number for.
  ///
  /// - Parameter isExact: Whether every user has a number here, which is asked only if it matters.
  func range(isExact: @autoclosure () -> Bool) -> ClosedRange<UInt32>? {
    guard first <= last else { return nil }
    guard first == Self.unmapped || last == Self.unmapped else { return first...last }
    return isExact() ? first...last : nil
  }
}
#endif
