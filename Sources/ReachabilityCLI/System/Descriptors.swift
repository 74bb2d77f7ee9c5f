import ReachabilityKit

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The files that the process may still open.
enum Descriptors {
  /// How many Dispatch needs for its timers and threads; it crashes or never calls back without them.
  private static let count = 8

  /// Sees to it that there are enough left to wait for changes.
  static func check() throws(ReachabilityMonitorError) {
    let opened = (0..<count).map { _ in fcntl(2, F_DUPFD_CLOEXEC, 3) }
    let error = opened.last == -1 ? errno : 0
    for descriptor in opened where descriptor >= 0 { close(descriptor) }
    guard error != 0 else { return }
    let text = unsafe strerror(error).map { text in unsafe String(cString: text) } ?? "error \(error)"
    throw ReachabilityMonitorError(
      .systemUnavailable, errorNumber: error,
      description:
        "the kernel's network tables can't be read: could not prepare to wait for changes: \(text)")
  }
}
