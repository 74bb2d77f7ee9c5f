public import Dispatch

extension ReachabilityMonitor {
  /// The current path: the interfaces by which packets leave this machine, or why none can be used.
  ///
  /// Synchronous: some microseconds for each interface that has an address, without network traffic.
  public var path: ReachabilityPath { path(.none) }

  /// Returns the current path over the interfaces that the requirements allow.
  ///
  /// Synchronous: some microseconds for each interface that has an address, without network traffic.
  ///
  /// - Parameter requirements: The kinds of interface that the path may use.
  public func path(_ requirements: ReachabilityPath.Requirements) -> ReachabilityPath {
    handle.engine.path(requirements)
  }

  /// Returns the path over time: the current path first, then each change of meaning.
  ///
  /// - Parameter requirements: The kinds of interface that the path may use.
  public func paths(_ requirements: ReachabilityPath.Requirements = .none) -> ReachabilityPaths {
    ReachabilityPaths(handle: handle, requirements: requirements)
  }

  /// Calls a handler with the current path, then with each change of meaning.
  ///
  /// The first path is never older than this call. While the handler is busy, at most 128 paths are queued; after
  /// that, the newest replaces the last one.
  ///
  /// - Parameters:
  ///   - requirements: The kinds of interface that the path may use.
  ///   - queue: The queue on which the handler is called, with one path after the other, in order.
  ///   - handler: The handler to call.
  /// - Returns: The observation, which ends when it is cancelled or released.
  public func observePath(
    _ requirements: ReachabilityPath.Requirements = .none, on queue: DispatchQueue,
    handler: @escaping @Sendable (ReachabilityPath) -> Void
  ) -> ReachabilityObservation {
    ReachabilityObservation(handle, requirements, HandlerSink(queue: queue, handler: handler))
  }

  /// Calls a handler on the monitor's thread with the current path, then with each change of meaning.
  ///
  /// The fastest delivery; the handler must return quickly. The first path is never older than this call.
  ///
  /// - Parameters:
  ///   - requirements: The kinds of interface that the path may use.
  ///   - thread: The monitor's thread, ``ReachabilityObservation/DeliveryThread/monitorThread``.
  ///   - handler: The handler to call.
  /// - Returns: The observation, which ends when it is cancelled or released.
  public func observePath(
    _ requirements: ReachabilityPath.Requirements = .none, on thread: ReachabilityObservation.DeliveryThread,
    handler: @escaping @Sendable (ReachabilityPath) -> Void
  ) -> ReachabilityObservation {
    ReachabilityObservation(handle, requirements, HandlerSink(queue: nil, handler: handler))
  }
}
