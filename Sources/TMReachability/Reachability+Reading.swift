#if !os(watchOS)
import Foundation
import SystemConfiguration

// Each of these reads the flags once, so an answer is about one moment.
extension Reachability {
  /// Reads whether the target can be reached; over a cellular link only if ``reachableOnWWAN`` is set.
  ///
  /// The original is `-isReachable`.
  public func isReachable() -> Bool {
    reachabilityFlags().isReachable(onWWAN: reachableOnWWAN)
  }

  /// Reads whether the target can be reached over a cellular link, perhaps once a connection is made.
  ///
  /// The original is `-isReachableViaWWAN`.
  public func isReachableViaWWAN() -> Bool {
    reachabilityFlags().isReachableViaWWAN
  }

  /// Reads whether the target can be reached over another than a cellular link, perhaps once a connection is made.
  ///
  /// The original is `-isReachableViaWiFi`.
  public func isReachableViaWiFi() -> Bool {
    reachabilityFlags().isReachableViaWiFi
  }

  /// Reads whether a connection must be made first, as for a VPN on demand.
  ///
  /// The original is `-isConnectionRequired`.
  public func isConnectionRequired() -> Bool {
    reachabilityFlags().contains(.connectionRequired)
  }

  /// Another name of ``isConnectionRequired()``.
  ///
  /// The original is `-connectionRequired`.
  public func connectionRequired() -> Bool {
    isConnectionRequired()
  }

  /// Reads whether a connection must be made first, and traffic makes it.
  ///
  /// The original is `-isConnectionOnDemand`.
  public func isConnectionOnDemand() -> Bool {
    reachabilityFlags().isConnectionOnDemand
  }

  /// Reads whether a connection must be made first, and somebody must help.
  ///
  /// The original is `-isInterventionRequired`.
  public func isInterventionRequired() -> Bool {
    reachabilityFlags().isInterventionRequired
  }

  /// Reads how the target can be reached; over a cellular link only if ``reachableOnWWAN`` is set.
  ///
  /// The original is `-currentReachabilityStatus`.
  public func currentReachabilityStatus() -> NetworkStatus {
    reachabilityFlags().status(onWWAN: reachableOnWWAN)
  }

  /// Reads how the target can be reached, in words: "Cellular", "WiFi" or "No Connection".
  ///
  /// The words are those of the app's own strings with these keys, else English or simplified Chinese. The original is
  /// `-currentReachabilityString`.
  public func currentReachabilityString() -> String {
    switch currentReachabilityStatus() {
    case .ReachableViaWWAN: localized("Cellular")
    case .ReachableViaWiFi: localized("WiFi")
    case .NotReachable: localized("No Connection")
    }
  }

  /// Reads the flags as a text, such as `-R ------d`.
  ///
  /// The letters are, in this order: WWAN, reachable; connection required, transient connection, intervention required,
  /// connection on traffic, connection on demand, local address, direct. The original is `-currentReachabilityFlags`.
  public func currentReachabilityFlags() -> String {
    reachabilityFlags().text
  }
}
#endif
