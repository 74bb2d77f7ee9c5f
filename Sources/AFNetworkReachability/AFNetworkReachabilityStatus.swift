import Foundation

/// The reachability of a manager's target.
///
/// The original is `AFNetworkReachabilityStatus`.
#if canImport(ObjectiveC)
@objc
#endif
public enum AFNetworkReachabilityStatus: Int, Sendable {
  /// No event yet, or the system cannot determine the status.
  ///
  /// The original is `AFNetworkReachabilityStatusUnknown`.
  case unknown = -1

  /// No packet can leave for the target.
  ///
  /// The original is `AFNetworkReachabilityStatusNotReachable`.
  case notReachable = 0

  /// Packets leave for the target over a cellular link.
  ///
  /// The original is `AFNetworkReachabilityStatusReachableViaWWAN`.
  case reachableViaWWAN = 1

  /// Packets leave for the target over any other link, such as Wi-Fi, a cable or a tunnel.
  ///
  /// The original is `AFNetworkReachabilityStatusReachableViaWiFi`.
  case reachableViaWiFi = 2
}
