#if !os(watchOS)
public import SystemConfiguration

/// An observation of a ``Reachability``, which ends when it is cancelled or released.
///
/// It keeps the instance alive. Safe to use from any thread. Not in the original, which has one block of each kind.
public final class TMReachabilityObservation: Sendable {
  /// A block that receives the instance and the event's flags.
  public typealias Block = @Sendable (Reachability, SCNetworkReachabilityFlags) -> Void

  private let reachability: Reachability
  private let id: UInt64

  init(_ reachability: Reachability, _ id: UInt64) {
    self.reachability = reachability
    self.id = id
  }

  /// Ends the observation; a running call completes.
  public func cancel() {
    reachability.removeObserver(id)
  }

  deinit { cancel() }
}
#endif
