// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// The destination of an observation's events.
///
/// Delivery only queues, so the engine delivers under its lock, which gives events one order.
// Safe to share: it has no state. (Unchecked only because it has subclasses.)
class EventSink: @unchecked Sendable {
  /// Delivers an event; returns whether to call ``wakeUp()`` once no lock is held.
  func deliver(_ event: MonitorEvent) -> Bool { false }

  /// Wakes what waits for the event.
  ///
  /// It runs foreign code, and takes the lock of a reader's task. A task that is being cancelled holds that lock while it
  /// ends the stream.
  func wakeUp() {}
}

/// The observers to wake up once no lock is held; mostly one, for which no array is allocated.
struct WokenSinks: Sendable {
  private var first: EventSink?
  private var others: [EventSink] = []

  mutating func add(_ sink: EventSink) {
    if first == nil { first = sink } else { others.append(sink) }
  }

  func wakeUp() {
    first?.wakeUp()
    for sink in others { sink.wakeUp() }
  }
}

/// An event for observers: one allocation, however many they are.
final class MonitorEvent: Sendable {
  enum Content: Sendable {
    case status(ReachabilityEvent)
    case path(ReachabilityPath)
  }

  let content: Content

  init(_ content: Content) { self.content = content }
}

extension MonitorEvent {
  /// This event for an observer that skipped all after an earlier one, or `nil` if nothing differs from that.
  func following(_ before: MonitorEvent) -> MonitorEvent? {
    switch (content, before.content) {
    case (.status(let event), .status(let before)): event.following(before).map { MonitorEvent(.status($0)) }
    case (.path(let path), .path(let before)): path.following(before).map { MonitorEvent(.path($0)) }
    default: self
    }
  }
}

/// An event of a stream.
protocol ObservedEvent: Sendable {
  /// What the event contains, if it has this type.
  init?(_ event: MonitorEvent)

  /// This event for a reader that has seen another one last, or `nil` if nothing differs from that.
  func following(_ seen: Self?) -> Self?
}

extension ReachabilityEvent: ObservedEvent {
  init?(_ event: MonitorEvent) {
    guard case .status(let event) = event.content else { return nil }
    self = event
  }

  func following(_ seen: ReachabilityEvent?) -> ReachabilityEvent? {
    guard status != seen?.status else { return nil }
    return ReachabilityEvent(target: target, status: status, previous: seen?.status)
  }
}

extension ReachabilityPath: ObservedEvent {
  init?(_ event: MonitorEvent) {
    guard case .path(let path) = event.content else { return nil }
    self = path
  }

  func following(_ seen: ReachabilityPath?) -> ReachabilityPath? { self == seen ? nil : self }
}

/// Keeps the newest event until a reader asks for it.
// Safe to share: all state is in the Mutex.
final class StreamSink<Event: ObservedEvent>: EventSink, @unchecked Sendable {
  private struct State {
    /// The last event that the reader received.
    var seen: Event?
    var newest: Event?
    var reader: CheckedContinuation<Event?, Never>?
    /// A reader to wake, and its event.
    var woken: (reader: CheckedContinuation<Event?, Never>, event: Event)?
    var isFinished = false

    /// Removes the newest event, if it differs from the last one that the reader received.
    mutating func dequeueUnseen() -> Event? {
      guard let event = newest.take()?.following(seen) else { return nil }
      seen = event
      return event
    }
  }

  private let state = Mutex(State())

  override func deliver(_ event: MonitorEvent) -> Bool {
    // The engine delivers only events of the observed type.
    guard let event = Event(event) else { return false }
    return state.withLock { state in
      guard !state.isFinished else { return false }
      state.newest = event
      guard let reader = state.reader, let unseen = state.dequeueUnseen() else { return false }
      // No later event can overtake this one: the reader asks for the next only after it.
      state.reader = nil
      state.woken = (reader, unseen)
      return true
    }
  }

  override func wakeUp() {
    guard let woken = state.withLock({ $0.woken.take() }) else { return }
    woken.reader.resume(returning: woken.event)
  }

  /// Waits for an event that the reader has not seen; `nil` after ``finish()``.
  func next() async -> Event? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer: Event?? = state.withLock { state in
          if state.isFinished { return .some(nil) }
          if let unseen = state.dequeueUnseen() { return unseen }
          precondition(state.reader == nil, "one task at a time may wait for the next event")
          state.reader = continuation
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      finish()
    }
  }

  /// Ends the stream; a waiting reader receives `nil`.
  func finish() {
    let reader = state.withLock { state in
      state.isFinished = true
      return state.reader.take()
    }
    reader?.resume(returning: nil)
  }
}

/// Cancels the operation that a task waits for, without cancelling the task.
package final class Canceller: Sendable {
  private struct State {
    var isCancelled = false
    var cancel: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  package init() {}

  /// Cancels the present operation and all later ones.
  package func cancel() {
    let cancel = state.withLock { state in
      state.isCancelled = true
      return state.cancel.take()
    }
    cancel?()
  }

  /// Runs an operation, one at a time; the calling task's cancellation cancels it, too.
  package func run<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let work = Task { try await body() }
    let isCancelled = state.withLock { state in
      state.cancel = { work.cancel() }
      return state.isCancelled
    }
    if isCancelled { work.cancel() }
    return try await withTaskCancellationHandler {
      try await work.value
    } onCancel: {
      work.cancel()
    }
  }
}
