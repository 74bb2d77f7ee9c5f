#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The user that this process's sockets belong to, which policy rules may match.
enum SocketUser {
  /// The number of all users that have none in this user namespace, `DEFAULT_OVERFLOWUID`.
  private static var withoutNumber: UInt32 { 65534 }

  /// The effective user's number, which may change at any time; `nil` for the real user, the kernel's default.
  static var current: UInt32? {
    let effective = geteuid()
    // A user without a number can't be named in a request: the kernel would match no user.
    guard effective == withoutNumber, getuid() == effective else { return effective }
    return nil
  }
}
#endif
