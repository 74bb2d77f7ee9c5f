/// The path over time: the present one first, then each change of meaning, once.
///
/// Each iteration is an observation of its own, which ends with its task. A reader who is slower than the network
/// gets the newest path; it never gets the same path twice in a row. Nothing throws.
public struct NetworkPaths: AsyncSequence, Sendable {
  let handle: EngineHandle
  let requirements: NetworkPath.Requirements

  /// Begins an observation.
  public func makeAsyncIterator() -> Iterator {
    Iterator(subscription: Subscription(handle, requirements))
  }

  /// Waits for the paths of one observation.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let subscription: Subscription

    /// Waits for the next path; `nil` once the task is cancelled.
    public func next() async -> NetworkPath? {
      await subscription.sink.next()
    }

    /// Waits for the next path; `nil` once the task is cancelled.
    public func next(isolation actor: isolated (any Actor)?) async -> NetworkPath? {
      await subscription.sink.next()
    }
  }

  /// Ends the observation when the iterator goes.
  fileprivate final class Subscription: Sendable {
    let sink = StreamSink<NetworkPath>()
    private let handle: EngineHandle

    init(_ handle: EngineHandle, _ requirements: NetworkPath.Requirements) {
      self.handle = handle
      handle.engine.add(sink, for: requirements)
    }

    deinit {
      handle.engine.remove(sink, from: MonitorEngine.path)
    }
  }
}
