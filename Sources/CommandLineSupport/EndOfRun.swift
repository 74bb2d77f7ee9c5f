// SPDX-License-Identifier: Apache-2.0
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

extension EndOfRun {
  /// Ends the run, with success, on `SIGINT` or `SIGTERM`.
  ///
  /// Call it before other threads exist; see ``Termination``.
  ///
  /// - Parameters:
  ///   - hangUp: What `SIGHUP` requests while the terminal exists; `nil` if it ends the process.
  ///   - suspension: What the command does around a suspension; `nil` if it needs nothing.
  ///   - start: Starts a thread with a name.
  package func reachWhenTerminated<Failure: Error>(
    hangUp: (@Sendable () -> Void)? = nil, suspension: Suspension? = nil,
    startingThread start: (_ name: String, _ body: @escaping @Sendable () -> Void) throws(Failure) -> Void
  ) throws(Failure) {
    try Termination.handle(hangUp: hangUp, suspension: suspension) { body throws(Failure) in
      try start("signals", body)
    } _: {
      self.reach(ExitStatus.success)
    }
  }

  /// Ends the run, with success, on `SIGINT` or `SIGTERM`, or when the reader of the output closes it.
  ///
  /// Call it before other threads exist; see ``Termination``.
  ///
  /// - Parameters:
  ///   - output: The stream whose reader may close it.
  ///   - suspension: What the command does around a suspension; `nil` if it needs nothing.
  ///   - start: Starts a thread with a name.
  package func reachWhenStopped<Failure: Error>(
    reading output: StandardOutput, suspension: Suspension? = nil,
    startingThread start: (_ name: String, _ body: @escaping @Sendable () -> Void) throws(Failure) -> Void
  ) throws(Failure) {
    try reachWhenTerminated(suspension: suspension, startingThread: start)
    // A pipe without a reader ends the run even if nothing changes.
    try start("reader") {
      output.waitUntilClosed()
      self.reach(ExitStatus.success)
    }
  }
}
