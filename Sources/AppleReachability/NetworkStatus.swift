// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// The reachability of a target.
///
/// The original is `NetworkStatus`; its constants are ``NotReachable``, ``ReachableViaWiFi`` and ``ReachableViaWWAN``.
public enum NetworkStatus: Int, Sendable {
  /// Not reachable, or not without user intervention.
  case notReachable = 0
  /// Reachable over any link that is not cellular, including a wired one.
  case reachableViaWiFi = 1
  /// Reachable over a cellular link.
  case reachableViaWWAN = 2
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The status of an unreachable target.
///
/// The original is `NotReachable`.
public let NotReachable = NetworkStatus.notReachable

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The status of a target that is reachable over any link that is not cellular.
///
/// The original is `ReachableViaWiFi`.
public let ReachableViaWiFi = NetworkStatus.reachableViaWiFi

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The status of a target that is reachable over a cellular link.
///
/// The original is `ReachableViaWWAN`.
public let ReachableViaWWAN = NetworkStatus.reachableViaWWAN

/// The notification that a running ``Reachability`` posts when the reachability of its target changes.
///
/// The object is the instance; there is no user info. The original is `kReachabilityChangedNotification`.
public let kReachabilityChangedNotification = NSNotification.Name.reachabilityChanged

extension NSNotification.Name {
  /// The notification that a running ``Reachability`` posts when the reachability of its target changes.
  ///
  /// The original is `kReachabilityChangedNotification`, under the name that Swift imports.
  public static let reachabilityChanged = NSNotification.Name("kNetworkReachabilityChangedNotification")
}
