// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// The reachability of a target.
///
/// The cases are spelled as Swift imports the original's. The original is `NetworkStatus`.
public enum NetworkStatus: Int, Sendable {
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Not reachable.
  case NotReachable = 0
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Reachable over any link that is not cellular, including a wired one.
  case ReachableViaWiFi = 2
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Reachable over a cellular link.
  case ReachableViaWWAN = 1

  /// Another name for ``NotReachable``.
  public static let notReachable = NetworkStatus.NotReachable
  /// Another name for ``ReachableViaWiFi``.
  public static let reachableViaWiFi = NetworkStatus.ReachableViaWiFi
  /// Another name for ``ReachableViaWWAN``.
  public static let reachableViaWWAN = NetworkStatus.ReachableViaWWAN
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The status of an unreachable target.
///
/// The original is `NotReachable`.
public let NotReachable = NetworkStatus.NotReachable

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The status of a target that is reachable over any link that is not cellular.
///
/// The original is `ReachableViaWiFi`.
public let ReachableViaWiFi = NetworkStatus.ReachableViaWiFi

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The status of a target that is reachable over a cellular link.
///
/// The original is `ReachableViaWWAN`.
public let ReachableViaWWAN = NetworkStatus.ReachableViaWWAN

/// The notification that a running ``Reachability`` posts on the main queue after each event of the system.
///
/// The object is the instance; there is no user info. The original is `kReachabilityChangedNotification`.
public let kReachabilityChangedNotification = NSNotification.Name.reachabilityChanged

extension NSNotification.Name {
  /// The notification that a running ``Reachability`` posts on the main queue after each event of the system.
  ///
  /// The original is `kReachabilityChangedNotification`, under the name that Swift imports.
  public static let reachabilityChanged = NSNotification.Name("kReachabilityChangedNotification")
}
