/// A block that a manager calls until this is cancelled or nobody holds it any more.
///
/// It does not keep the manager alive. Safe to use from any thread.
public final class AFNetworkReachabilityObservation: Sendable {
  private let end: @Sendable () -> Void

  init(_ end: @escaping @Sendable () -> Void) {
    self.end = end
  }

  /// Ends the observation.
  ///
  /// After a call on the main queue the block is not called any more. After a call on another thread, a call that has begun
  /// already comes to its end. May be called from the block, and more than once.
  public func cancel() {
    end()
  }

  deinit {
    end()
  }
}
