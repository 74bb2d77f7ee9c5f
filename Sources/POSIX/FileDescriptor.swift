// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLibrary

/// An open descriptor with one owner, closed at the end of the owner's lifetime.
package struct FileDescriptor: ~Copyable, Sendable {
  package let rawValue: CInt

  /// Takes ownership of a system call's result; a negative one throws the error of the call.
  package init(owning rawValue: CInt) throws(Errno) {
    guard rawValue >= 0 else { throw .last }
    self.rawValue = rawValue
  }

  deinit {
    // Linux releases the descriptor even if close fails with EINTR, so the result does not matter.
    _ = close(rawValue)
  }
}

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

/// The limit on the process's open descriptors, `RLIMIT_NOFILE`.
package enum DescriptorLimit {
  /// Returns whether fewer than `reserve` descriptors are free.
  ///
  /// Opens no descriptor, because another thread may need the last one.
  package static func isNear(reserve: Int) -> Bool {
    var limits = rlimit()
    guard unsafe getrlimit(limitOfDescriptors, &limits) == 0 else { return false }
    // The highest numbers are nearly always free, so the search starts there.
    let free = (0..<CInt(clamping: limits.rlim_cur)).reversed().lazy.filter { fcntl($0, F_GETFD) < 0 }
    return free.prefix(reserve).count < reserve
  }

  #if canImport(Glibc)
  private static var limitOfDescriptors: CInt { CInt(bitPattern: RLIMIT_NOFILE.rawValue) }
  #else
  private static var limitOfDescriptors: CInt { RLIMIT_NOFILE }
  #endif
}

/// The requests of `ioctl(2)` that the C library does not declare.
package enum ControlRequest {
  /// The name of an interface by its index, `SIOCGIFNAME`.
  package static var interfaceName: UInt { 0x8910 }
  /// The address of an interface by its name, `SIOCGIFADDR`.
  package static var interfaceAddress: UInt { 0x8915 }
  /// The kind of a namespace as one of ``CloneFlags``, `NS_GET_NSTYPE`; since Linux 4.11.
  package static var namespaceKind: UInt { 0xb703 }
}
#endif
