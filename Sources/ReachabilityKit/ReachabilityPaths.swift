/// The path over time: the present one first, then each change of meaning, once.
///
/// Each iteration is an observation of its own, which ends with its task. A reader who is slower than the network
/// gets the newest path; it never gets the same path twice in a row. Nothing throws.
public struct ReachabilityPaths: AsyncSequence, Sendable {
  let handle: EngineHandle
  let requirements: ReachabilityPath.Requirements

  /// Begins an observation.
  public func makeAsyncIterator() -> Iterator {
    Iterator(subscription: Subscription(handle, requirements))
  }

  /// Waits for the paths of one observation.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let subscription: Subscription

    /// Waits for the next path; `nil` once the task is cancelled.
    public func next() async -> ReachabilityPath? {
      await subscription.sink.next()
    }

    /// Waits for the next path; `nil` once the task is cancelled.
    public func next(isolation actor: isolated (any Actor)?) async -> ReachabilityPath? {
      await subscription.sink.next()
    }
  }

  /// Ends the observation when the iterator goes.
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
