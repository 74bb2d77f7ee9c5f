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
