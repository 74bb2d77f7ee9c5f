import CLibrary
import CommandLineSupport
import POSIX
import ReachabilityKit

/// The file descriptors that the process may still open.
enum Descriptors {
  /// The descriptors that Dispatch needs for timers and threads; without them it crashes or never calls back.
  private static let count = 8

  /// Opens a file for reading, until the process ends; `nil` if that fails.
  static func open(_ path: Argument) -> CInt? {
    let word = unsafe path.allocated()
    defer { unsafe free(word) }
    guard let word = unsafe word else { return nil }
    let descriptor = unsafe openFile(word)
    return descriptor >= 0 ? descriptor : nil
  }

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

// Outside of the type, where `open` is its own.
private func openFile(_ path: UnsafePointer<CChar>) -> CInt {
  unsafe open(path, O_RDONLY | O_CLOEXEC)
}
