/// The status of a target over time: the current status first, then each change of meaning.
///
/// Each iteration is a separate observation, which ends with its task. If statuses arrive faster than they are read,
/// only the newest is kept; its previous status is the last one that was read. Two successive events never have equal
/// statuses. The sequence does not throw.
public struct ReachabilityEvents: AsyncSequence, Sendable {
  let handle: EngineHandle
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
    private let handle: EngineHandle
    private let entry: MonitorEngine.Machine.EntryID

    init(_ handle: EngineHandle, _ key: MonitorEngine.Machine.Key) {
      self.handle = handle
      entry = handle.engine.add(sink, for: key)
    }

    deinit {
      handle.engine.remove(sink, from: entry)
    }
  }
}
