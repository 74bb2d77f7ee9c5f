/// The observation of a manager by a block, which ends when it is cancelled or released.
///
/// It does not keep the manager alive. Safe to use from any thread.
public final class AFNetworkReachabilityObservation: Sendable {
  private let end: @Sendable () -> Void

  init(_ end: @escaping @Sendable () -> Void) {
    self.end = end
  }

  /// Ends the observation.
  ///
  /// Called on the main queue, it prevents all further calls of the block. Called on another thread, it lets a running
  /// call complete. It may be called from the block, and more than once.
  public func cancel() {
    end()
  }

  deinit {
    end()
  }
}
