// SPDX-License-Identifier: Apache-2.0
import Dispatch
import POSIX
import Synchronization

/// Starts a named thread in the network and the file system of a source.
typealias ThreadStarter =
  @Sendable (_ name: String, _ body: @escaping @Sendable () -> Void) throws(ReachabilityMonitorError) -> Void

/// Starts a thread that takes no signals.
///
/// A thread, not a queue: the engine blocks while nothing changes, without wake-ups, and delivers events to the
/// observers' queues in one step.
///
/// - Throws: ``ReachabilityMonitorError`` with code `systemUnavailable` at the process's limit of threads.
package func startThread(
  named name: String, _ run: @escaping @Sendable () -> Void
) throws(ReachabilityMonitorError) {
  do throws(Errno) {
    try Thread.start(named: name, run)
  } catch {
    throw ReachabilityMonitorError(
      .systemUnavailable, errorNumber: error.rawValue,
      description:
        "could not start a thread: \(error); raise the limit of threads (ulimit -u, or pids.max of the control group)"
    )
  }
}

/// Throws if the process may not start that many more threads, which it determines by starting them.
///
/// Where a process can start no thread, Dispatch may block the calling thread forever.
package func requireThreads(_ count: Int) throws(ReachabilityMonitorError) {
  let mayEnd = DispatchSemaphore(value: 0)
  var started = 0
  defer { for _ in 0..<started { mayEnd.signal() } }
  for _ in 0..<count {
    try startThread(named: "probe") { mayEnd.wait() }
    started += 1
  }
}

/// Wakes a waiting thread, for sources whose changes do not arrive over descriptors.
package final class WakeUpSignal: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let isChanged = Mutex(false)

  package init() {}

  /// Ends a wait, or the next one if there is none now.
  package func send(isChange: Bool) {
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
