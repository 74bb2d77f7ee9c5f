#if os(Linux)
/// The parts of a thread's context that `unshare(2)` separates and `setns(2)` replaces, `CLONE_…`.
///
/// The C library declares them as GNU extensions, so the values are written here.
package struct CloneFlags: OptionSet, Sendable {
  package let rawValue: CInt

  package init(rawValue: CInt) {
    self.rawValue = rawValue
  }

  /// The working directory and the root directory, `CLONE_FS`.
  package static let directories = CloneFlags(rawValue: 0x200)
  /// The mount namespace, `CLONE_NEWNS`.
  package static let mounts = CloneFlags(rawValue: 0x20000)
  /// The network namespace, `CLONE_NEWNET`.
  package static let network = CloneFlags(rawValue: 0x4000_0000)
}
#endif
