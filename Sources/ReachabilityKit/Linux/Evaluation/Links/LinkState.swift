// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

/// The properties of a link that statuses depend on.
package struct LinkState: Equatable, Sendable {
  /// Whether packets can leave by the link now.
  package enum Condition: Equatable, Sendable {
    case up
    /// Administratively down.
    case down
    /// Administratively up, but the lower layer is not.
    case noCarrier
    /// The link waits for an outside event.
    case dormant
  }

  package var interface: ReachabilityInterface
  /// The name if it is not UTF-8; the interface then has an approximation.
  package var nameBeyondText: InterfaceName?
  /// The alternative names.
  package var alternativeNames: [InterfaceName]
  /// The condition that the kernel reports.
  private var reportedCondition: Condition
  /// Whether this is a bridge without ports.
  var lacksPorts = false
  /// Whether the link has one peer, so that no destination on it counts as direct.
  var isPointToPoint: Bool
  /// Whether the link is dialled or tunnelled.
  var isTransient: Bool
  /// The index of the bridge, bond or VRF that the link is a member of.
  package var master: Int32?
  /// The index of the link below this one, if it is in the same network namespace.
  var lower: Int32?
  /// The links that determine the medium of this one.
  var foundation: LowerLinks
  /// The medium of the link without regard to the links below it.
  var ownCharacter: LinkKind
  /// Whether packets leave without the link-layer address of a neighbour (`IFF_NOARP`, or only one peer).
  package var needsNoNeighbours = false
  /// Decides whether IPv6 packets leave by the link, and IPv4 packets with an IPv6 gateway.
  ///
  /// The kernel removes the IPv6 routes of a link where IPv6 is disabled, but not those of a next-hop object, and then discards
  /// their packets. It removes no IPv4 route.
  package var ipv6 = IPv6Support.on
  /// The largest packet in bytes, or 0 if that is not known; statuses do not depend on it.
  package var mtu: UInt32

  package var index: Int32 { Int32(interface.index) }
  /// Whether packets can leave by the link.
  ///
  /// The kernel takes up to a second to report that a bridge without ports has no carrier.
  package var condition: Condition {
    get { lacksPorts && reportedCondition == .up ? .noCarrier : reportedCondition }
    set { reportedCondition = newValue }
  }
  /// Whether the link is up, but cannot carry packets.
  var isDead: Bool { condition == .noCarrier || condition == .dormant }
  /// Whether IPv6 packets leave by the link while it is up.
  package var carriesIPv6: Bool { ipv6 == .on }
  /// Whether packets to an address can leave by the link now, if need be to a gateway.
  func carries(_ destination: ReachabilityAddress, via gateway: ReachabilityAddress?) -> Bool {
    guard condition == .up else { return false }
    if destination.bitWidth == 128 { return carriesIPv6 }
    guard gateway?.bitWidth == 128 else { return true }
    // No neighbour is found while IPv6 is disabled.
    return carriesIPv6 || ipv6 == .off && needsNoNeighbours
  }
  package var name: String { interface.name }
  /// All names of the link, its primary name first.
  package var names: [InterfaceName] {
    [nameBeyondText ?? InterfaceName(interface.name)] + alternativeNames
  }
  /// The primary name in a command.
  var shellWord: String { names[0].shellWord }

  package init(
    _ interface: ReachabilityInterface, alternativeNames: [InterfaceName] = [], condition: Condition = .up,
    isPointToPoint: Bool = false, isTransient: Bool = false, master: Int32? = nil, lower: Int32? = nil,
    foundation: LowerLinks = .none, mtu: UInt32 = 0
  ) {
    self.interface = interface
    self.alternativeNames = alternativeNames
    reportedCondition = condition
    self.isPointToPoint = isPointToPoint
    self.isTransient = isTransient
    self.master = master
    self.lower = lower
    self.foundation = foundation
    self.mtu = mtu
    ownCharacter = LinkKind(interface.kind, isTunnel: interface.isTunnel, isTransient: isTransient)
  }

  /// Whether both are equal except for what statuses do not depend on.
  func isEqualToStatuses(_ other: LinkState) -> Bool {
    var other = other
    other.mtu = mtu
    return self == other
  }
}

extension LinkState {
  /// The medium of the link, with regard to the links below it.
  package var character: LinkKind {
    get { LinkKind(interface.kind, isTunnel: interface.isTunnel, isTransient: isTransient) }
    set {
      interface.kind = newValue.kind
      interface.isTunnel = newValue.isTunnel
      isTransient = newValue.isTransient
    }
  }
}

/// The medium of a link.
package struct LinkKind: Equatable, Sendable {
  var kind: ReachabilityInterface.Kind
  var isTunnel: Bool
  /// Whether the link is dialled or tunnelled.
  var isTransient: Bool

  package init(_ kind: ReachabilityInterface.Kind, isTunnel: Bool = false, isTransient: Bool = false) {
    self.kind = kind
    self.isTunnel = isTunnel
    self.isTransient = isTransient
  }
}

/// The links below another link that determine its medium.
package enum LowerLinks: Equatable, Sendable {
  /// None: the medium is its own.
  case none
  /// The one link below it, as for a VLAN.
  case lower
  /// The links that it joins, as for a bridge, or the active one of them.
  case ports(active: Int32?)
}
#endif
