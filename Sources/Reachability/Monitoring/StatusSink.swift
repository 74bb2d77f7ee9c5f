import Dispatch
import Synchronization

/// Where an observation's events go.
///
/// Telling it only queues: it may be done under the engine's lock.
// Safe to share: it has no state of its own. (Unchecked only because it has subclasses.)
class StatusSink: @unchecked Sendable {
  func deliver(_ event: StatusEvent) {}
}

/// Hands each event, in order, to a handler on a queue.
// Safe to share: the queue is, and all that changes is in the Mutex.
final class HandlerSink: StatusSink, @unchecked Sendable {
  private struct State {
    var handler: (@Sendable (StatusEvent) -> Void)?
    var waiting: [StatusEvent] = []
    var isScheduled = false
  }

  private let queue: DispatchQueue
  private let state: Mutex<State>

  init(queue: DispatchQueue, handler: @escaping @Sendable (StatusEvent) -> Void) {
    self.queue = queue
    state = Mutex(State(handler: handler))
  }

  override func deliver(_ event: StatusEvent) {
    let mustSchedule = state.withLock { state in
      guard state.handler != nil else { return false }
      state.waiting.append(event)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    // One job for all that waits keeps the order even on a concurrent queue.
    if mustSchedule { queue.async { self.drain() } }
  }

  /// No handler starts after this returns; one that runs already runs to its end.
  func cancel() {
    let handler = state.withLock { state in
      state.waiting = []
      return state.handler.take()
    }
    // What the handler captured goes here, outside of the lock.
    _ = consume handler
  }

  private func drain() {
    while true {
      let next = state.withLock { state -> (handler: @Sendable (StatusEvent) -> Void, event: StatusEvent)? in
        guard let handler = state.handler, !state.waiting.isEmpty else {
          state.isScheduled = false
          return nil
        }
        return (handler, state.waiting.removeFirst())
      }
      guard let next else { return }
      next.handler(next.event)
    }
  }
}

/// Keeps the newest status for a reader who comes for it.
// Safe to share: all that changes is in the Mutex.
final class StreamSink: StatusSink, @unchecked Sendable {
  private struct State {
    /// What the reader was given last.
    var seen: Status?
    var newest: StatusEvent?
    var reader: CheckedContinuation<StatusEvent?, Never>?
    var isFinished = false

    /// The event that the reader has not seen, with the status that it saw before.
    mutating func takeUnseen() -> StatusEvent? {
      guard var event = newest.take(), event.status != seen else { return nil }
      event.previous = seen
      seen = event.status
      return event
    }
  }

  private let state = Mutex(State())

  override func deliver(_ event: StatusEvent) {
    state.withLock { state in
      guard !state.isFinished else { return }
      state.newest = event
      guard let reader = state.reader, let unseen = state.takeUnseen() else { return }
      state.reader = nil
      // Under the lock, so that no later event can overtake this one.
      reader.resume(returning: unseen)
    }
  }

  /// Waits for an event that the reader has not seen; `nil` after ``finish()``.
  func next() async -> StatusEvent? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer: StatusEvent?? = state.withLock { state in
          if state.isFinished { return .some(nil) }
          if let unseen = state.takeUnseen() { return unseen }
          precondition(state.reader == nil, "one task at a time may wait for the next status")
          state.reader = continuation
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      finish()
    }
  }

  /// Ends the stream; a waiting reader gets `nil`.
  func finish() {
    let reader = state.withLock { state in
      state.isFinished = true
      return state.reader.take()
    }
    reader?.resume(returning: nil)
  }
}
