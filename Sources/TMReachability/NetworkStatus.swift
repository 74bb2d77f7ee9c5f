/// How a target can be reached.
///
/// The cases are spelled as Swift imports the original's. The original is `NetworkStatus`.
public enum NetworkStatus: Int, Sendable {
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Not at all.
  case NotReachable = 0
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Over anything but a cellular link, so over a wire too.
  case ReachableViaWiFi = 2
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Over a cellular link.
  case ReachableViaWWAN = 1

  /// Another name of ``NotReachable``.
  public static let notReachable = NetworkStatus.NotReachable
  /// Another name of ``ReachableViaWiFi``.
  public static let reachableViaWiFi = NetworkStatus.ReachableViaWiFi
  /// Another name of ``ReachableViaWWAN``.
  public static let reachableViaWWAN = NetworkStatus.ReachableViaWWAN
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The status of a target that can't be reached.
///
/// The original is `NotReachable`.
public let NotReachable = NetworkStatus.NotReachable

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The status of a target that can be reached over anything but a cellular link.
///
/// The original is `ReachableViaWiFi`.
public let ReachableViaWiFi = NetworkStatus.ReachableViaWiFi

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The status of a target that can be reached over a cellular link.
///
/// The original is `ReachableViaWWAN`.
public let ReachableViaWWAN = NetworkStatus.ReachableViaWWAN
