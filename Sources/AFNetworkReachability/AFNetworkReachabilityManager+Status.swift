#if !os(watchOS)
import Foundation
public import Observation

extension AFNetworkReachabilityManager: Observable {
  /// The status that the last event told, ``AFNetworkReachabilityStatus/unknown`` before the first.
  ///
  /// It stays after a stop. Changes happen on the main queue, and can be observed by KVO and by Observation.
  ///
  /// The original is `networkReachabilityStatus`.
  #if canImport(ObjectiveC)
  @objc
  #endif
  public var networkReachabilityStatus: AFNetworkReachabilityStatus {
    registrar.access(self, keyPath: \.networkReachabilityStatus)
    return state.withLock { $0.status }
  }

  /// Whether it can be reached; `false` also while the status is not known.
  ///
  /// The original is `reachable`.
  #if canImport(ObjectiveC)
  @objc(reachable)
  #endif
  public var isReachable: Bool {
    // One reading: between two, the status may go from one to the other.
    [.reachableViaWWAN, .reachableViaWiFi].contains(networkReachabilityStatus)
  }

  /// Whether it can be reached by a cellular link.
  ///
  /// The original is `reachableViaWWAN`.
  #if canImport(ObjectiveC)
  @objc(reachableViaWWAN)
  #endif
  public var isReachableViaWWAN: Bool {
    networkReachabilityStatus == .reachableViaWWAN
  }

  /// Whether it can be reached by another link.
  ///
  /// The original is `reachableViaWiFi`.
  #if canImport(ObjectiveC)
  @objc(reachableViaWiFi)
  #endif
  public var isReachableViaWiFi: Bool {
    networkReachabilityStatus == .reachableViaWiFi
  }

  /// Describes the status in the user's language.
  ///
  /// The original is `-localizedNetworkReachabilityStatusString`.
  public func localizedNetworkReachabilityStatusString() -> String {
    AFStringFromNetworkReachabilityStatus(networkReachabilityStatus)
  }

  /// Sets the status, and tells KVO and Observation.
  func setStatus(_ status: AFNetworkReachabilityStatus) {
    registrar.withMutation(of: self, keyPath: \.networkReachabilityStatus) {
      announceChange {
        state.withLock { $0.status = status }
      }
    }
  }
}
#endif
