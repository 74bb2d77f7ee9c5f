// SPDX-License-Identifier: Apache-2.0
#if !os(watchOS)
import Foundation

// The spellings of Objective-C, so that the compiler names their replacements in code that was translated word by word.
extension AFNetworkReachabilityManager {
  /// The spelling of Objective-C.
  @available(*, unavailable, renamed: "shared()")
  public class func sharedManager() -> AFNetworkReachabilityManager { .shared() }

  /// The spelling of Objective-C.
  @available(*, unavailable, renamed: "init()")
  public class func manager() -> AFNetworkReachabilityManager { .init() }

  /// The spelling of Objective-C.
  @available(*, unavailable, renamed: "init(forDomain:)")
  public class func managerForDomain(_ domain: String) -> AFNetworkReachabilityManager {
    .init(forDomain: domain)
  }

  /// The spelling of Objective-C.
  @available(*, unavailable, renamed: "init(forAddress:)")
  public class func managerForAddress(_ address: UnsafeRawPointer) -> AFNetworkReachabilityManager { .init() }

  /// The spelling of Objective-C.
  @available(*, unavailable, renamed: "setReachabilityStatusChange(_:)")
  public func setReachabilityStatusChangeBlock(
    _ block: (@MainActor @Sendable (AFNetworkReachabilityStatus) -> Void)?
  ) {}

  /// The spelling of Objective-C.
  @available(*, unavailable, renamed: "isReachable")
  public var reachable: Bool { isReachable }

  /// The spelling of Objective-C.
  @available(*, unavailable, renamed: "isReachableViaWWAN")
  public var reachableViaWWAN: Bool { isReachableViaWWAN }

  /// The spelling of Objective-C.
  @available(*, unavailable, renamed: "isReachableViaWiFi")
  public var reachableViaWiFi: Bool { isReachableViaWiFi }
}

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
