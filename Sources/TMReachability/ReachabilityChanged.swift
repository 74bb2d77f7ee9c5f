public import Foundation

/// The name of what a running ``Reachability`` posts on the main queue after each event of the system.
///
/// The object is the instance; there is no user info. The original is `kReachabilityChangedNotification`.
public let kReachabilityChangedNotification = NSNotification.Name.reachabilityChanged

extension NSNotification.Name {
  /// What a running ``Reachability`` posts on the main queue after each event of the system.
  ///
  /// The original is `kReachabilityChangedNotification`, by the name that Swift gives it.
  public static let reachabilityChanged = NSNotification.Name("kReachabilityChangedNotification")
}
