import Dispatch
import Synchronization

/// Hands each event to a handler on somebody's queue, one after the other and in order, until it is cancelled.
///
/// There is one for each observation: it is small, it is not generic, since generic code of a class is run as such, and
/// an event that is handled before the next one comes takes no memory here.
// Safe to share: what changes is in the Mutex.
final class HandlerSink: EventSink, @unchecked Sendable {
  private enum Handler: Sendable {
    case status(@Sendable (ReachabilityEvent) -> Void)
    case path(@Sendable (ReachabilityPath) -> Void)

    func call(_ news: News) {
      switch (self, news) {
      case (.status(let handle), .status(let event)): handle(event)
      case (.path(let handle), .path(let path)): handle(path)
      // The engine tells nobody of anything else than what it was asked for.
      case (.status, .path), (.path, .status): break
      }
    }
  }

  private struct State {
    /// `nil` once it is cancelled.
    var handler: Handler?
    /// Whether a turn was asked for that has not ended.
    var isScheduled = false
    var running = RunningHandler()
    /// The event that comes after those of a turn's own, and what comes after that.
    var next: News?
    var later: [News] = []

    mutating func add(_ news: News) {
      guard let next else {
        self.next = news
        return
      }
      if later.count < HandlerSink.limit - 1 {
        later.append(news)
      } else {
        later.removeLast()
        if let newest = news.following(later.last ?? next) { later.append(newest) }
      }
    }
  }

  /// Events that one turn leaves to the next, so that taking the first of many costs no more than that of few.
  private struct Batch: Sendable {
    var events: [News] = []
    var taken = 0

    var isEmpty: Bool { taken == events.count }

    mutating func takeFirst() -> News {
      defer { taken += 1 }
      return events[taken]
    }
  }

  /// How many events wait at most besides those of a turn's own, which were waiting when it began: a handler that blocks
  /// for good must not take more and more memory.
  static var limit: Int { 64 }

  private let queue: DispatchQueue
  private let state: Mutex<State>

  init(queue: DispatchQueue, handler: @escaping @Sendable (ReachabilityEvent) -> Void) {
    self.queue = queue
    state = Mutex(State(handler: .status(handler)))
  }

  init(queue: DispatchQueue, handler: @escaping @Sendable (ReachabilityPath) -> Void) {
    self.queue = queue
    state = Mutex(State(handler: .path(handler)))
  }

  override func deliver(_ news: News) -> WakeUp? {
    let mustSchedule = state.withLock { state in
      guard state.handler != nil else { return false }
      state.add(news)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    // Under no lock: a process that can't start threads waits in Dispatch until it can.
    guard mustSchedule else { return nil }
    return { self.schedule(Batch()) }
  }

  /// No handler starts after this returns; one that runs already runs to its end.
  ///
  /// Once somebody did not want to wait, nobody does any more.
  func cancel(waits: Bool = true) {
    let (handler, wait) = state.withLock { state -> (Handler?, (@Sendable () -> Void)?) in
      let handler = state.handler.take()
      state.next = nil
      state.later = []
      if !waits { state.running.forget() }
      return (handler, state.running.waiter())
    }
    // What it captured goes here, outside of the lock.
    _ = consume handler
    wait?()
  }

  /// One event at a time keeps the order even on a concurrent queue, and leaves the queue to others too.
  private func schedule(_ batch: Batch) {
    if batch.isEmpty {
      queue.async { self.takeTurn(Batch()) }
    } else {
      queue.async { self.takeTurn(batch) }
    }
  }

  private func takeTurn(_ events: Batch) {
    var batch = events
    let turn = state.withLock { state -> (handler: Handler, news: News)? in
      guard let handler = state.handler else { return nil }
      let news: News
      if !batch.isEmpty {
        news = batch.takeFirst()
      } else if let next = state.next.take() {
        news = next
        if !state.later.isEmpty {
          batch = Batch(events: state.later)
          state.later = []
        }
      } else {
        return nil
      }
      state.running.begin()
      return (handler, news)
    }
    if let turn { turn.handler.call(turn.news) }
    let hasMore = state.withLock { state in
      state.running.end()
      state.isScheduled = state.handler != nil && !(batch.isEmpty && state.next == nil)
      return state.isScheduled
    }
    if hasMore { schedule(batch) }
  }
}
