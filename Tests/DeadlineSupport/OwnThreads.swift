// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// Runs tests on threads of their own, so that blocking tests do not occupy the few threads of the task pool.
///
/// A test that starts a process needs it, too: while the end of one waits for a thread of the pool, the testing library's
/// thread for such ends occupies a processor.
package struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    #if os(Linux)
    try await withTaskExecutorPreference(ThreadExecutor.unlimited) { try await function() }
    #else
    // The pool has more threads on these systems' machines.
    try await function()
    #endif
  }
}

extension Trait where Self == OwnThreads {
  /// Runs the tests on new threads.
  package static var onOwnThreads: Self { OwnThreads() }
}

#if os(Linux)
/// Runs each piece of a task on a thread that the task pool does not have.
package final class ThreadExecutor: TaskExecutor {
  /// A new thread for each piece.
  static let unlimited = ThreadExecutor(threads: .max)
  /// Some threads, for the many tests with networks or programs, which mostly wait.
  package static let shared = ThreadExecutor(threads: 6)

  private let queue = OperationQueue()

  private init(threads: Int) {
    queue.maxConcurrentOperationCount = threads
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    guard queue.maxConcurrentOperationCount < .max else {
      Thread.detachNewThread { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
      return
    }
    queue.addOperation { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
#endif
