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

/// The status before the first event.
///
/// The original is `AFNetworkReachabilityStatusUnknown`.
public let AFNetworkReachabilityStatusUnknown = AFNetworkReachabilityStatus.unknown

/// The status of an unreachable target.
///
/// The original is `AFNetworkReachabilityStatusNotReachable`.
public let AFNetworkReachabilityStatusNotReachable = AFNetworkReachabilityStatus.notReachable

/// The status of a target that is reachable over a cellular link.
///
/// The original is `AFNetworkReachabilityStatusReachableViaWWAN`.
public let AFNetworkReachabilityStatusReachableViaWWAN = AFNetworkReachabilityStatus.reachableViaWWAN

/// The status of a target that is reachable over any link that is not cellular.
///
/// The original is `AFNetworkReachabilityStatusReachableViaWiFi`.
public let AFNetworkReachabilityStatusReachableViaWiFi = AFNetworkReachabilityStatus.reachableViaWiFi
