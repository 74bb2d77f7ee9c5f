// SPDX-License-Identifier: Apache-2.0
public import Foundation

#if !os(watchOS)
import ClassicReachability
import SystemConfiguration
public import Observation
#endif

/// The reachability of a manager's target.
///
/// The original is `AFNetworkReachabilityStatus`.
#if canImport(ObjectiveC)
@objc
#endif
public enum AFNetworkReachabilityStatus: Int, Sendable {
  /// No event yet, or the system cannot determine the status.
  ///
  /// The original is `AFNetworkReachabilityStatusUnknown`.
  case unknown = -1

  /// No packet can leave for the target.
  ///
  /// The original is `AFNetworkReachabilityStatusNotReachable`.
  case notReachable = 0

  /// Packets leave for the target over a cellular link.
  ///
  /// The original is `AFNetworkReachabilityStatusReachableViaWWAN`.
  case reachableViaWWAN = 1

  /// Packets leave for the target over any other link, such as Wi-Fi, a cable or a tunnel.
  ///
  /// The original is `AFNetworkReachabilityStatusReachableViaWiFi`.
  case reachableViaWiFi = 2
}

/// The status before the first event.
///
/// The original is `AFNetworkReachabilityStatusUnknown`.
public let AFNetworkReachabilityStatusUnknown = AFNetworkReachabilityStatus.unknown

/// The status of an unreachable target.
///
/// The original is `AFNetworkReachabilityStatusNotReachable`.
public let AFNetworkReachabilityStatusNotReachable = AFNetworkReachabilityStatus.notReachable

/// The status of a target that is reachable over a cellular link.
///
/// The original is `AFNetworkReachabilityStatusReachableViaWWAN`.
public let AFNetworkReachabilityStatusReachableViaWWAN = AFNetworkReachabilityStatus.reachableViaWWAN

/// The status of a target that is reachable over any link that is not cellular.
///
/// The original is `AFNetworkReachabilityStatusReachableViaWiFi`.
public let AFNetworkReachabilityStatusReachableViaWiFi = AFNetworkReachabilityStatus.reachableViaWiFi

#if !os(watchOS)
extension AFNetworkReachabilityStatus {
  /// Creates a status from a target's flags.
  ///
  /// A target that requires a connection is reachable if traffic or demand establishes it without user intervention.
  init(_ flags: SCNetworkReachabilityFlags) {
    let connectsItself =
      !flags.isDisjoint(with: [.connectionOnTraffic, .connectionOnDemand])
      && !flags.contains(.interventionRequired)
    if !flags.contains(.reachable) || flags.contains(.connectionRequired) && !connectsItself {
      self = .notReachable
    } else {
      self = flags.isOverWWAN ? .reachableViaWWAN : .reachableViaWiFi
    }
  }
}

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
