public import Foundation

/// The name of what a running ``Reachability`` posts when its target's reachability changes.
///
/// The object is the instance; there is no user info. The original is `kReachabilityChangedNotification`.
public let kReachabilityChangedNotification = NSNotification.Name.reachabilityChanged

extension NSNotification.Name {
  /// What a running ``Reachability`` posts when its target's reachability changes.
  ///
  /// The original is `kReachabilityChangedNotification`, by the name that Swift gives it.
  public static let reachabilityChanged = NSNotification.Name("kNetworkReachabilityChangedNotification")
}
