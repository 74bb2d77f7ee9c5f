extension ReachabilityStatus {
  /// Apple's reachability flags, with Apple's bits and names.
  ///
  /// The Apple symbol is `SCNetworkReachabilityFlags`.
  public struct Flags: OptionSet, Hashable, Sendable {
    /// The flags as Apple's bits.
    public let rawValue: UInt32

    /// Creates flags from Apple's bits.
    public init(rawValue: UInt32) {
      self.rawValue = rawValue
    }

    /// A dial-up or tunnel link carries the packets: PPP, cellular or VPN;
    /// `kSCNetworkReachabilityFlagsTransientConnection`.
    public static let transientConnection = Flags(rawValue: 1 << 0)
    /// Packets can leave; with `connectionRequired`, only once a connection is established;
    /// `kSCNetworkReachabilityFlagsReachable`.
    public static let reachable = Flags(rawValue: 1 << 1)
    /// A connection must be established first; `kSCNetworkReachabilityFlagsConnectionRequired`.
    public static let connectionRequired = Flags(rawValue: 1 << 2)
    /// Traffic establishes the connection; `kSCNetworkReachabilityFlagsConnectionOnTraffic`.
    ///
    /// Never set on Linux.
    public static let connectionOnTraffic = Flags(rawValue: 1 << 3)
    /// A user must act first; `kSCNetworkReachabilityFlagsInterventionRequired`.
    ///
    /// Never set on Linux.
    public static let interventionRequired = Flags(rawValue: 1 << 4)
    /// A lookup establishes the connection; `kSCNetworkReachabilityFlagsConnectionOnDemand`.
    ///
    /// Never set on Linux.
    public static let connectionOnDemand = Flags(rawValue: 1 << 5)
    /// The target is an address of this machine; `kSCNetworkReachabilityFlagsIsLocalAddress`.
    public static let isLocalAddress = Flags(rawValue: 1 << 16)
    /// The target is on the link, without a gateway; `kSCNetworkReachabilityFlagsIsDirect`.
    public static let isDirect = Flags(rawValue: 1 << 17)
    /// A cellular link carries the packets; `kSCNetworkReachabilityFlagsIsWWAN`.
    public static let isWWAN = Flags(rawValue: 1 << 18)

    /// The flags that describe a link: dialled or tunnelled, cellular.
    init(over interface: ReachabilityInterface, isTransient: Bool) {
      self = interface.kind == .cellular ? .isWWAN : []
      if isTransient { insert(.transientConnection) }
    }

    /// The names of the flags that are set, in the order of their bits.
    public var names: [String] {
      Self.all.filter { contains($0.flag) }.map(\.name)
    }

    private static let all: [(flag: Flags, name: String)] = [
      (.transientConnection, "transientConnection"), (.reachable, "reachable"),
      (.connectionRequired, "connectionRequired"), (.connectionOnTraffic, "connectionOnTraffic"),
      (.interventionRequired, "interventionRequired"), (.connectionOnDemand, "connectionOnDemand"),
      (.isLocalAddress, "isLocalAddress"), (.isDirect, "isDirect"), (.isWWAN, "isWWAN"),
    ]
  }
}
