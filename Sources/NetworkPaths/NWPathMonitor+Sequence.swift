extension NWPathMonitor: AsyncSequence {
  /// The path.
  public typealias Element = NWPath
  /// An iteration ends without an error.
  public typealias Failure = Never

  /// Begins an iteration: the current path first, then each change.
  ///
  /// It needs no ``start(queue:)``, and calls no handler. If paths arrive faster than they are read, only the newest is
  /// kept.
  public func makeAsyncIterator() -> Iterator {
    let (paths, continuation) = AsyncStream.makeStream(of: NWPath.self, bufferingPolicy: .bufferingNewest(1))
    let iteration = Iteration(continuation)
    continuation.onTermination = { _ in
      iteration.end()
      self.end(iteration)
    }
    begin(iteration)
    return Iterator(paths: paths.makeAsyncIterator())
  }

  /// The iterator of one iteration.
  public struct Iterator: AsyncIteratorProtocol {
    var paths: AsyncStream<NWPath>.Iterator

    /// Returns the next path, or `nil` once the monitor or the task is cancelled.
    public mutating func next() async -> NWPath? { await paths.next() }

    /// Returns the next path, or `nil` once the monitor or the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> NWPath? {
      await paths.next(isolation: actor)
    }
  }
}
