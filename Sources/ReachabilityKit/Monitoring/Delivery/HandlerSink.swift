// SPDX-License-Identifier: Apache-2.0
import Dispatch
import POSIX
import Synchronization

/// Calls a handler with each event, in order, until it is cancelled: on its queue, or on the thread that delivers.
///
/// Each observation has one. So it is small, and not generic, since a generic class is not specialized. An event that is
/// handled before the next arrives takes no memory here.
// Safe to share: all mutable state is in the Mutex.
final class HandlerSink: EventSink, @unchecked Sendable {
  private enum Handler: Sendable {
    case status(@Sendable (ReachabilityEvent) -> Void)
    case path(@Sendable (ReachabilityPath) -> Void)
    case cancelled

    var isCancelled: Bool { if case .cancelled = self { true } else { false } }

    func call(_ event: MonitorEvent) {
      // The engine delivers only events of the observed type.
      switch self {
      case .status(let handle): if case .status(let event) = event.content { handle(event) }
      case .path(let handle): if case .path(let path) = event.content { handle(path) }
      case .cancelled: break
      }
    }
  }

  private struct State {
    var handler: Handler
    /// Whether a turn is enqueued or runs.
    var isScheduled = false
    var running = RunningHandler()
    /// The event after those of the current batch, and the events after that.
    var next: MonitorEvent?
    var later: [MonitorEvent] = []

    mutating func add(_ event: MonitorEvent) {
      guard let next else {
        self.next = event
        return
      }
      if later.count < HandlerSink.limit - 1 {
        later.append(event)
      } else {
        later.removeLast()
        if let newest = event.following(later.last ?? next) { later.append(newest) }
      }
    }
  }

  /// Events that one turn leaves to the next, so that taking the first one costs the same however many there are.
  private struct Batch: Sendable {
    var events: [MonitorEvent] = []
    var taken = 0

    var isEmpty: Bool { taken == events.count }

    mutating func dequeueFirst() -> MonitorEvent {
      defer { taken += 1 }
      return events[taken]
    }
  }

  /// The highest number of waiting events besides those of the current batch.
  ///
  /// A handler that blocks forever must not take ever more memory.
  static var limit: Int { 64 }

  /// `nil` for the thread that delivers.
  private let queue: DispatchQueue?
  private let state: Mutex<State>

  init(queue: DispatchQueue?, handler: @escaping @Sendable (ReachabilityEvent) -> Void) {
    self.queue = queue
    state = Mutex(State(handler: .status(handler)))
  }

  init(queue: DispatchQueue?, handler: @escaping @Sendable (ReachabilityPath) -> Void) {
    self.queue = queue
    state = Mutex(State(handler: .path(handler)))
  }

  override func deliver(_ event: MonitorEvent) -> Bool {
    state.withLock { state in
      guard !state.handler.isCancelled else { return false }
      state.add(event)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
  }

  /// Schedules the handler, or calls it.
  ///
  /// Where a process can't start threads, Dispatch blocks until it can.
  override func wakeUp() {
    if let queue { return schedule(Batch(), on: queue) }
    var batch = Batch()
    while handleNext(&batch) {}
  }

  /// Cancels: no handler starts after this returns; one that runs already runs to its end.
  ///
  /// - Parameter waits: Whether to wait for a handler that is about to run. After a call without waiting, no later call
  ///   waits either.
  func cancel(waits: Bool = true) {
    let (handler, wait) = state.withLock { state -> (Handler, (@Sendable () -> Void)?) in
      let handler = state.handler
      state.handler = .cancelled
      state.next = nil
      state.later = []
      if !waits { state.running.forget() }
      return (handler, state.running.waiter())
    }
    // Its captures are released here, outside of the lock.
    _ = consume handler
    wait?()
  }

  /// One event a turn keeps the order even on a concurrent queue, and lets the queue's other work run in between.
  private func schedule(_ batch: Batch, on queue: DispatchQueue) {
    if batch.isEmpty {
      queue.async { self.handleNext(Batch(), on: queue) }
    } else {
      queue.async { self.handleNext(batch, on: queue) }
    }
  }

  private func handleNext(_ events: Batch, on queue: DispatchQueue) {
    var batch = events
    if handleNext(&batch) { schedule(batch, on: queue) }
  }

  /// Handles one event; returns whether there are more.
  private func handleNext(_ batch: inout Batch) -> Bool {
    var handler = Handler.cancelled
    let event = state.withLock { state -> MonitorEvent? in
      if state.handler.isCancelled { return nil }
      let event: MonitorEvent
      if !batch.isEmpty {
        event = batch.dequeueFirst()
      } else if let next = state.next.take() {
        event = next
        if !state.later.isEmpty {
          batch = Batch(events: state.later)
          state.later = []
        }
      } else {
        return nil
      }
      state.running.begin()
      handler = state.handler
      return event
    }
    if let event { handler.call(event) }
    return state.withLock { state in
      state.running.end()
      state.isScheduled = !state.handler.isCancelled && !(batch.isEmpty && state.next == nil)
      return state.isScheduled
    }
  }
}

/// The thread that runs a handler now, for its cancellation; protected by the lock under which the handler is taken.
struct RunningHandler: Sendable {
  /// The interval at which a waiting cancellation examines the handler's thread.
  private static var interval: DispatchTimeInterval { .milliseconds(50) }

  /// The thread that runs the handler now, or 0.
  private var thread: UInt = 0
  /// Signalled when the handler that runs now returns.
  private var canceller: DispatchSemaphore?

  init() {}

  /// Notes that the calling thread is about to run the handler.
  mutating func begin() { thread = Thread.currentNumber }

  mutating func end() {
    thread = 0
    canceller.take()?.signal()
  }

  /// Makes no cancellation wait for the present run.
  mutating func forget() { thread = 0 }

  /// Returns a wait for the end of a handler on another thread, to be called under no lock; `nil` if none runs.
  ///
  /// Only the activity of its thread shows whether a handler that is about to run has begun. So the wait lasts while that
  /// thread is kept from running. A handler that blocks has begun, perhaps waits for the caller, and ends the wait; so does
  /// one that goes on working.
  mutating func waiter() -> (@Sendable () -> Void)? {
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
