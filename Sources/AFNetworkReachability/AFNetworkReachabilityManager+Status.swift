#if !os(watchOS)
import Foundation
public import Observation

extension AFNetworkReachabilityManager: Observable {
  /// The status of the last event, ``AFNetworkReachabilityStatus/unknown`` before the first.
  ///
  /// A stop does not change it. It changes on the main queue, observable by KVO and by Observation, which do not report
  /// an event with an equal status. The original's KVO reports every event.
  ///
  /// The original is `networkReachabilityStatus`.
  #if canImport(ObjectiveC)
  @objc
  #endif
  public var networkReachabilityStatus: AFNetworkReachabilityStatus {
    registrar.access(self, keyPath: \.networkReachabilityStatus)
    return state.withLock { $0.status }
  }

  /// Whether the target is reachable; `false` while the status is unknown.
  ///
  /// The original is `reachable`.
  #if canImport(ObjectiveC)
  @objc(reachable)
  #endif
  public var isReachable: Bool {
    // One read: the status may change between two.
    [.reachableViaWWAN, .reachableViaWiFi].contains(networkReachabilityStatus)
  }

  /// Whether the target is reachable over a cellular link.
  ///
  /// The original is `reachableViaWWAN`.
  #if canImport(ObjectiveC)
  @objc(reachableViaWWAN)
  #endif
  public var isReachableViaWWAN: Bool {
    networkReachabilityStatus == .reachableViaWWAN
  }

  /// Whether the target is reachable over a link that is not cellular.
  ///
  /// The original is `reachableViaWiFi`.
  #if canImport(ObjectiveC)
  @objc(reachableViaWiFi)
  #endif
  public var isReachableViaWiFi: Bool {
    networkReachabilityStatus == .reachableViaWiFi
  }

  /// Returns a description of the status in the user's language.
  ///
  /// The original is `-localizedNetworkReachabilityStatusString`.
  public func localizedNetworkReachabilityStatusString() -> String {
    AFStringFromNetworkReachabilityStatus(networkReachabilityStatus)
  }

  /// Sets the status, and notifies KVO and Observation if it differs.
  func setStatus(_ status: AFNetworkReachabilityStatus) {
    guard state.withLock({ $0.status != status }) else { return }
    registrar.withMutation(of: self, keyPath: \.networkReachabilityStatus) {
      announceChange {
        state.withLock { $0.status = status }
      }
    }
  }
}
#endif
