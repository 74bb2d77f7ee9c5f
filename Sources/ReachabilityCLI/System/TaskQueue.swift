// SPDX-License-Identifier: Apache-2.0
import Dispatch

/// The queue that the command's tasks run on, one at a time.
///
/// Tasks without an executor run on global queues, with which Dispatch starts its manager thread; see `DeadlineTimer`.
final class TaskQueue: TaskExecutor {
  static let shared = TaskQueue()

  private let queue = DispatchQueue(label: "reachability.tasks")

  private init() {}

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
