import CLibrary
import POSIX
import ReachabilityKit

/// The file descriptors that the process may still open.
enum Descriptors {
  /// The descriptors that Dispatch needs for timers and threads; without them it crashes or never calls back.
  private static let count = 8

  /// Throws if too few descriptors are left for observing changes.
  static func check() throws(ReachabilityMonitorError) {
    let opened = (0..<count).map { _ in fcntl(2, F_DUPFD_CLOEXEC, 3) }
    let number = opened.last == -1 ? errno : 0
    for descriptor in opened where descriptor >= 0 { close(descriptor) }
    guard number != 0 else { return }
    throw ReachabilityMonitorError(
      .systemUnavailable, errorNumber: number,
      description: "changes cannot be observed: \(Errno(rawValue: number)); "
        + "raise the limit of open files (ulimit -n)")
  }
}
