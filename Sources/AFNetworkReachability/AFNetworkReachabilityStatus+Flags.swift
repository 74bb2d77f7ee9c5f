#if !os(watchOS)
import ClassicReachability
import SystemConfiguration

extension AFNetworkReachabilityStatus {
  /// Creates a status from a target's flags.
  ///
  /// A target that requires a connection is reachable if traffic or demand establishes it without user intervention.
  init(_ flags: SCNetworkReachabilityFlags) {
    let connectsItself =
      !flags.isDisjoint(with: [.connectionOnTraffic, .connectionOnDemand])
      && !flags.contains(.interventionRequired)
    if !flags.contains(.reachable) || flags.contains(.connectionRequired) && !connectsItself {
      self = .notReachable
    } else {
      self = flags.isOverWWAN ? .reachableViaWWAN : .reachableViaWiFi
    }
  }
}
#endif
