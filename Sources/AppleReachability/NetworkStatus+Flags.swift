#if !os(watchOS)
import ClassicReachability
import SystemConfiguration

extension NetworkStatus {
  /// Creates a status from flags, by the rules of the sample.
  ///
  /// A target is reachable without a connection, or with one that needs no user intervention. A cellular link counts
  /// even if its connection is still required.
  init(_ flags: SCNetworkReachabilityFlags) {
    let connectsItself = !flags.isDisjoint(with: [.connectionOnDemand, .connectionOnTraffic])
    let needsUser = flags.contains(.interventionRequired)
    self = .notReachable
    guard flags.contains(.reachable) else { return }
    if !flags.contains(.connectionRequired) || (connectsItself && !needsUser) { self = .reachableViaWiFi }
    if flags.isOverWWAN { self = .reachableViaWWAN }
  }

  /// Creates a status from the flags of a link-local address, which show whether there is a local network.
  init(localWiFi flags: SCNetworkReachabilityFlags) {
    self = flags.showLocalNetwork ? .reachableViaWiFi : .notReachable
  }
}
#endif
