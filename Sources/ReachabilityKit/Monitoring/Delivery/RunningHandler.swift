import Dispatch
import POSIX

/// The thread that runs a handler now, for its cancellation; protected by the lock under which the handler is taken.
package struct RunningHandler: Sendable {
  /// The interval at which a waiting cancellation examines the handler's thread.
  private static var interval: DispatchTimeInterval { .milliseconds(50) }

  /// The thread that runs the handler now, or 0.
  private var thread: UInt = 0
  /// Signalled when the handler that runs now returns.
  private var canceller: DispatchSemaphore?

  package init() {}

  /// Notes that the calling thread is about to run the handler.
  package mutating func begin() { thread = Thread.currentNumber }

  package mutating func end() {
    thread = 0
    canceller.take()?.signal()
  }

  /// Makes no cancellation wait for the present run.
  package mutating func forget() { thread = 0 }

  /// Returns a wait for the end of a handler on another thread, to be called under no lock; `nil` if none runs.
  ///
  /// Only the activity of its thread shows whether a handler that is about to run has begun. So the wait lasts while that
  /// thread is kept from running. A handler that blocks has begun, perhaps waits for the caller, and ends the wait; so does
  /// one that goes on working.
  package mutating func waiter() -> (@Sendable () -> Void)? {
    guard thread != 0, thread != Thread.currentNumber else { return nil }
    let end = canceller ?? DispatchSemaphore(value: 0)
    canceller = end
    // Under the lock, which the thread takes before it ends.
    let runner = ThreadProgress(ofThread: thread)
    return {
      while end.wait(timeout: .now() + Self.interval) == .timedOut, !runner.hasGoneOn {}
      // For other cancellations that wait for the same handler.
      end.signal()
    }
  }
}
