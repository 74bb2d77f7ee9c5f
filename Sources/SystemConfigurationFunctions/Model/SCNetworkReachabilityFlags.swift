// SPDX-License-Identifier: Apache-2.0
/// The reachability of a target, and the kind of its path.
///
/// The Apple symbol is `SCNetworkReachabilityFlags`.
public struct SCNetworkReachabilityFlags: OptionSet, Sendable {
  /// The flags as Apple's bits.
  public let rawValue: UInt32

  /// Creates flags from Apple's bits.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// The link is dialled or tunnelled (PPP, cellular, VPN); `kSCNetworkReachabilityFlagsTransientConnection`.
  public static let transientConnection = SCNetworkReachabilityFlags(rawValue: 1 << 0)
  /// A packet can leave this machine now, or with ``connectionRequired`` once a connection is established;
  /// `kSCNetworkReachabilityFlagsReachable`.
  public static let reachable = SCNetworkReachabilityFlags(rawValue: 1 << 1)
  /// A connection must be established first; `kSCNetworkReachabilityFlagsConnectionRequired`.
  public static let connectionRequired = SCNetworkReachabilityFlags(rawValue: 1 << 2)
  /// Traffic establishes the connection; `kSCNetworkReachabilityFlagsConnectionOnTraffic`.
  ///
  /// Never set on Linux.
  public static let connectionOnTraffic = SCNetworkReachabilityFlags(rawValue: 1 << 3)
  /// The user must act first; `kSCNetworkReachabilityFlagsInterventionRequired`.
  ///
  /// Never set on Linux.
  public static let interventionRequired = SCNetworkReachabilityFlags(rawValue: 1 << 4)
  /// A lookup establishes the connection; `kSCNetworkReachabilityFlagsConnectionOnDemand`.
  ///
  /// Never set on Linux.
  public static let connectionOnDemand = SCNetworkReachabilityFlags(rawValue: 1 << 5)
  /// The target is an address of this machine; `kSCNetworkReachabilityFlagsIsLocalAddress`.
  public static let isLocalAddress = SCNetworkReachabilityFlags(rawValue: 1 << 16)
  /// The target is on the link, without a gateway; `kSCNetworkReachabilityFlagsIsDirect`.
  public static let isDirect = SCNetworkReachabilityFlags(rawValue: 1 << 17)
  /// The link is cellular; `kSCNetworkReachabilityFlagsIsWWAN`.
  public static let isWWAN = SCNetworkReachabilityFlags(rawValue: 1 << 18)

  /// Another name for ``connectionOnTraffic``; `kSCNetworkReachabilityFlagsConnectionAutomatic`.
  public static let connectionAutomatic = connectionOnTraffic
}

/// Flags as a number, the type of older code.
///
/// The Apple symbol is `SCNetworkConnectionFlags`.
public typealias SCNetworkConnectionFlags = UInt32

// The constants from before the option set: `SCNetwork.h` has them as members of an enumeration without a name, which
// Swift imports as `Int`.

/// The link is dialled or tunnelled; as a number ``SCNetworkReachabilityFlags/transientConnection``.
public let kSCNetworkFlagsTransientConnection = 1 << 0
/// A packet can leave this machine; as a number ``SCNetworkReachabilityFlags/reachable``.
public let kSCNetworkFlagsReachable = 1 << 1
/// A connection must be established first; as a number ``SCNetworkReachabilityFlags/connectionRequired``.
public let kSCNetworkFlagsConnectionRequired = 1 << 2
/// Traffic establishes the connection; as a number ``SCNetworkReachabilityFlags/connectionAutomatic``.
public let kSCNetworkFlagsConnectionAutomatic = 1 << 3
/// The user must act first; as a number ``SCNetworkReachabilityFlags/interventionRequired``.
public let kSCNetworkFlagsInterventionRequired = 1 << 4
/// The target is an address of this machine; as a number ``SCNetworkReachabilityFlags/isLocalAddress``.
public let kSCNetworkFlagsIsLocalAddress = 1 << 16
/// The target is on the link; as a number ``SCNetworkReachabilityFlags/isDirect``.
public let kSCNetworkFlagsIsDirect = 1 << 17
