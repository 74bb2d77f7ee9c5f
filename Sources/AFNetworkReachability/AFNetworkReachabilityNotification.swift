public import Foundation

extension Notification.Name {
  /// Posted on the main queue at each event of a manager, after its blocks were called.
  ///
  /// The object is the manager. The user info has the status under ``AFNetworkingReachabilityNotificationStatusItem``.
  ///
  /// The original is `AFNetworkingReachabilityDidChangeNotification`.
  public static let AFNetworkingReachabilityDidChange = Notification.Name(
    "com.alamofire.networking.reachability.change")
}

/// The key of a notification's status: an `NSNumber` of the raw value of an ``AFNetworkReachabilityStatus``.
///
/// The original is `AFNetworkingReachabilityNotificationStatusItem`.
public let AFNetworkingReachabilityNotificationStatusItem = "AFNetworkingReachabilityNotificationStatusItem"
