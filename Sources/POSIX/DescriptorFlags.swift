#if os(Linux)
/// The flags with which a descriptor is created.
///
/// `open`, `socket`, `eventfd`, `timerfd_create` and `inotify_init1` share these values. They are enumerators in Glibc
/// and macros in Musl, so the values are written here.
package struct DescriptorFlags: OptionSet, Sendable {
  package let rawValue: CInt

  package init(rawValue: CInt) {
    self.rawValue = rawValue
  }

  /// Calls that would block fail with `EAGAIN`: `O_NONBLOCK`, `SOCK_NONBLOCK`, `EFD_NONBLOCK`, `TFD_NONBLOCK`,
  /// `IN_NONBLOCK`.
  package static let nonBlocking = DescriptorFlags(rawValue: 0o4000)
  /// The descriptor is closed when the process executes another program: `O_CLOEXEC`, `SOCK_CLOEXEC`, `EFD_CLOEXEC`,
  /// `TFD_CLOEXEC`, `IN_CLOEXEC`.
  package static let closeOnExec = DescriptorFlags(rawValue: 0o2000000)
  /// The descriptor denotes a path without opening the file, `O_PATH`; the C library declares it as a GNU extension.
  package static let pathOnly = DescriptorFlags(rawValue: 0o10000000)
}
#endif
