#if !os(watchOS)
import Synchronization
import SystemConfiguration

/// The time from a manager's start to its stop.
///
/// Each start creates one. Its identity separates its events from those of earlier and later starts.
final class Period: Sendable {
  private let last = Mutex<AFNetworkReachabilityStatus?>(nil)
  private let handler: @Sendable (Period, AFNetworkReachabilityStatus) -> Void

  /// Begins a period.
  ///
  /// - Parameter handler: Receives the status of each event.
  init(_ handler: @escaping @Sendable (Period, AFNetworkReachabilityStatus) -> Void) {
    self.handler = handler
  }

  /// Takes the target's flags.
  ///
  /// - Parameters:
  ///   - flags: The flags.
  ///   - mayRepeat: Whether the event may repeat the answer to the first query. It is then discarded if its status is
  ///     equal.
  func note(_ flags: SCNetworkReachabilityFlags, mayRepeat: Bool = false) {
    let status = AFNetworkReachabilityStatus(flags)
    let isRepeated = last.withLock { last in
      defer { last = status }
      return mayRepeat && last == status
    }
    if !isRepeated { handler(self, status) }
  }
}
#endif
