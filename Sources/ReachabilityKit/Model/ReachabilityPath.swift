// SPDX-License-Identifier: Apache-2.0
/// The path of packets that leave this machine by the default route: the usable interfaces, and if there are none,
/// why.
///
/// The interfaces are in the kernel's order of preference. A path describes the default route, as the status of the
/// default target does, in more detail. Two paths are equal if they mean the same. The Apple symbol is `NWPath`.
public struct ReachabilityPath: Hashable, Sendable {
  /// The answer in one word.
  public enum Status: String, Hashable, Sendable, CaseIterable {
    /// Packets leave by the default route.
    case satisfied
    /// Packets do not leave; the reason says why.
    case unsatisfied
    /// Packets leave once a link that waits for an outside event, such as a dial-up peer, is connected.
    case requiresConnection
    /// The system could not be queried; never to be shown as *unsatisfied*.
    case unknown
  }

  /// The answer in one word.
  public var status: Status
  /// The reason why the path is not satisfied, or `nil` if it is.
  public var reason: ReachabilityStatus.Reason?
  /// The interfaces by which packets can leave, in the kernel's order of preference.
  ///
  /// A packet that is bound to any of them leaves by it. If the path is not satisfied, these are the alternatives to
  /// the interface that the kernel prefers, which is dead.
  public var interfaces: [Interface]
  /// The unusable interfaces that are not part of another, each with its reason, in the order of their indexes.
  ///
  /// Empty if the path is satisfied.
  public var unusableInterfaces: [UnusableInterface]
  /// The reason why IPv4 packets do not leave, or `nil` if they do.
  public var reasonAgainstIPv4: ReachabilityStatus.Reason?
  /// The reason why IPv6 packets do not leave, or `nil` if they do.
  public var reasonAgainstIPv6: ReachabilityStatus.Reason?
  /// The configured name servers, in the system's order.
  ///
  /// Empty on Apple platforms, which report only whether there are any.
  public var nameServers: [NameServer]
  /// Whether the path is metered or cellular.
  ///
  /// `true` for cellular interfaces and those known to be metered, `nil` if that is not known.
  public var isExpensive: Bool?
  /// Whether the user requested low data usage, or `nil` if that is not known.
  public var isConstrained: Bool?
  /// Whether a name server is reachable, where the system reports only that; `nil` where it names the servers.
  package var hasNameServer: Bool?

  /// Creates a path; the defaults are those of a path without interfaces.
  public init(
    _ status: Status, reason: ReachabilityStatus.Reason? = nil, interfaces: [Interface] = [],
    unusableInterfaces: [UnusableInterface] = [], reasonAgainstIPv4: ReachabilityStatus.Reason? = nil,
    reasonAgainstIPv6: ReachabilityStatus.Reason? = nil, nameServers: [NameServer] = [],
    isExpensive: Bool? = nil,
    isConstrained: Bool? = nil
  ) {
    self.status = status
    self.reason = reason
    self.interfaces = interfaces
    self.unusableInterfaces = unusableInterfaces
    self.reasonAgainstIPv4 = reasonAgainstIPv4
    self.reasonAgainstIPv6 = reasonAgainstIPv6
    self.nameServers = nameServers
    self.isExpensive = isExpensive
    self.isConstrained = isConstrained
  }
}

extension ReachabilityPath {
  /// Whether packets leave by the default route.
  public var isSatisfied: Bool { status == .satisfied }
  /// Whether IPv4 packets leave by the default route.
  public var supportsIPv4: Bool { reasonAgainstIPv4 == nil }
  /// Whether IPv6 packets leave by the default route.
  public var supportsIPv6: Bool { reasonAgainstIPv6 == nil }
  /// Whether a configured name server is reachable, whether or not it answers.
  public var supportsDNS: Bool { hasNameServer ?? nameServers.contains { $0.reason == nil } }

  /// The routers, those of the preferred interface first; a link-local one belongs to the interface that lists it.
  public var gateways: [ReachabilityAddress] { interfaces.flatMap(\.gateways).uniqued }

