import Foundation

/// Whether what a manager is about can be reached, and how.
///
/// The original is `AFNetworkReachabilityStatus`.
#if canImport(ObjectiveC)
@objc
#endif
public enum AFNetworkReachabilityStatus: Int, Sendable {
  /// Not told yet, or the system cannot tell.
  ///
  /// The original is `AFNetworkReachabilityStatusUnknown`.
  case unknown = -1

  /// No packet can leave for it.
  ///
  /// The original is `AFNetworkReachabilityStatusNotReachable`.
  case notReachable = 0

  /// Packets leave for it by a cellular link.
  ///
  /// The original is `AFNetworkReachabilityStatusReachableViaWWAN`.
  case reachableViaWWAN = 1

  /// Packets leave for it by any other link: Wi-Fi, a cable, a tunnel.
  ///
  /// The original is `AFNetworkReachabilityStatusReachableViaWiFi`.
  case reachableViaWiFi = 2
}
