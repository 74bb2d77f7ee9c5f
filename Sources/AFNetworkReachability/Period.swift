#if !os(watchOS)
import Synchronization
import SystemConfiguration

/// The time from a manager's start to its stop.
///
/// Every start makes one, and what belongs to it is told by its identity from what a start before or after it brings.
final class Period: Sendable {
  private let last = Mutex<AFNetworkReachabilityStatus?>(nil)
  private let tell: @Sendable (Period, AFNetworkReachabilityStatus) -> Void

  /// Begins a period.
  ///
  /// - Parameter tell: Called at the first status, and at each that is another than the one before.
  init(_ tell: @escaping @Sendable (Period, AFNetworkReachabilityStatus) -> Void) {
    self.tell = tell
  }

  /// Notes the reference's flags.
  func note(_ flags: SCNetworkReachabilityFlags) {
    let status = AFNetworkReachabilityStatus(flags)
    let isNews = last.withLock { last in
      defer { last = status }
      return last != status
    }
    if isNews { tell(self, status) }
  }
}
#endif
