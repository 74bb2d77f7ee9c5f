#if os(Linux)
import CLibrary

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
#endif
