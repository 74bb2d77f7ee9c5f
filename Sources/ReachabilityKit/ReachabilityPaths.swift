/// The path over time: the current path first, then each change of meaning.
///
/// Each iteration is a separate observation, which ends with its task. If paths arrive faster than they are read,
/// only the newest is kept. Two successive paths are never equal. The sequence does not throw.
public struct ReachabilityPaths: AsyncSequence, Sendable {
  let handle: EngineHandle
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
    private let handle: EngineHandle

    init(_ handle: EngineHandle, _ requirements: ReachabilityPath.Requirements) {
      self.handle = handle
      handle.engine.add(sink, for: requirements)
    }

    deinit {
      handle.engine.remove(sink, from: MonitorEngine.path)
    }
  }
}
