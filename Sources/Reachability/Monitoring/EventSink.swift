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

/// Wakes a reader who waits for an event.
///
/// To be called under no lock: it runs code of others, and takes the lock of the reader's task, which whoever cancels the
/// task holds while the stream is ended.
typealias WakeUp = @Sendable () -> Void

/// Where an observation's events go.
///
/// Telling it only queues: it may be done under the engine's lock, and is, for the order of events.
// Safe to share: it has no state of its own. (Unchecked only because it has subclasses.)
class EventSink<Event: ObservedEvent>: @unchecked Sendable {
  /// Tells an event.
  ///
  /// - Returns: What is to be called once no lock is held.
  func deliver(_ event: Event) -> WakeUp? { nil }
}

/// Hands each event, in order, to a handler on a queue.
// Safe to share: what changes is in the Mutex, and in the jobs.
final class HandlerSink<Event: ObservedEvent>: EventSink<Event>, @unchecked Sendable {
  /// A closure in a box: on its own in the Mutex it would be wrapped anew, and once more, each time it is looked at.
  private struct Handler: Sendable {
    let call: @Sendable (Event) -> Void
  }

  private let handler: Mutex<Handler?>
  private let jobs: SerialJobs

  init(queue: DispatchQueue, handler: @escaping @Sendable (Event) -> Void) {
    self.handler = Mutex(Handler(call: handler))
    jobs = SerialJobs(on: queue)
  }

  override func deliver(_ event: Event) -> WakeUp? {
    guard let handler = handler.withLock({ $0 }) else { return nil }
    jobs.add { handler.call(event) }
    return nil
  }

  /// No handler starts after this returns; one that runs already runs to its end.
  func cancel(waits: Bool = true) {
    // What it captured goes here, outside of the lock.
    let handler = handler.withLock { $0.take() }
    jobs.cancel(waits: waits)
    _ = consume handler
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

  override func deliver(_ event: Event) -> WakeUp? {
    state.withLock { state in
      guard !state.isFinished else { return nil }
      state.newest = event
      guard let reader = state.reader, let unseen = state.takeUnseen() else { return nil }
      // No later event can overtake this one: the reader comes back for it only after this.
      state.reader = nil
      return { reader.resume(returning: unseen) }
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
