#if !os(watchOS)
import Foundation
import SystemConfiguration

// Each of these reads the flags once, so that an answer describes one moment.
extension Reachability {
  /// Returns whether the target is reachable; over a cellular link only if ``reachableOnWWAN`` is set.
  ///
  /// The original is `-isReachable`.
  public func isReachable() -> Bool {
    reachabilityFlags().isReachable(onWWAN: reachableOnWWAN)
  }

  /// Returns whether the target is reachable over a cellular link, even if a connection is required first.
  ///
  /// The original is `-isReachableViaWWAN`.
  public func isReachableViaWWAN() -> Bool {
    reachabilityFlags().isReachableViaWWAN
  }

  /// Returns whether the target is reachable over a link that is not cellular, even if a connection is required first.
  ///
  /// The original is `-isReachableViaWiFi`.
  public func isReachableViaWiFi() -> Bool {
    reachabilityFlags().isReachableViaWiFi
  }

  /// Returns whether a connection must be established first, such as an on-demand VPN.
  ///
  /// The original is `-isConnectionRequired`.
  public func isConnectionRequired() -> Bool {
    reachabilityFlags().contains(.connectionRequired)
  }

  /// Another name for ``isConnectionRequired()``.
  ///
  /// The original is `-connectionRequired`.
  public func connectionRequired() -> Bool {
    isConnectionRequired()
  }

  /// Returns whether a connection must be established first and traffic establishes it.
  ///
  /// The original is `-isConnectionOnDemand`.
  public func isConnectionOnDemand() -> Bool {
    reachabilityFlags().isConnectionOnDemand
  }

  /// Returns whether a connection must be established first and needs user intervention.
  ///
  /// The original is `-isInterventionRequired`.
  public func isInterventionRequired() -> Bool {
    reachabilityFlags().isInterventionRequired
  }

  /// Returns the current status; a cellular link counts only if ``reachableOnWWAN`` is set.
  ///
  /// The original is `-currentReachabilityStatus`.
  public func currentReachabilityStatus() -> NetworkStatus {
    reachabilityFlags().status(onWWAN: reachableOnWWAN)
  }

  /// Returns the current status as text: "Cellular", "WiFi" or "No Connection".
  ///
  /// The text is that of the app's own strings under these keys, or else English or Simplified Chinese. The original is
  /// `-currentReachabilityString`.
  public func currentReachabilityString() -> String {
    switch currentReachabilityStatus() {
    case .ReachableViaWWAN: localized("Cellular")
    case .ReachableViaWiFi: localized("WiFi")
    case .NotReachable: localized("No Connection")
    }
  }

  /// Returns the flags as text, such as `-R ------d`.
  ///
  /// The letters are, in this order: WWAN, reachable; connection required, transient connection, intervention required,
  /// connection on traffic, connection on demand, local address, direct. The original is `-currentReachabilityFlags`.
  public func currentReachabilityFlags() -> String {
    reachabilityFlags().text
  }
}
#endif