  /// Returns whether the preferred interface, or one directly below it, is of a kind.
  public func usesInterfaceKind(_ kind: ReachabilityInterface.Kind) -> Bool {
    guard isSatisfied, let first = interfaces.first else { return false }
    return first.interface.kind == kind || first.lower.contains { $0.kind == kind }
  }

  // MARK: - Parts

  /// An interface by which packets can leave.
  public struct Interface: Hashable, Sendable {
    /// The name, index and kind.
    public var interface: ReachabilityInterface
    /// The addresses that packets may be sent from: IPv4 before IPv6, link-local last; empty on Apple platforms.
    public var addresses: [Address]
    /// The largest packet in bytes, or `nil` if that is not known.
    public var mtu: Int?
    /// The interfaces directly below this one, as far as the kernel reports them: the ports of a bridge or bond, the
    /// link of a VLAN.
    public var lower: [ReachabilityInterface]
    /// The path of the packets that the interface makes as a tunnel, then that of a tunnel below; empty where the
    /// system does not tell.
    public var underlays: [ReachabilityStatus.Underlay] = []
    /// The routers, IPv4 before IPv6; empty on a point-to-point link.
    public var gateways: [ReachabilityAddress]
    /// Whether IPv4 packets can leave by this interface.
    public var supportsIPv4: Bool
    /// Whether IPv6 packets can leave by this interface.
    public var supportsIPv6: Bool
    /// Whether the interface is metered or cellular, or `nil` if that is not known.
    public var isExpensive: Bool?
    /// The address of the captive portal API that the network on this link announces (RFC 8910), or `nil` if none is known.
    ///
    /// An `https` URL without a user, or `urn:ietf:params:capport:unrestricted` for a network that says it has no portal; other
    /// addresses are ignored. Anyone on the link can announce it, so it proves nothing before its server answers over TLS. On Linux it
    /// comes from router advertisements that the kernel accepts after the monitor was created, and from systemd-networkd (254 or
    /// newer), also by DHCP. Always `nil` on Apple platforms.
    public var captivePortalAPI: String?
    /// The name with which a network says that it has no captive portal (RFC 8910, section 2).
    package static let noPortal = "urn:ietf:params:capport:unrestricted"

    /// Creates an interface.
    public init(
      _ interface: ReachabilityInterface, addresses: [Address] = [], mtu: Int? = nil,
      lower: [ReachabilityInterface] = [], gateways: [ReachabilityAddress] = [], supportsIPv4: Bool = true,
      supportsIPv6: Bool = false, isExpensive: Bool? = nil
    ) {
      self.interface = interface
      self.addresses = addresses
      self.mtu = mtu
      self.lower = lower
      self.gateways = gateways
      self.supportsIPv4 = supportsIPv4
      self.supportsIPv6 = supportsIPv6
      self.isExpensive = isExpensive
    }
  }

  /// An address of an interface, with the length of the prefix that the neighbours on the link share.
  public struct Address: Hashable, Sendable, CustomStringConvertible {
    /// The address.
    public var address: ReachabilityAddress
    /// The number of leading bits: 0 to 32, or 0 to 128.
    public var prefixLength: Int

    /// Creates an address.
    public init(_ address: ReachabilityAddress, prefixLength: Int) {
      self.address = address
      self.prefixLength = prefixLength
    }

    /// The address and the prefix length, for example `10.1.0.1/24`.
    public var description: String { "\(address)/\(prefixLength)" }
  }

  /// An interface by which no packet can leave now.
  public struct UnusableInterface: Hashable, Sendable {
    /// The name, index and kind.
    public var interface: ReachabilityInterface
    /// The reason why it cannot be used.
    public var reason: ReachabilityStatus.Reason
    /// The addresses of the interface.
    public var addresses: [Address]
    /// The path of the packets that the interface makes as a tunnel, if that is why it cannot be used.
    public var underlays: [ReachabilityStatus.Underlay] = []

    /// Creates an unusable interface.
    public init(
      _ interface: ReachabilityInterface, reason: ReachabilityStatus.Reason, addresses: [Address] = []
    ) {
      self.interface = interface
      self.reason = reason
      self.addresses = addresses
    }
  }

