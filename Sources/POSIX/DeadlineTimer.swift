// SPDX-License-Identifier: Apache-2.0
import Dispatch

#if os(Linux)
import CLibrary
import CPOSIX
import Synchronization

/// Calls and sleeps until a deadline of the continuous clock, which counts the time that the machine sleeps.
///
/// The first one starts a thread, which all of them share. Timers of Dispatch, and so `Task.sleep`, start Dispatch's
/// manager thread instead, which requests a nice value of -4, and logs a failure where the process may not have it.
package final class DeadlineTimer: Sendable {
  fileprivate struct Call {
    /// When the call is due, by `CLOCK_BOOTTIME`.
    let deadline: Duration
    let number: Int
    let body: @Sendable () -> Void
  }

  fileprivate struct State {
    /// The calls that are not due yet, in their order; most are added at the end.
    var calls: [Call] = []
    var lastNumber = 0
    /// The descriptor of the kernel's timer, once the thread waits for it.
    var timer: CInt?
  }

  private static let shared = DeadlineTimer()

  private let state = Mutex(State())

  private init() {}

  /// A call that is not due yet, and can be cancelled.
  package struct Pending: Sendable {
    fileprivate let deadline: Duration
    fileprivate let number: Int

    /// Prevents the call, unless it is due.
    package func cancel() { _ = DeadlineTimer.shared.remove(self) }
  }

  /// Passes a closure to a queue at a deadline.
  @discardableResult
  package static func call(
    at deadline: ContinuousClock.Instant, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void
  ) -> Pending {
    let pending = shared.pending(until: deadline)
    shared.add(pending) { queue.async(execute: body) }
    return pending
  }

  /// Suspends the task until a deadline.
  ///
  /// - Throws: `CancellationError` at once when the task is cancelled.
  package static func sleep(until deadline: ContinuousClock.Instant) async throws {
    let pending = shared.pending(until: deadline)
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        shared.add(pending) { continuation.resume() }
        // A cancellation before found nothing to remove.
        if Task.isCancelled { shared.remove(pending)?() }
      }
    } onCancel: {
      shared.remove(pending)?()
    }
    try Task.checkCancellation()
  }

  // MARK: - Pending calls

  /// A century, which no clock overflows.
  private static let longestDelay = Duration.seconds(3_155_760_000)

  private func pending(until deadline: ContinuousClock.Instant) -> Pending {
    let delay = min(ContinuousClock.now.duration(to: deadline), Self.longestDelay)
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    return Pending(deadline: Self.now + delay, number: number)
  }

  private func add(_ pending: Pending, _ body: @escaping @Sendable () -> Void) {
    let isWaiting = state.withLock { state in
      let position = state.position(of: pending)
      state.calls.insert(Call(deadline: pending.deadline, number: pending.number, body: body), at: position)
      if state.timer == nil { state.timer = startThread() }
      if position == 0 { state.setTimer() }
      return state.timer != nil
    }
    guard !isWaiting else { return }
    // Without a free descriptor or thread, Dispatch may have a thread left.
    let delay = max(pending.deadline - Self.now, .zero) / .nanoseconds(1)
    DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(clamping: Int64(delay) + 1))) {
      self.performDueCalls()
    }
  }

  /// Removes a call and returns its closure; `nil` if it is due, or was removed.
  private func remove(_ pending: Pending) -> (@Sendable () -> Void)? {
    state.withLock { state in
      let position = state.position(of: pending)
      guard position < state.calls.count, state.calls[position].number == pending.number else { return nil }
      let call = state.calls.remove(at: position)
      if position == 0 { state.setTimer() }
      return call.body
    }
  }

  private func performDueCalls() {
    let due = state.withLock { state in
      let now = Self.now
      // A copy: a slice would keep the calls after them.
      let due = Array(state.calls.prefix { $0.deadline <= now })
      state.calls.removeFirst(due.count)
      state.setTimer()
      return due
    }
    for call in due { call.body() }
  }

  // MARK: - System

  private static var now: Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }

  /// Starts the thread, which waits for a timer of the kernel; `nil` if the system refuses one of the two.
  private func startThread() -> CInt? {
    let flags: DescriptorFlags = [.closeOnExec, .nonBlocking]
    let timer = timerfd_create(CLOCK_BOOTTIME, flags.rawValue)
    guard timer >= 0 else { return nil }
    do throws(Errno) {
      try Thread.start(named: "deadlines") { self.run(waitingFor: timer) }
    } catch {
      _ = close(timer)
      return nil
    }
    return timer
  }

  private func run(waitingFor timer: CInt) {
    while true {
      var request = pollfd(fd: timer, events: Int16(POLLIN), revents: 0)
      // Setting the timer again resets it, so nothing is read.
      if unsafe poll(&request, 1, -1) < 0 || request.revents != Int16(POLLIN) { Alarm.pause() }
      performDueCalls()
    }
  }
}

extension DeadlineTimer.State {
  /// The position of a call, or that at which it belongs.
  func position(of pending: DeadlineTimer.Pending) -> Int {
    var (low, high) = (0, calls.count)
    while low < high {
      let middle = (low + high) / 2
      let call = calls[middle]
      let isBefore = (call.deadline, call.number) < (pending.deadline, pending.number)
      if isBefore { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Sets the kernel's timer to the first deadline, or turns it off.
  func setTimer() {
    guard let timer else { return }
    let (seconds, attoseconds) = (calls.first?.deadline ?? .zero).components
    let time = timespec(tv_sec: .init(clamping: seconds), tv_nsec: .init(attoseconds / 1_000_000_000))
    var setting = itimerspec(it_interval: timespec(), it_value: time)
    // TFD_TIMER_ABSTIME is an enumerator in one C library, and a macro in another.
    _ = unsafe timerfd_settime(timer, 1, &setting, nil)
  }
}
#else
/// Calls and sleeps until a deadline of the continuous clock.
package enum DeadlineTimer {
  /// A call that is not due yet, and can be cancelled.
  package struct Pending {
    fileprivate let item: DispatchWorkItem

    /// Prevents the call, unless it is due.
    package func cancel() { item.cancel() }
  }

  /// Passes a closure to a queue at a deadline.
  @discardableResult
  package static func call(
    at deadline: ContinuousClock.Instant, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void
  ) -> Pending {
    let item = DispatchWorkItem(block: body)
    let delay = max(ContinuousClock.now.duration(to: deadline), .zero) / .nanoseconds(1)
    queue.asyncAfter(deadline: .now() + delay / 1_000_000_000, execute: item)
    return Pending(item: item)
  }

  /// Suspends the task until a deadline; throws `CancellationError` at once when the task is cancelled.
  package static func sleep(until deadline: ContinuousClock.Instant) async throws {
    try await Task.sleep(until: deadline, clock: .continuous)
  }
}
#endif
