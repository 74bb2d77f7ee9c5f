public import Dispatch

extension ReachabilityMonitor {
  /// The path now: by which interfaces packets leave this machine in general, and if by none, why not.
  ///
  /// Synchronous: some microseconds for each interface that has an address, no network involved.
  public var path: ReachabilityPath { path(.none) }

  /// Works out the path that is left now under requirements.
  ///
  /// Synchronous: some microseconds for each interface that has an address, no network involved.
  public func path(_ requirements: ReachabilityPath.Requirements) -> ReachabilityPath {
    handle.engine.path(requirements)
  }

  /// The path over time: the present one first, then each change of meaning, once.
  ///
  /// - Parameter requirements: Which kinds of interface may be used.
  public func paths(_ requirements: ReachabilityPath.Requirements = .none) -> ReachabilityPaths {
    ReachabilityPaths(handle: handle, requirements: requirements)
  }

  /// Calls a handler with the present path, then with each change of meaning, once.
  ///
  /// The present path is never older than this call. While the handler is busy, no more than 128 paths wait for it. Then the
  /// newest takes the place of the last one.
  ///
  /// - Parameters:
  ///   - requirements: Which kinds of interface may be used.
  ///   - queue: Where the handler is called, with one path after the other, in order.
  ///   - handler: What to call.
  /// - Returns: The observation, which ends when it is cancelled or let go.
  public func observePath(
    _ requirements: ReachabilityPath.Requirements = .none, on queue: DispatchQueue,
    handler: @escaping @Sendable (ReachabilityPath) -> Void
  ) -> ReachabilityObservation {
    ReachabilityObservation(handle, requirements, HandlerSink(queue: queue, handler: handler))
  }
}
