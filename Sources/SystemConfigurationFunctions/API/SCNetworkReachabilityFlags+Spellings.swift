// SPDX-License-Identifier: Apache-2.0
// Spellings of C, Objective-C and Swift 2. The compiler names the replacement and offers to insert it.

/// Unavailable: the C name of ``SCNetworkReachability``.
@available(*, unavailable, renamed: "SCNetworkReachability")
public typealias SCNetworkReachabilityRef = SCNetworkReachability

/// Unavailable: the C name of ``SCNetworkReachabilityFlags/transientConnection``.
@available(*, unavailable, renamed: "SCNetworkReachabilityFlags.transientConnection")
public var kSCNetworkReachabilityFlagsTransientConnection: SCNetworkReachabilityFlags { .transientConnection }
/// Unavailable: the C name of ``SCNetworkReachabilityFlags/reachable``.
@available(*, unavailable, renamed: "SCNetworkReachabilityFlags.reachable")
public var kSCNetworkReachabilityFlagsReachable: SCNetworkReachabilityFlags { .reachable }
/// Unavailable: the C name of ``SCNetworkReachabilityFlags/connectionRequired``.
@available(*, unavailable, renamed: "SCNetworkReachabilityFlags.connectionRequired")
public var kSCNetworkReachabilityFlagsConnectionRequired: SCNetworkReachabilityFlags { .connectionRequired }
/// Unavailable: the C name of ``SCNetworkReachabilityFlags/connectionOnTraffic``.
@available(*, unavailable, renamed: "SCNetworkReachabilityFlags.connectionOnTraffic")
public var kSCNetworkReachabilityFlagsConnectionOnTraffic: SCNetworkReachabilityFlags { .connectionOnTraffic }
/// Unavailable: the C name of ``SCNetworkReachabilityFlags/connectionAutomatic``.
@available(*, unavailable, renamed: "SCNetworkReachabilityFlags.connectionAutomatic")
public var kSCNetworkReachabilityFlagsConnectionAutomatic: SCNetworkReachabilityFlags { .connectionAutomatic }
/// Unavailable: the C name of ``SCNetworkReachabilityFlags/interventionRequired``.
@available(*, unavailable, renamed: "SCNetworkReachabilityFlags.interventionRequired")
public var kSCNetworkReachabilityFlagsInterventionRequired: SCNetworkReachabilityFlags {
  .interventionRequired
}
/// Unavailable: the C name of ``SCNetworkReachabilityFlags/connectionOnDemand``.
@available(*, unavailable, renamed: "SCNetworkReachabilityFlags.connectionOnDemand")
public var kSCNetworkReachabilityFlagsConnectionOnDemand: SCNetworkReachabilityFlags { .connectionOnDemand }
/// Unavailable: the C name of ``SCNetworkReachabilityFlags/isLocalAddress``.
@available(*, unavailable, renamed: "SCNetworkReachabilityFlags.isLocalAddress")
public var kSCNetworkReachabilityFlagsIsLocalAddress: SCNetworkReachabilityFlags { .isLocalAddress }
/// Unavailable: the C name of ``SCNetworkReachabilityFlags/isDirect``.
@available(*, unavailable, renamed: "SCNetworkReachabilityFlags.isDirect")
public var kSCNetworkReachabilityFlagsIsDirect: SCNetworkReachabilityFlags { .isDirect }
/// Unavailable: the C name of ``SCNetworkReachabilityFlags/isWWAN``.
@available(*, unavailable, renamed: "SCNetworkReachabilityFlags.isWWAN")
public var kSCNetworkReachabilityFlagsIsWWAN: SCNetworkReachabilityFlags { .isWWAN }

extension SCNetworkReachabilityFlags {
  /// Unavailable: the name of ``transientConnection`` in Swift 2.
  @available(*, unavailable, renamed: "transientConnection")
  public static var TransientConnection: SCNetworkReachabilityFlags { .transientConnection }
  /// Unavailable: the name of ``reachable`` in Swift 2.
  @available(*, unavailable, renamed: "reachable")
  public static var Reachable: SCNetworkReachabilityFlags { .reachable }
  /// Unavailable: the name of ``connectionRequired`` in Swift 2.
  @available(*, unavailable, renamed: "connectionRequired")
  public static var ConnectionRequired: SCNetworkReachabilityFlags { .connectionRequired }
  /// Unavailable: the name of ``connectionOnTraffic`` in Swift 2.
  @available(*, unavailable, renamed: "connectionOnTraffic")
  public static var ConnectionOnTraffic: SCNetworkReachabilityFlags { .connectionOnTraffic }
  /// Unavailable: the name of ``connectionAutomatic`` in Swift 2.
  @available(*, unavailable, renamed: "connectionAutomatic")
  public static var ConnectionAutomatic: SCNetworkReachabilityFlags { .connectionAutomatic }
  /// Unavailable: the name of ``interventionRequired`` in Swift 2.
  @available(*, unavailable, renamed: "interventionRequired")
  public static var InterventionRequired: SCNetworkReachabilityFlags { .interventionRequired }
  /// Unavailable: the name of ``connectionOnDemand`` in Swift 2.
  @available(*, unavailable, renamed: "connectionOnDemand")
  public static var ConnectionOnDemand: SCNetworkReachabilityFlags { .connectionOnDemand }
  /// Unavailable: the name of ``isLocalAddress`` in Swift 2.
  @available(*, unavailable, renamed: "isLocalAddress")
  public static var IsLocalAddress: SCNetworkReachabilityFlags { .isLocalAddress }
  /// Unavailable: the name of ``isDirect`` in Swift 2.
  @available(*, unavailable, renamed: "isDirect")
  public static var IsDirect: SCNetworkReachabilityFlags { .isDirect }
  /// Unavailable: the name of ``isWWAN`` in Swift 2.
  @available(*, unavailable, renamed: "isWWAN")
  public static var IsWWAN: SCNetworkReachabilityFlags { .isWWAN }
}
