// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Synchronization

/// Events over time: each iteration is a separate observation.
///
/// The newest event replaces those that were not read, so an iteration never delays another.
struct EventSequence<Event: ObservedEvent>: AsyncSequence, Sendable {
  typealias Element = Event
  typealias Failure = Never

  let handle: EngineOwner
  let subject: ObservedSubject

  func makeAsyncIterator() -> Iterator { Iterator(subscription: Subscription(handle, subject)) }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let subscription: Subscription

    /// Returns the next event, or `nil` once the task is cancelled.
    func next() async -> Event? { await subscription.sink.next() }

    /// Returns the next event, or `nil` once the task is cancelled.
    func next(isolation actor: isolated (any Actor)?) async -> Event? { await subscription.sink.next() }
  }

  /// Ends the observation when the iterator is released.
  fileprivate final class Subscription: Sendable {
    let sink = StreamSink<Event>()
    private let handle: EngineOwner
    private let entry: MonitorEngine.Machine.EntryID

    init(_ handle: EngineOwner, _ subject: ObservedSubject) {
      self.handle = handle
      entry = handle.engine.add(sink, for: subject)
    }

    deinit { handle.engine.remove(sink, from: entry) }
  }
}

/// What an observer observes.
enum ObservedSubject: Sendable {
  case target(MonitorEngine.Machine.Key)
  case path(ReachabilityPath.Requirements)
}

extension MonitorEngine {
  /// Adds an observer, and returns the entry to remove it from.
  func add(_ sink: EventSink, for subject: ObservedSubject) -> Machine.EntryID {
    switch subject {
    case .target(let key): return add(sink, for: key)
    case .path(let requirements):
      add(sink, for: requirements)
      return Self.path
    }
  }
}

/// An observation, which lasts until it is cancelled or this token is released.
///
/// The observation keeps the parts of its monitor that it needs; the monitor itself may be released. Safe to use from
/// any thread.
public final class ReachabilityObservation: Sendable {
  /// A thread of the monitor, on which handlers can be called.
  public struct DeliveryThread: Hashable, Sendable {
    /// The thread that receives the system's announcements and evaluates them.
    ///
    /// No other thread wakes up for an event, so a handler is called as early as possible. All observations of the
    /// monitor wait while it runs: return quickly, and never wait there for this monitor, for example for another event
    /// of it. The handler may call the monitor, and cancel observations. If the system can start no thread, the handler
    /// is called with unknown statuses on another thread.
    public static let monitorThread = DeliveryThread()
  }

  private enum Source: Sendable {
    case engine(EngineOwner, MonitorEngine.Machine.EntryID, HandlerSink)
    case task(Task<Void, Never>, any CancellableHandler)
  }

  private let source: Source

  init(_ handle: EngineOwner, _ subject: ObservedSubject, sink: HandlerSink) {
    source = .engine(handle, handle.engine.add(sink, for: subject), sink)
  }

  /// Observes a sequence: while the handler runs, only the newest element is kept.
  package init<Element: Sendable>(
    of elements: some AsyncSequence<Element, Never> & Sendable, on queue: DispatchQueue,
    handler: @escaping @Sendable (Element) -> Void
  ) {
    let sequential = SequentialHandler(handler)
    let task = Task {
      for await element in elements {
        // One call at a time, so that a slow handler receives the newest element next.
        await withCheckedContinuation { turn in
          queue.async {
            sequential(element)
            turn.resume()
          }
        }
      }
    }
    source = .task(task, sequential)
  }

  /// Ends the observation: after this returns, the handler is not started again.
  ///
  /// If the handler is running on another thread, this waits for it for at most 50 milliseconds; the handler then
  /// runs to its end. The wait is longer only while the system does not schedule that thread, since the handler may
  /// not have started yet. May be called from the handler, and more than once.
  public func cancel() {
    end(waits: true)
  }

  /// Ends the observation of a target or a path without waiting for a handler that runs on another thread.
  ///
  /// That of a sequence waits as ``cancel()`` does.
  package func cancelWithoutWaiting() {
    end(waits: false)
  }

  private func end(waits: Bool) {
    switch source {
    case .engine(let handle, let entry, let sink):
      sink.cancel(waits: waits)
      handle.engine.remove(sink, from: entry)
    case .task(let task, let handler):
      task.cancel()
      handler.cancel()
    }
  }

  deinit {
    cancel()
  }
}

private protocol CancellableHandler: Sendable {
  /// Cancels as ``HandlerSink/cancel(waits:)`` does when it waits.
  func cancel()
}

/// Calls a handler, one call after the other, until it is cancelled.
private final class SequentialHandler<Element: Sendable>: CancellableHandler {
  private struct State {
    /// `nil` once it is cancelled.
    var handler: (@Sendable (Element) -> Void)?
    var running = RunningHandler()
  }

  private let state: Mutex<State>

  init(_ handler: @escaping @Sendable (Element) -> Void) {
    state = Mutex(State(handler: handler))
  }

  func callAsFunction(_ element: Element) {
    let handler = state.withLock { state in
      if state.handler != nil { state.running.begin() }
      return state.handler
    }
    guard let handler else { return }
    handler(element)
    state.withLock { $0.running.end() }
  }

  func cancel() {
    let (handler, wait) = state.withLock { ($0.handler.take(), $0.running.waiter()) }
    // Its captures are released here, outside of the lock.
    _ = consume handler
    wait?()
  }
}
