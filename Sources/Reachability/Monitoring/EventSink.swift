import Dispatch
import Synchronization

/// What observers are told.
protocol ObservedEvent: Sendable {
  /// The event as it is for somebody who was told another one last, or `nil` if there is nothing new in it.
  func following(_ seen: Self?) -> Self?
}

extension StatusEvent: ObservedEvent {
  func following(_ seen: StatusEvent?) -> StatusEvent? {
    guard status != seen?.status else { return nil }
    return StatusEvent(target: target, status: status, previous: seen?.status)
  }
}

/// Where the events of a target's observation go.
typealias StatusSink = EventSink<StatusEvent>

/// Where an observation's events go.
///
/// Telling it only queues: it may be done under the engine's lock.
// Safe to share: it has no state of its own. (Unchecked only because it has subclasses.)
class EventSink<Event: ObservedEvent>: @unchecked Sendable {
  func deliver(_ event: Event) {}
}

/// Hands each event, in order, to a handler on a queue.
// Safe to share: the queue is, and all that changes is in the Mutex.
final class HandlerSink<Event: ObservedEvent>: EventSink<Event>, @unchecked Sendable {
  private struct State {
    var handler: (@Sendable (Event) -> Void)?
    var waiting: [Event] = []
    var isScheduled = false
    /// The thread that runs the handler now.
    var runner: UInt?
    /// Signalled when the handler that runs now returns.
    var canceller: DispatchSemaphore?
  }

  /// How long a cancellation waits at most for a handler that runs.
  private static var patience: DispatchTimeInterval { .milliseconds(50) }

  private let queue: DispatchQueue
  private let state: Mutex<State>

  init(queue: DispatchQueue, handler: @escaping @Sendable (Event) -> Void) {
    self.queue = queue
    state = Mutex(State(handler: handler))
  }

  override func deliver(_ event: Event) {
    let mustSchedule = state.withLock { state in
      guard state.handler != nil else { return false }
      state.waiting.append(event)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if mustSchedule { schedule() }
  }

  /// No handler starts after this returns; one that runs already runs to its end.
  ///
  /// Whether a handler that is about to run on another thread has begun, nobody can tell but by its end. So that is
  /// waited for, but only for as long as no thread needs to get from here to there: the handler may wait for the
  /// caller.
  func cancel() {
    let (handler, semaphore) = state.withLock { state in
      state.waiting = []
      guard let runner = state.runner, runner != currentThreadNumber() else {
        return (state.handler.take(), nil as DispatchSemaphore?)
      }
      let semaphore = state.canceller ?? DispatchSemaphore(value: 0)
      state.canceller = semaphore
      return (state.handler.take(), semaphore)
    }
    if let semaphore {
      _ = semaphore.wait(timeout: .now() + Self.patience)
      // For others who wait for the same.
      semaphore.signal()
    }
    // What the handler captured goes here, outside of the lock.
    _ = consume handler
  }

  /// One job at a time keeps the order even on a concurrent queue; one event a job leaves the queue to others too.
  private func schedule() {
    queue.async { self.handleNext() }
  }

  private func handleNext() {
    let next = state.withLock { state -> (handler: @Sendable (Event) -> Void, event: Event)? in
      guard let handler = state.handler, !state.waiting.isEmpty else { return nil }
      state.runner = currentThreadNumber()
      return (handler, state.waiting.removeFirst())
    }
    if let next { next.handler(next.event) }
    let hasMore = state.withLock { state in
      state.runner = nil
      state.canceller.take()?.signal()
      state.isScheduled = !state.waiting.isEmpty
      return state.isScheduled
    }
    if hasMore { schedule() }
  }
}

/// Keeps the newest event for a reader who comes for it.
// Safe to share: all that changes is in the Mutex.
final class StreamSink<Event: ObservedEvent>: EventSink<Event>, @unchecked Sendable {
  private struct State {
    /// What the reader was given last.
    var seen: Event?
    var newest: Event?
    var reader: CheckedContinuation<Event?, Never>?
    var isFinished = false

    /// What is new to the reader, as it is after what it saw before.
    mutating func takeUnseen() -> Event? {
      guard let event = newest.take()?.following(seen) else { return nil }
      seen = event
      return event
    }
  }

  private let state = Mutex(State())

  override func deliver(_ event: Event) {
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
  func next() async -> Event? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer: Event?? = state.withLock { state in
          if state.isFinished { return .some(nil) }
          if let unseen = state.takeUnseen() { return unseen }
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

  /// Ends the stream; a waiting reader gets `nil`.
  func finish() {
    let reader = state.withLock { state in
      state.isFinished = true
      return state.reader.take()
    }
    reader?.resume(returning: nil)
  }
}
