// SPDX-License-Identifier: Apache-2.0
extension ReachabilityStatus {
  /// The reason why a target is not reachable, or why its status is unknown.
  ///
  /// A struct, since later versions will add reasons: a `switch` needs a `default`.
  public struct Reason: RawRepresentable, Hashable, Sendable, CaseIterable {
    /// The values of this version.
    ///
    /// The package's own code switches over them without a `default`: the compiler names each place that a new reason
    /// concerns.
    package enum Value: String, CaseIterable {
      case noRoute, unreachableRoute, blackhole, prohibited, interfaceDown, noCarrier, linkDormant,
        sourceAddressMissing, encapsulated, interfaceNotFound, zoneMissing, tunnelLoop, blockedByIPsec,
        notUnicast,
        nameNotFound,
        noAddressRecords,
        nameServerNotConfigured, nameServerUnreachable, nameServerFailed, nameResolutionTimedOut,
        namesNotResolved, resolving, systemError
    }

    package let value: Value

    private init(value: Value) { self.value = value }

    /// Creates the value that a raw value names, or `nil` if this version knows no such value.
    public init?(rawValue: String) {
      guard let value = Value(rawValue: rawValue) else { return nil }
      self.value = value
    }

    /// The name of the value, as JSON output shows it.
    public var rawValue: String { value.rawValue }

    /// All values of this version.
    public static var allCases: [Reason] { Value.allCases.map { Reason(value: $0) } }

    /// No route matches (`ENETUNREACH`).
    public static var noRoute: Reason { Reason(value: .noRoute) }
    /// A route rejects the destination as unreachable (`EHOSTUNREACH`).
    public static var unreachableRoute: Reason { Reason(value: .unreachableRoute) }
    /// A route or rule discards packets (`EINVAL`), as an IPv6 route over the loopback interface does, or one over a link
    /// without IPv6.
    public static var blackhole: Reason { Reason(value: .blackhole) }
    /// A route or rule prohibits packets (`EACCES`).
    public static var prohibited: Reason { Reason(value: .prohibited) }
    /// The interface is administratively down.
    public static var interfaceDown: Reason { Reason(value: .interfaceDown) }
    /// The interface is up, but its lower layer is not: no cable, no access point, no peer.
    public static var noCarrier: Reason { Reason(value: .noCarrier) }
    /// The link waits for an outside event such as authentication or a dial-up peer (dormant in RFC 2863).
    public static var linkDormant: Reason { Reason(value: .linkDormant) }
    /// There is no local address to send from, or the required one is not assigned to this machine.
    ///
    /// For the default route through a router, a link-local IPv6 address is none (RFC 4291, 2.5.6).
    public static var sourceAddressMissing: Reason { Reason(value: .sourceAddressMissing) }
    /// A route wraps packets into others (`RTA_ENCAP`), whose route is not known; the state is unknown.
    public static var encapsulated: Reason { Reason(value: .encapsulated) }
    /// The required interface does not exist now (`ENODEV`).
    public static var interfaceNotFound: Reason { Reason(value: .interfaceNotFound) }
    /// A link-local address has no zone, so its link is undefined (`EINVAL` of `connect`).
    public static var zoneMissing: Reason { Reason(value: .zoneMissing) }
    /// TCP connects to single hosts only, and the address is a multicast or broadcast address (`ENETUNREACH` of `connect`).
    public static var notUnicast: Reason { Reason(value: .notUnicast) }
    /// The packets that a tunnel makes are routed into the tunnel itself; the kernel discards them.
    public static var tunnelLoop: Reason { Reason(value: .tunnelLoop) }
    /// An IPsec policy blocks packets (`EPERM` of `connect`).
    public static var blockedByIPsec: Reason { Reason(value: .blockedByIPsec) }
    /// The host name does not exist (`EAI_NONAME`, DNS `NXDOMAIN`).
    public static var nameNotFound: Reason { Reason(value: .nameNotFound) }
    /// The host name exists, but has no address (`EAI_NODATA`).
    public static var noAddressRecords: Reason { Reason(value: .noAddressRecords) }
    /// No name server is configured.
    public static var nameServerNotConfigured: Reason { Reason(value: .nameServerNotConfigured) }
    /// No packet for a configured name server would leave this machine.
    public static var nameServerUnreachable: Reason { Reason(value: .nameServerUnreachable) }
    /// A name server could be reached, but refused or failed (`EAI_AGAIN`, `EAI_FAIL`; DNS `SERVFAIL`).
    public static var nameServerFailed: Reason { Reason(value: .nameServerFailed) }
    /// No name server answered in time (`EAI_AGAIN`).
    public static var nameResolutionTimedOut: Reason { Reason(value: .nameResolutionTimedOut) }
    /// Names cannot be resolved in the observed network namespace.
    public static var namesNotResolved: Reason { Reason(value: .namesNotResolved) }
    /// The name is being resolved for the first time.
    public static var resolving: Reason { Reason(value: .resolving) }
    /// The operating system could not be queried.
    public static var systemError: Reason { Reason(value: .systemError) }
  }
}

extension ReachabilityStatus.Reason: CustomStringConvertible {
  /// A short description, for example `no carrier`.
  public var description: String {
    switch value {
    case .noRoute: "no route"
    case .unreachableRoute: "a route says unreachable"
    case .blackhole: "a route or rule discards packets"
    case .prohibited: "a route or rule prohibits it"
    case .interfaceDown: "interface down"
    case .noCarrier: "no carrier"
    case .linkDormant: "link dormant"
    case .sourceAddressMissing: "no local address to send from"
    case .encapsulated: "the route of the encapsulated packets is not known"
    case .interfaceNotFound: "no such interface"
    case .zoneMissing: "a link-local address needs a zone"
    case .notUnicast: "TCP cannot connect to a multicast or broadcast address"
    case .tunnelLoop: "the tunnel's own packets are routed into it"
    case .blockedByIPsec: "an IPsec policy blocks it"
    case .nameNotFound: "no such name"
    case .noAddressRecords: "the name has no address"
    case .nameServerNotConfigured: "no name server is configured"
    case .nameServerUnreachable: "no name server can be reached"
    case .nameServerFailed: "the name server refused or failed"
    case .nameResolutionTimedOut: "no name server answered in time"
    case .namesNotResolved: "names are not resolved in this network namespace"
    case .resolving: "resolving its name"
    case .systemError: "the system could not be queried"
    }
  }
}

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
