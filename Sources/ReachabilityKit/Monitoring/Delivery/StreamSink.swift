import Synchronization

/// Keeps the newest event until a reader asks for it.
// Safe to share: all state is in the Mutex.
final class StreamSink<Event: ObservedEvent>: EventSink, @unchecked Sendable {
  private struct State {
    /// The last event that the reader received.
    var seen: Event?
    var newest: Event?
    var reader: CheckedContinuation<Event?, Never>?
    var isFinished = false

    /// Takes the newest event, if it differs from the last one that the reader received.
    mutating func takeUnseen() -> Event? {
      guard let event = newest.take()?.following(seen) else { return nil }
      seen = event
      return event
    }
  }

  private let state = Mutex(State())

  override func deliver(_ news: News) -> WakeUp? {
    // The engine delivers only events of the observed type.
    guard let event = Event(news) else { return nil }
    return state.withLock { state in
      guard !state.isFinished else { return nil }
      state.newest = event
      guard let reader = state.reader, let unseen = state.takeUnseen() else { return nil }
      // No later event can overtake this one: the reader asks for the next only after it.
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

  /// Ends the stream; a waiting reader receives `nil`.
  func finish() {
    let reader = state.withLock { state in
      state.isFinished = true
      return state.reader.take()
    }
    reader?.resume(returning: nil)
  }
}
