#if !os(watchOS)
public import SystemConfiguration

/// One of any number of observers of a ``Reachability``, which lasts until it is cancelled or let go.
///
/// It keeps the instance alive. Safe to use from any thread. Not in the original, which has one block of each kind.
public final class TMReachabilityObservation: Sendable {
  /// What is called: with the instance and the event's flags.
  public typealias Block = @Sendable (Reachability, SCNetworkReachabilityFlags) -> Void

  private let reachability: Reachability
  private let id: UInt64

  init(_ reachability: Reachability, _ id: UInt64) {
    self.reachability = reachability
    self.id = id
  }

  /// Ends the observation; a call that is under way runs to its end.
  public func cancel() {
    reachability.removeObserver(id)
  }

  deinit { cancel() }
}
#endif
