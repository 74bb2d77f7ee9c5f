#if !os(watchOS)
import ClassicReachability
import SystemConfiguration

// The original's rules for the meaning of flags.
extension SCNetworkReachabilityFlags {
  /// Returns whether the target is reachable; one that requires a connection over a transient link is not.
  ///
  /// - Parameter onWWAN: Whether a cellular link counts.
  func isReachable(onWWAN: Bool) -> Bool {
    guard contains(.reachable), !contains([.connectionRequired, .transientConnection]) else { return false }
    return onWWAN || !isOverWWAN
  }

  /// Whether the link is cellular, even if a connection is required.
  var isReachableViaWWAN: Bool { contains(.reachable) && isOverWWAN }

  /// Whether the link is not cellular, even if a connection is required.
  var isReachableViaWiFi: Bool { contains(.reachable) && !isOverWWAN }

  /// Returns the status, with or without cellular links.
  func status(onWWAN: Bool) -> NetworkStatus {
    guard isReachable(onWWAN: onWWAN) else { return .NotReachable }
    return isOverWWAN ? .ReachableViaWWAN : .ReachableViaWiFi
  }

  var isConnectionOnDemand: Bool {
    contains(.connectionRequired) && !isDisjoint(with: [.connectionOnTraffic, .connectionOnDemand])
  }

  var isInterventionRequired: Bool { contains([.connectionRequired, .interventionRequired]) }

  /// One character for each flag, `-` where it is not set and `X` where the system reports no cellular links.
  var text: String { Self.reportWWAN ? text("WR ctiCDld") : "X" + text("R ctiCDld") }
}
#endif
