// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLiveSupport
import Dispatch
import Synchronization

/// A thread that runs closures one after the other until it is stopped.
final class Worker: Sendable {
  private struct State {
    var jobs: [@Sendable () -> Void] = []
    var isStopped = false
  }

  private let state = Mutex(State())
  /// Counts the jobs, plus one for the stop.
  private let wakeUps = DispatchSemaphore(value: 0)

  /// Starts the thread and returns its handle.
  func start() throws -> UInt {
    var thread: UInt = 0
    let context = unsafe Unmanaged.passRetained(self)
    let error = unsafe live_thread_start(
      { context in
        guard let context = unsafe context else { return }
        unsafe Unmanaged<Worker>.fromOpaque(context).takeRetainedValue().work()
      }, context.toOpaque(), &thread)
    if error != 0 { unsafe context.release() }
    try LiveError.check(error, "pthread_create")
    return thread
  }

  /// Refuses further jobs; the thread ends after the pending ones.
  func stop() {
    state.withLock { $0.isStopped = true }
    wakeUps.signal()
  }

  /// Runs a closure on the thread and waits for its result.
  func run<T: Sendable>(within limit: Duration, _ body: @escaping @Sendable () throws -> T) throws -> T {
    try begin(body).wait(limit)
  }

  /// Starts a closure on the thread, and returns its future result immediately.
  func begin<T: Sendable>(_ body: @escaping @Sendable () throws -> T) throws -> Outcome<T> {
    let outcome = Outcome<T>()
    let isStopped = state.withLock { state in
      if !state.isStopped { state.jobs.append { outcome.fulfil(Result(catching: body)) } }
      return state.isStopped
    }
    guard !isStopped else { throw LiveError("use the network namespace", "it is closed") }
    wakeUps.signal()
    return outcome
  }

  private func work() {
    while true {
      wakeUps.wait()
      let job = state.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
      guard let job else { return }
      job()
    }
  }
}

/// The result of a closure that runs on another thread.
final class Outcome<T: Sendable>: Sendable {
  private let result = Mutex<Result<T, any Error>?>(nil)
  private let isThere = DispatchSemaphore(value: 0)

  func fulfil(_ value: Result<T, any Error>) {
    result.withLock { $0 = value }
    isThere.signal()
  }

  func wait(_ limit: Duration) throws -> T {
    _ = isThere.wait(timeout: .now() + .milliseconds(Int(limit / .milliseconds(1))))
    guard let result = result.withLock({ $0 }) else {
      throw LiveError("run in the network namespace", "still running after \(limit)")
    }
    return try result.get()
  }
}
#endif
