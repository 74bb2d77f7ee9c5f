public import Foundation

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
