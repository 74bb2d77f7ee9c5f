import Dispatch
import Synchronization

/// Runs jobs on somebody's queue, one after the other and in order, until it is cancelled.
///
/// Not generic over what the jobs are about: every event of every observation goes through here, and generic code of
/// a class is run as such.
final class SerialJobs: Sendable {
  typealias Job = @Sendable () -> Void

  private struct State {
    var waiting: [Job] = []
    /// How many of these have been taken.
    var taken = 0
    var isCancelled = false
    var isScheduled = false
    /// The thread that runs a job now.
    var runner: UInt?
    /// Signalled when the job that runs now returns.
    var canceller: DispatchSemaphore?

    mutating func takeNext() -> Job? {
      guard !isCancelled, taken < waiting.count else { return nil }
      let job = waiting[taken]
      taken += 1
      if taken == waiting.count {
        waiting.removeAll(keepingCapacity: taken < 16)
        taken = 0
      }
      return job
    }
  }

  /// How long a cancellation waits at most for a job that runs.
  private static var patience: DispatchTimeInterval { .milliseconds(50) }

  private let queue: DispatchQueue
  private let state = Mutex(State())

  init(on queue: DispatchQueue) {
    self.queue = queue
  }

  /// Adds a job; after ``cancel()`` it is dropped.
  func add(_ job: @escaping Job) {
    let mustSchedule = state.withLock { state in
      guard !state.isCancelled else { return false }
      state.waiting.append(job)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if mustSchedule { schedule() }
  }

  /// No job starts after this returns; one that runs already runs to its end.
  ///
  /// Whether a job that is about to run on another thread has begun, nobody can tell but by its end. So that is waited
  /// for, but only for as long as no thread needs to get from here to there: the job may wait for the caller.
  ///
  /// Once somebody did not want to wait, nobody does any more.
  func cancel(waits: Bool = true) {
    let (dropped, semaphore) = state.withLock { state in
      let dropped = state.waiting
      state.waiting = []
      state.taken = 0
      state.isCancelled = true
      if !waits { state.runner = nil }
      guard let runner = state.runner, runner != currentThreadNumber() else {
        return (dropped, nil as DispatchSemaphore?)
      }
      let semaphore = state.canceller ?? DispatchSemaphore(value: 0)
      state.canceller = semaphore
      return (dropped, semaphore)
    }
    // What these captured goes here, outside of the lock.
    _ = consume dropped
    guard let semaphore else { return }
    _ = semaphore.wait(timeout: .now() + Self.patience)
    // For others who wait for the same.
    semaphore.signal()
  }

  /// One job at a time keeps the order even on a concurrent queue, and leaves the queue to others too.
  private func schedule() {
    queue.async { self.runNext() }
  }

  private func runNext() {
    let job = state.withLock { state -> Job? in
      let job = state.takeNext()
      if job != nil { state.runner = currentThreadNumber() }
      return job
    }
    job?()
    let hasMore = state.withLock { state in
      state.runner = nil
      state.canceller.take()?.signal()
      state.isScheduled = !state.waiting.isEmpty
      return state.isScheduled
    }
    if hasMore { schedule() }
  }
}
