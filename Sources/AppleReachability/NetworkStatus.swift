/// How a target can be reached.
///
/// The original is `NetworkStatus`; its constants are ``NotReachable``, ``ReachableViaWiFi`` and ``ReachableViaWWAN``.
public enum NetworkStatus: Int, Sendable {
  /// Not at all, or not without somebody's help.
  case notReachable = 0
  /// Over anything but a cellular link, so over a wire too.
  case reachableViaWiFi = 1
  /// Over a cellular link.
  case reachableViaWWAN = 2
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The status of a target that can't be reached.
///
/// The original is `NotReachable`.
public let NotReachable = NetworkStatus.notReachable

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The status of a target that can be reached over anything but a cellular link.
///
/// The original is `ReachableViaWiFi`.
public let ReachableViaWiFi = NetworkStatus.reachableViaWiFi

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The status of a target that can be reached over a cellular link.
///
/// The original is `ReachableViaWWAN`.
public let ReachableViaWWAN = NetworkStatus.reachableViaWWAN
