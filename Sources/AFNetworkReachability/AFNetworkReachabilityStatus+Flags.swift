#if !os(watchOS)
import SystemConfiguration

extension AFNetworkReachabilityStatus {
  /// Reads a target's flags.
  ///
  /// A connection that must be made first counts if it makes itself: by traffic or on demand, without a person.
  init(_ flags: SCNetworkReachabilityFlags) {
    let connectsItself =
      !flags.isDisjoint(with: [.connectionOnTraffic, .connectionOnDemand])
      && !flags.contains(.interventionRequired)
    if !flags.contains(.reachable) || flags.contains(.connectionRequired) && !connectsItself {
      self = .notReachable
    } else {
      self = flags.isCellular ? .reachableViaWWAN : .reachableViaWiFi
    }
  }
}

extension SCNetworkReachabilityFlags {
  #if os(macOS)
  /// A Mac has no cellular link, and no flag for it.
  fileprivate var isCellular: Bool { false }
  #else
  fileprivate var isCellular: Bool { contains(.isWWAN) }
  #endif
}
#endif
