#if !os(watchOS)
#if canImport(ObjectiveC)
import Foundation

// The status has no setter that KVO observes, so its changes are announced here. KVO finds the dependent properties by
// the names of these methods.
extension AFNetworkReachabilityManager {
  func announceChange(_ change: () -> Void) {
    willChangeValue(forKey: "networkReachabilityStatus")
    change()
    didChangeValue(forKey: "networkReachabilityStatus")
  }

  @objc private class func keyPathsForValuesAffectingReachable() -> Set<String> {
    ["networkReachabilityStatus"]
  }

  @objc private class func keyPathsForValuesAffectingReachableViaWWAN() -> Set<String> {
    ["networkReachabilityStatus"]
  }

  @objc private class func keyPathsForValuesAffectingReachableViaWiFi() -> Set<String> {
    ["networkReachabilityStatus"]
  }
}
#else
extension AFNetworkReachabilityManager {
  func announceChange(_ change: () -> Void) {
    change()
  }
}
#endif
#endif
