import Synchronization

/// What observers are told: in one place, however many they are.
enum News: Sendable {
  indirect case status(ReachabilityEvent)
  indirect case path(ReachabilityPath)
}

extension News {
  /// This news as it is for an observer that was told the one before last, or `nil` if there is nothing new in it.
  func following(_ before: News) -> News? {
    switch (self, before) {
    case (.status(let event), .status(let before)):
      guard event.status != before.status else { return nil }
      return .status(ReachabilityEvent(target: event.target, status: event.status, previous: before.status))
    case (.path(let path), .path(let before)):
      return path == before ? nil : self
    default:
      return self
    }
  }
}

/// What the readers of a stream are told.
protocol ObservedEvent: Sendable {
  /// What is in the news, if that is such an event.
  init?(_ news: News)

  /// The event as it is for somebody who was told another one last, or `nil` if there is nothing new in it.
  func following(_ seen: Self?) -> Self?
}

extension ReachabilityEvent: ObservedEvent {
  init?(_ news: News) {
    guard case .status(let event) = news else { return nil }
    self = event
  }

  func following(_ seen: ReachabilityEvent?) -> ReachabilityEvent? {
    guard status != seen?.status else { return nil }
    return ReachabilityEvent(target: target, status: status, previous: seen?.status)
  }
}

/// Wakes a reader who waits for an event.
///
/// To be called under no lock: it runs code of others, and takes the lock of the reader's task, which whoever cancels the
/// task holds while the stream is ended.
typealias WakeUp = @Sendable () -> Void

/// Where an observation's events go.
///
/// Telling it only queues: it may be done under the engine's lock, and is, for the order of events.
// Safe to share: it has no state of its own. (Unchecked only because it has subclasses.)
class EventSink: @unchecked Sendable {
  /// Tells an event.
  ///
  /// - Returns: What is to be called once no lock is held.
  func deliver(_ news: News) -> WakeUp? { nil }
}

/// Keeps the newest event for a reader who comes for it.
// Safe to share: all that changes is in the Mutex.
final class StreamSink<Event: ObservedEvent>: EventSink, @unchecked Sendable {
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

  override func deliver(_ news: News) -> WakeUp? {
    // The engine tells nobody of anything else than what it was asked for.
    guard let event = Event(news) else { return nil }
    return state.withLock { state in
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
