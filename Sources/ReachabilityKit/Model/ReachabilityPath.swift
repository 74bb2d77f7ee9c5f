/// How packets leave this machine in general: the interfaces in the kernel's order of preference, their gateways, and
/// if none do, why not.
///
/// A path is about the default route, as the default target's status is, and says more of it. Two paths are equal if
/// they mean the same. The Apple symbol is `NWPath`.
public struct ReachabilityPath: Hashable, Sendable {
  /// The answer in one word.
  public enum Status: String, Hashable, Sendable, CaseIterable {
    /// Packets leave by the default route.
    case satisfied
    /// They do not, and the reason says why.
    case unsatisfied
    /// They do once a link that waits for an outside event, such as a dial-up peer, is connected.
    case requiresConnection
    /// The system could not be asked; never to be shown as *unsatisfied*.
    case unknown
  }

  /// The answer in one word.
  public var status: Status
  /// Why the path is not satisfied, or `nil` if it is.
  public var reason: ReachabilityStatus.Reason?
  /// The interfaces by which packets can leave, the one that the kernel prefers first.
  ///
  /// A packet that is bound to any of them leaves by it. If the path is not satisfied, these are those that could
  /// be used in place of the one that the kernel prefers, which is dead.
  public var interfaces: [Interface]
  /// The other interfaces of this machine that are not part of another, with the reason why each is of no use, in the
  /// order of their indexes; none if the path is satisfied.
  public var unusableInterfaces: [UnusableInterface]
  /// Why IPv4 packets do not leave, or `nil` if they do.
  public var reasonAgainstIPv4: ReachabilityStatus.Reason?
  /// Why IPv6 packets do not leave, or `nil` if they do.
  public var reasonAgainstIPv6: ReachabilityStatus.Reason?
  /// The name servers that this machine is told to ask, in its order; Apple platforms tell only whether there are any.
  public var nameServers: [NameServer]
  /// Whether traffic costs money or is limited: `true` for cellular and for what is known to be metered, `nil` where
  /// nobody knows.
  public var isExpensive: Bool?
  /// Whether the user wants little traffic, `nil` where nobody knows.
  public var isConstrained: Bool?
  /// Whether there is a way to a name server, where the system tells that but names none; `nil` where it names them.
  package var hasNameServer: Bool?

  /// Makes a path; what is not given is as it is on a path over nothing.
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
  /// Whether there is a way to a name server that this machine is told to ask; not whether it answers.
  public var supportsDNS: Bool { hasNameServer ?? nameServers.contains { $0.reason == nil } }

  /// The routers, those of the preferred interface first; a link-local one is on the interface that lists it.
  public var gateways: [IPAddress] {
    var gateways: [IPAddress] = []
    for gateway in interfaces.flatMap(\.gateways) where !gateways.contains(gateway) {
      gateways.append(gateway)
    }
    return gateways
  }

  /// Whether the preferred interface, or one below it, is of a kind.
  public func usesInterfaceKind(_ kind: ReachabilityInterface.Kind) -> Bool {
    guard isSatisfied, let first = interfaces.first else { return false }
    return first.interface.kind == kind || first.lower.contains { $0.kind == kind }
  }
}

// MARK: - Parts

extension ReachabilityPath {
  /// An interface by which packets can leave.
  public struct Interface: Hashable, Sendable {
    /// Its name, index and kind.
    public var interface: ReachabilityInterface
    /// The addresses that packets may come from: IPv4 before IPv6, link-local ones last; unknown on Apple platforms.
    public var addresses: [Address]
    /// The largest packet in bytes, or `nil` if that is not known.
    public var mtu: Int?
    /// The interfaces directly below it, as far as the kernel tells: the ports of a bridge or bond, the link of a VLAN.
    public var lower: [ReachabilityInterface]
    /// The routers, IPv4 before IPv6; none on a point-to-point link.
    public var gateways: [IPAddress]
    /// Whether IPv4 packets can leave by it.
    public var supportsIPv4: Bool
    /// Whether IPv6 packets can leave by it.
    public var supportsIPv6: Bool
    /// Whether traffic over it costs money or is limited, `nil` where nobody knows.
    public var isExpensive: Bool?

    /// Makes an interface.
    public init(
      _ interface: ReachabilityInterface, addresses: [Address] = [], mtu: Int? = nil,
      lower: [ReachabilityInterface] = [], gateways: [IPAddress] = [], supportsIPv4: Bool = true,
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

  /// An address of an interface and how many of its bits the neighbours on the link share.
  public struct Address: Hashable, Sendable, CustomStringConvertible {
    /// The address.
    public var address: IPAddress
    /// The number of leading bits: 0 to 32, or 0 to 128.
    public var prefixLength: Int

    /// Makes an address.
    public init(_ address: IPAddress, prefixLength: Int) {
      self.address = address
      self.prefixLength = prefixLength
    }

    /// The address and the length, such as `10.1.0.1/24`.
    public var description: String { "\(address)/\(prefixLength)" }
  }

  /// An interface by which packets can't leave now.
  public struct UnusableInterface: Hashable, Sendable {
    /// Its name, index and kind.
    public var interface: ReachabilityInterface
    /// Why not.
    public var reason: ReachabilityStatus.Reason
    /// The addresses that it has nevertheless.
    public var addresses: [Address]

    /// Makes an interface that can't be used.
    public init(
      _ interface: ReachabilityInterface, reason: ReachabilityStatus.Reason, addresses: [Address] = []
    ) {
      self.interface = interface
      self.reason = reason
      self.addresses = addresses
    }
  }

  /// A name server that this machine is told to ask.
  public struct NameServer: Hashable, Sendable {
    /// Its address.
    public var address: IPAddress
    /// The zone of a link-local address.
    public var zone: ReachabilityTarget.Interface?
    /// Why no packet gets on its way there, or `nil` if it does.
    public var reason: ReachabilityStatus.Reason?

    /// Makes a name server.
    public init(
      _ address: IPAddress, zone: ReachabilityTarget.Interface? = nil,
      reason: ReachabilityStatus.Reason? = nil
    ) {
      self.address = address
      self.zone = zone
      self.reason = reason
    }
  }
}

extension ReachabilityPath.NameServer: CustomStringConvertible {
  /// The address, with its zone if it has one, such as `10.1.0.53` or `fe80::1%eth0`.
  public var description: String { zone.map { "\(address)%\($0)" } ?? address.description }
}

extension ReachabilityPath: CustomStringConvertible {
  /// One line, such as `satisfied eth0 (wired) via 10.1.0.254, ipv4, ipv6, dns` or `unsatisfied: no carrier`.
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
}
