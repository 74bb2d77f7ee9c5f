/// Whether and how a target can be reached.
///
/// The Apple symbol is `SCNetworkReachabilityFlags`.
public struct SCNetworkReachabilityFlags: OptionSet, Sendable {
  /// The flags as Apple's bits.
  public let rawValue: UInt32

  /// Makes flags from Apple's bits.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// By a link that is dialled or tunnelled: PPP, cellular, VPN; `kSCNetworkReachabilityFlagsTransientConnection`.
  public static let transientConnection = SCNetworkReachabilityFlags(rawValue: 1 << 0)
  /// A packet can leave this machine now, or with ``connectionRequired`` once a connection is made;
  /// `kSCNetworkReachabilityFlagsReachable`.
  public static let reachable = SCNetworkReachabilityFlags(rawValue: 1 << 1)
  /// A connection must be made first; `kSCNetworkReachabilityFlagsConnectionRequired`.
  public static let connectionRequired = SCNetworkReachabilityFlags(rawValue: 1 << 2)
  /// Traffic makes the connection; `kSCNetworkReachabilityFlagsConnectionOnTraffic`.
  ///
  /// Never set on Linux.
  public static let connectionOnTraffic = SCNetworkReachabilityFlags(rawValue: 1 << 3)
  /// A person must act first; `kSCNetworkReachabilityFlagsInterventionRequired`.
  ///
  /// Never set on Linux.
  public static let interventionRequired = SCNetworkReachabilityFlags(rawValue: 1 << 4)
  /// A look-up makes the connection; `kSCNetworkReachabilityFlagsConnectionOnDemand`.
  ///
  /// Never set on Linux.
  public static let connectionOnDemand = SCNetworkReachabilityFlags(rawValue: 1 << 5)
  /// An address of this machine; `kSCNetworkReachabilityFlagsIsLocalAddress`.
  public static let isLocalAddress = SCNetworkReachabilityFlags(rawValue: 1 << 16)
  /// On the link, without a gateway; `kSCNetworkReachabilityFlagsIsDirect`.
  public static let isDirect = SCNetworkReachabilityFlags(rawValue: 1 << 17)
  /// Over a cellular link; `kSCNetworkReachabilityFlagsIsWWAN`.
  public static let isWWAN = SCNetworkReachabilityFlags(rawValue: 1 << 18)

  /// Another name of ``connectionOnTraffic``; `kSCNetworkReachabilityFlagsConnectionAutomatic`.
  public static let connectionAutomatic = connectionOnTraffic
}

/// Flags as a number, as they were told before there was a type of their own.
///
/// The Apple symbol is `SCNetworkConnectionFlags`.
public typealias SCNetworkConnectionFlags = UInt32
