import Dispatch
import POSIX
import Synchronization

/// Wakes a waiting thread, for sources whose changes do not arrive over descriptors.
package final class Bell: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let isChanged = Mutex(false)

  package init() {}

  /// Ends a wait, or the next one if there is none now.
  package func ring(isChange: Bool) {
    if isChange { isChanged.withLock { $0 = true } }
    semaphore.signal()
  }

  /// Blocks until it rings or the deadline is over; returns whether everything may have changed.
  package func wait(until deadline: Moment?) -> NetworkChange {
    if let deadline {
      // An interval counts nanoseconds in an `Int`, which on a watch covers two seconds.
      let left = max(Moment.now.duration(to: deadline), .zero) / .nanoseconds(1)
      let now = DispatchTime.now().uptimeNanoseconds
      _ = semaphore.wait(timeout: DispatchTime(uptimeNanoseconds: now + UInt64(left.rounded(.up))))
    } else {
      semaphore.wait()
    }
    // Several rings before the thread woke up count as one.
    while semaphore.wait(timeout: .now()) == .success {}
    let hadChange = isChanged.withLock { changed in
      defer { changed = false }
      return changed
    }
    return NetworkChange(everything: hadChange)
  }
}
