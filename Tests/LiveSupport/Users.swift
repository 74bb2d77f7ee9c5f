#if os(Linux)
import CLiveSupport

/// Users other than the one who runs the tests.
public enum Users {
  /// Runs a closure on the calling thread as another user; no other thread changes, and the real user stays.
  ///
  /// The thread keeps its rights, so that it can still do what only root may.
  ///
  /// - Throws: ``LiveError`` if the kernel refuses, as it does where the user is not mapped.
  public static func acting<T>(as user: UInt32, _ body: () throws -> T) throws -> T {
    if user == 0 { return try body() }
    try LiveError.check(live_become(user), "setresuid")
    defer { _ = live_become(0) }
    return try body()
  }

  /// Makes this process an ordinary user's in a user namespace that maps this user only; for good, and before it has
  /// a second thread.
  public static func enterMappedNamespace(of user: UInt32) throws {
    try LiveError.check(live_enter_mapped_user_namespace(user), "enter a user namespace")
  }
}
#endif
