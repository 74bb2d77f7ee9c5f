#if os(Linux)
import CNetlink
import Netlink

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension Errno {
  /// Whether the system has too little of something for now: descriptors (`EMFILE`, `ENFILE`) or memory (`ENOMEM`).
  var isShortage: Bool { [EMFILE, ENFILE, ENOMEM].contains(rawValue) }
}

/// Whether this process has hardly any descriptors left.
enum Shortage {
  /// What the look-ups that go on at once hold at most: some let go of theirs before another one's failure is looked into.
  private static var reserve: Int { 4 * NameTable.limit }

  /// Whether somebody who needed a descriptor a moment ago may have got none.
  ///
  /// Opens none itself, which somebody else would miss.
  static var isNear: Bool {
    var limits = rlimit()
    guard unsafe getrlimit(limitOfDescriptors, &limits) == 0 else { return false }
    // From the top, where nearly always all are free.
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
