import Dispatch
import Synchronization

/// The end of a command that runs until an event: reached once, with an exit status.
package final class EndOfRun: Sendable {
  private let status = Mutex<Int32?>(nil)
  private let semaphore = DispatchSemaphore(value: 0)

  /// Creates an end that is not reached yet.
  package init() {}

  package var isReached: Bool { status.withLock { $0 != nil } }

  /// Ends the run; only the first call's exit status counts.
  package func reach(_ exitStatus: Int32) {
    let isFirst = status.withLock { status in
      defer { status = status ?? exitStatus }
      return status == nil
    }
    if isFirst { semaphore.signal() }
  }

  /// Blocks until the end, and returns the exit status.
  package func wait() -> Int32 {
    semaphore.wait()
    return status.withLock { $0 ?? ExitStatus.trouble }
  }
}
