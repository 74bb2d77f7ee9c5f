#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The user whom sockets of this process belong to, who takes part in policy rules.
enum SocketUser {
  /// The number that stands for all users without one in this user namespace, `DEFAULT_OVERFLOWUID`.
  private static var withoutNumber: UInt32 { 65534 }

  /// The effective user's number; `nil` for the real user, whom the kernel takes by itself.
  ///
  /// It may change at any time, so it is never kept.
  static var current: UInt32? {
    let effective = geteuid()
    // A user without a number can't be named, and the kernel would take the number for nobody's.
    guard effective == withoutNumber, getuid() == effective else { return effective }
    return nil
  }
}
#endif
