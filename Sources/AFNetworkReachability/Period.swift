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
  /// - Parameter handler: Receives the first status, and each that differs from the one before.
  init(_ handler: @escaping @Sendable (Period, AFNetworkReachabilityStatus) -> Void) {
    self.handler = handler
  }

  /// Takes the target's flags.
  func note(_ flags: SCNetworkReachabilityFlags) {
    let status = AFNetworkReachabilityStatus(flags)
    let isNew = last.withLock { last in
      defer { last = status }
      return last != status
    }
    if isNew { handler(self, status) }
  }
}
#endif
