/// The status of a target over time: the present one first, then each change of meaning.
///
/// Each iteration is an observation of its own, which ends with its task. A reader who is slower than the network
/// gets the newest status, with the one that it saw before as the previous one; it never gets the same status twice
/// in a row. Nothing throws.
public struct ReachabilityEvents: AsyncSequence, Sendable {
  let handle: EngineHandle
  let key: MonitorEngine.Machine.Key

  /// Begins an observation.
  public func makeAsyncIterator() -> Iterator {
    Iterator(subscription: Subscription(handle, key))
  }

  /// Waits for the statuses of one observation.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let subscription: Subscription

    /// Waits for the next status; `nil` once the task is cancelled.
    public func next() async -> ReachabilityEvent? {
      await subscription.sink.next()
    }

    /// Waits for the next status; `nil` once the task is cancelled.
    public func next(isolation actor: isolated (any Actor)?) async -> ReachabilityEvent? {
      await subscription.sink.next()
    }
  }

  /// Ends the observation when the iterator goes.
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
