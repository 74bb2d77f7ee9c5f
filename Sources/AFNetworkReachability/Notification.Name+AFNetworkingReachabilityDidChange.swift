public import Foundation

extension Notification.Name {
  /// The notification that a manager posts on the main queue for each event, after its blocks.
  ///
  /// The object is the manager. The user info has the status under ``AFNetworkingReachabilityNotificationStatusItem``.
  ///
  /// The original is `AFNetworkingReachabilityDidChangeNotification`, under the name that Swift imports.
  public static let AFNetworkingReachabilityDidChange = Notification.Name(
    "com.alamofire.networking.reachability.change")
}

/// The notification that a manager posts; the same as `Notification.Name.AFNetworkingReachabilityDidChange`.
///
/// The original is `AFNetworkingReachabilityDidChangeNotification`.
public let AFNetworkingReachabilityDidChangeNotification = Notification.Name.AFNetworkingReachabilityDidChange

/// The key of a notification's status: an `NSNumber` with the raw value of an ``AFNetworkReachabilityStatus``.
///
/// The original is `AFNetworkingReachabilityNotificationStatusItem`.
public let AFNetworkingReachabilityNotificationStatusItem = "AFNetworkingReachabilityNotificationStatusItem"
