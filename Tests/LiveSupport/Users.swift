// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLiveSupport

/// Users other than the one who runs the tests.
public enum Users {
  /// Runs a closure on the calling thread as another effective user; other threads and the real user do not change.
  ///
  /// The thread keeps its capabilities.
  ///
  /// - Throws: ``LiveError`` if the kernel refuses, for example because the user is not mapped.
  public static func acting<T>(as user: UInt32, _ body: () throws -> T) throws -> T {
    if user == 0 { return try body() }
    try LiveError.check(live_become(user), "setresuid")
    defer { _ = live_become(0) }
    return try body()
  }

  /// Moves this process to a user namespace that maps the given user only.
  ///
  /// The change is permanent and requires a process with one thread.
  public static func enterMappedNamespace(of user: UInt32) throws {
    try LiveError.check(live_enter_mapped_user_namespace(user), "enter a user namespace")
  }
}
#endif