  /// A configured name server.
  public struct NameServer: Hashable, Sendable {
    /// The address.
    public var address: ReachabilityAddress
    /// The zone of a link-local address.
    public var zone: ReachabilityTarget.Interface?
    /// The reason why packets for it do not leave, or `nil` if they do.
    public var reason: ReachabilityStatus.Reason?

    /// Creates a name server.
    public init(
      _ address: ReachabilityAddress, zone: ReachabilityTarget.Interface? = nil,
      reason: ReachabilityStatus.Reason? = nil
    ) {
      self.address = address
      self.zone = zone
      self.reason = reason
    }
  }
}

extension ReachabilityPath.NameServer: CustomStringConvertible {
  /// The address, with its zone if it has one, for example `10.1.0.53` or `fe80::1%eth0`.
  public var description: String { zone.map { "\(address)%\($0)" } ?? address.description }
}

extension ReachabilityPath: CustomStringConvertible {
  /// One line, for example `satisfied eth0 (wired) via 10.1.0.254, ipv4, ipv6, dns` or `unsatisfied: no carrier`.
  public var description: String {
    var text = status == .requiresConnection ? "requires connection" : status.rawValue
    if let reason { text += ": \(reason)" }
    for (position, usable) in interfaces.enumerated() {
      text += (position == 0 && reason == nil ? " " : ", ") + usable.interface.description
      if !usable.gateways.isEmpty {
        text += " via " + usable.gateways.map(\.description).joined(separator: " ")
      }
    }
    for unusable in unusableInterfaces { text += ", \(unusable.interface) \(unusable.reason)" }
    if supportsIPv4 { text += ", ipv4" }
    if supportsIPv6 { text += ", ipv6" }
    if supportsDNS { text += ", dns" }
    if isExpensive == true { text += ", expensive" }
    if isConstrained == true { text += ", constrained" }
    return text
  }

  /// The kinds of interface that a path may use.
  ///
  /// Without requirements, the path is that of packets for which the kernel chooses the interface. With requirements,
  /// it is that of packets bound to the first remaining interface: a dead interface that the kernel prefers does not
  /// matter while another one works. The loopback interface is used only if it is required.
  public struct Requirements: Hashable, Sendable {
    /// The only kind that may be used, or `nil` for any.
    public var requiredKind: ReachabilityInterface.Kind?
    /// The kinds that may not be used.
    public var prohibitedKinds: Set<ReachabilityInterface.Kind>

    /// Creates requirements.
    public init(
      requiredKind: ReachabilityInterface.Kind? = nil, prohibitedKinds: Set<ReachabilityInterface.Kind> = []
    ) {
      self.requiredKind = requiredKind
      self.prohibitedKinds = prohibitedKinds
    }

    /// Requirements that allow any interface but the loopback interface.
    public static var none: Requirements { Requirements() }

    /// Returns requirements that allow only interfaces of one kind.
    public static func requiring(_ kind: ReachabilityInterface.Kind) -> Requirements {
      Requirements(requiredKind: kind)
    }

    /// Returns requirements that allow all interfaces but those of some kinds.
    public static func prohibiting(_ kinds: ReachabilityInterface.Kind...) -> Requirements {
      Requirements(prohibitedKinds: Set(kinds))
    }

    /// Returns whether interfaces of a kind may be used.
    public func allows(_ kind: ReachabilityInterface.Kind) -> Bool {
      if prohibitedKinds.contains(kind) { return false }
      return requiredKind.map { $0 == kind } ?? (kind != .loopback)
    }

    /// Whether the kernel's choice of an interface always satisfies the requirements.
    var allowKernelChoice: Bool { requiredKind == nil && prohibitedKinds.isSubset(of: [.loopback]) }
  }
}

extension Array where Element: Equatable {
  /// The elements in their order, each once; for a few.
  package var uniqued: Self {
    reduce(into: []) { unique, element in
      if !unique.contains(element) { unique.append(element) }
    }
  }
}
