#if os(Linux)
import CLibrary
import Netlink

/// The user that this process's sockets belong to, which policy rules may match.
enum SocketUser {
  static var effective: UInt32 { geteuid() }

  /// The effective user's number, which may change at any time; `nil` for the real user, the kernel's default.
  static var current: UInt32? {
    // A user without a number can't be named in a request: the kernel would match no user.
    guard effective == RuleMessage.UserIDs.unmapped, getuid() == effective else { return effective }
    return nil
  }
}
#endif
