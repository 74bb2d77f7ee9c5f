/// The status of a target over time: the current status first, then each change of meaning.
///
/// Each iteration is a separate observation, which ends with its task. If statuses arrive faster than they are read,
/// only the newest is kept; its previous status is the last one that was read. Two successive events never have equal
/// statuses. The sequence does not throw.
public struct ReachabilityEvents: AsyncSequence, Sendable {
  let handle: EngineOwner
  let key: MonitorEngine.Machine.Key

  /// Begins an observation.
  public func makeAsyncIterator() -> Iterator {
    Iterator(subscription: Subscription(handle, key))
  }

  /// The iterator of one observation.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let subscription: Subscription

    /// Returns the next status, or `nil` once the task is cancelled.
    public func next() async -> ReachabilityEvent? {
      await subscription.sink.next()
    }

    /// Returns the next status, or `nil` once the task is cancelled.
    public func next(isolation actor: isolated (any Actor)?) async -> ReachabilityEvent? {
      await subscription.sink.next()
    }
  }

  /// Ends the observation when the iterator is released.
  fileprivate final class Subscription: Sendable {
    let sink = StreamSink<ReachabilityEvent>()
    private let handle: EngineOwner
    private let entry: MonitorEngine.Machine.EntryID

    init(_ handle: EngineOwner, _ key: MonitorEngine.Machine.Key) {
      self.handle = handle
      entry = handle.engine.add(sink, for: key)
    }

    deinit {
      handle.engine.remove(sink, from: entry)
    }
  }
}

/// The path over time: the current path first, then each change of meaning.
///
/// Each iteration is a separate observation, which ends with its task. If paths arrive faster than they are read,
/// only the newest is kept. Two successive paths are never equal. The sequence does not throw.
public struct ReachabilityPaths: AsyncSequence, Sendable {
  let handle: EngineOwner
  let requirements: ReachabilityPath.Requirements

  /// Begins an observation.
  public func makeAsyncIterator() -> Iterator {
    Iterator(subscription: Subscription(handle, requirements))
  }

  /// The iterator of one observation.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let subscription: Subscription

    /// Returns the next path, or `nil` once the task is cancelled.
    public func next() async -> ReachabilityPath? {
      await subscription.sink.next()
    }

    /// Returns the next path, or `nil` once the task is cancelled.
    public func next(isolation actor: isolated (any Actor)?) async -> ReachabilityPath? {
      await subscription.sink.next()
    }
  }

  /// Ends the observation when the iterator is released.
  fileprivate final class Subscription: Sendable {
    let sink = StreamSink<ReachabilityPath>()
    private let handle: EngineOwner

    init(_ handle: EngineOwner, _ requirements: ReachabilityPath.Requirements) {
      self.handle = handle
      handle.engine.add(sink, for: requirements)
    }

    deinit {
      handle.engine.remove(sink, from: MonitorEngine.path)
    }
  }
}

/// An observation of a target or of the path, which lasts until it is cancelled or this token is released.
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

  private let handle: EngineOwner
  private let sink: HandlerSink
  private let entry: MonitorEngine.Machine.EntryID

  init(_ handle: EngineOwner, _ key: MonitorEngine.Machine.Key, sink: HandlerSink) {
    self.handle = handle
    self.sink = sink
    entry = handle.engine.add(sink, for: key)
  }

  init(_ handle: EngineOwner, _ requirements: ReachabilityPath.Requirements, sink: HandlerSink) {
    self.handle = handle
    self.sink = sink
    entry = MonitorEngine.path
    handle.engine.add(sink, for: requirements)
  }

  /// Ends the observation: after this returns, the handler is not started again.
  ///
  /// If the handler is running on another thread, this waits for it for at most 50 milliseconds; the handler then
  /// runs to its end. The wait is longer only while the system does not schedule that thread, since the handler may
  /// not have started yet. May be called from the handler, and more than once.
  public func cancel() {
    end(waits: true)
  }

  /// Ends the observation without waiting for a handler that runs on another thread.
  package func cancelWithoutWaiting() {
    end(waits: false)
  }

  private func end(waits: Bool) {
    sink.cancel(waits: waits)
    handle.engine.remove(sink, from: entry)
  }

  deinit {
    cancel()
  }
}
