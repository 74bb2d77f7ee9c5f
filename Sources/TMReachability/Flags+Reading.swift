#if !os(watchOS)
import SystemConfiguration

/// What the flags mean to this class.
extension SCNetworkReachabilityFlags {
  /// Reachable is all but what needs a connection over a transient link; and a cellular link, if that is not wanted.
  func isReachable(onWWAN: Bool) -> Bool {
    guard contains(.reachable), !contains([.connectionRequired, .transientConnection]) else { return false }
    return onWWAN || !isOverWWAN
  }

  /// Over a cellular link, wanted or not, also if a connection must be made first.
  var isReachableViaWWAN: Bool { contains(.reachable) && isOverWWAN }

  /// Over another link, also if a connection must be made first.
  var isReachableViaWiFi: Bool { contains(.reachable) && !isOverWWAN }

  /// The three-valued summary.
  func status(onWWAN: Bool) -> NetworkStatus {
    guard isReachable(onWWAN: onWWAN) else { return .NotReachable }
    return isOverWWAN ? .ReachableViaWWAN : .ReachableViaWiFi
  }

  var isConnectionOnDemand: Bool {
    contains(.connectionRequired) && !isDisjoint(with: [.connectionOnTraffic, .connectionOnDemand])
  }

  var isInterventionRequired: Bool { contains([.connectionRequired, .interventionRequired]) }

  /// One character for each flag, `-` where it is not set and `X` where there are no cellular links.
  var text: String {
    let isSet: (SCNetworkReachabilityFlags, Character) -> Character = { contains($0) ? $1 : "-" }
    return String([
      platformHasWWAN ? (isOverWWAN ? "W" : "-") : "X", isSet(.reachable, "R"), " ",
      isSet(.connectionRequired, "c"), isSet(.transientConnection, "t"), isSet(.interventionRequired, "i"),
      isSet(.connectionOnTraffic, "C"), isSet(.connectionOnDemand, "D"), isSet(.isLocalAddress, "l"),
      isSet(.isDirect, "d"),
    ])
  }

  /// Whether the link is cellular, where there are such links; Apple's header keeps the flag from macOS.
  private var isOverWWAN: Bool { platformHasWWAN && rawValue & (1 << 18) != 0 }
}
#endif
