import Dispatch
import POSIX

/// Where a handler runs now, if it does, for whoever cancels it; kept under the lock that the handler is taken under.
package struct RunningHandler: Sendable {
  /// How long a cancellation waits for a handler until it looks what that does.
  private static var interval: DispatchTimeInterval { .milliseconds(50) }

  /// The thread that runs the handler now, or 0.
  private var thread: UInt = 0
  /// Signalled when the handler that runs now returns.
  private var canceller: DispatchSemaphore?

  package init() {}

  /// Notes that the calling thread is about to run it.
  package mutating func begin() { thread = Thread.currentNumber }

  /// Notes that it has returned.
  package mutating func end() {
    thread = 0
    canceller.take()?.signal()
  }

  /// Has nobody wait for the one that runs now.
  package mutating func forget() { thread = 0 }

  /// Returns what waits for the end of a handler on another thread, to be called under no lock; `nil` if none runs.
  ///
  /// Whether a handler that is about to run on another thread has begun, nobody can tell but by what its thread does. So its
  /// end is waited for while that thread is kept from running. A handler that waits for something has begun, perhaps waits
  /// for the caller, and is not waited for; nor is one that goes on working.
  package mutating func waiter() -> (@Sendable () -> Void)? {
    guard thread != 0, thread != Thread.currentNumber else { return nil }
    let end = canceller ?? DispatchSemaphore(value: 0)
    canceller = end
    // Under the lock, which the thread takes before it can end.
    let runner = ThreadProgress(ofThread: thread)
    return {
      while end.wait(timeout: .now() + Self.interval) == .timedOut, !runner.hasGoneOn {}
      // For others who wait for the same.
      end.signal()
    }
  }
}
