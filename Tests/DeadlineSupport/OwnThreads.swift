// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import Testing

/// Runs tests on threads of their own, so that blocking tests do not occupy the few threads of the task pool.
package struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(ThreadExecutor.unlimited) { try await function() }
  }
}

extension Trait where Self == OwnThreads {
  /// Runs the tests on new threads.
  package static var onOwnThreads: Self { OwnThreads() }
}

/// Runs each piece of a task on a thread that the task pool does not have.
final class ThreadExecutor: TaskExecutor {
  /// A new thread for each piece.
  static let unlimited = ThreadExecutor(threads: .max)
  /// Some threads, for the many tests with networks or programs, which mostly wait.
  static let shared = ThreadExecutor(threads: 6)

  private let queue = OperationQueue()

  private init(threads: Int) {
    queue.maxConcurrentOperationCount = threads
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    guard queue.maxConcurrentOperationCount < .max else {
      Thread.detachNewThread { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
      return
    }
    queue.addOperation { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
#endif
