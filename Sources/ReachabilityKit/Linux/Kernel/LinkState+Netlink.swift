// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

extension LinkState {
  /// Converts a message, of which a partial one changes nothing but the name.
  ///
  /// Returns `nil` without a name or an index, which every link has.
  ///
  /// - Parameter kind: The kind of a link whose message leaves it open; see ``LinkClassification``.
  init?(_ message: LinkMessage, since old: LinkState?, kind: ReachabilityInterface.Kind? = nil) {
    guard let name = message.name ?? old?.names[0], message.index > 0 else { return nil }
    if var old, message.isPartial {
      old.interface.name = name.text
      old.nameBeyondText = name.isText ? nil : name
      self = old
      return
    }
    let character = kind.map { LinkKind($0, isTransient: $0 == .cellular) } ?? LinkKind(message)
    let interface = ReachabilityInterface(
      name: name.text, index: Int(message.index), kind: character.kind, isTunnel: character.isTunnel,
      linkType: message.kind)
    self.init(
      interface, alternativeNames: message.alternativeNames,
      condition: Condition(message, since: old?.condition),
      isPointToPoint: message.flags.contains(.pointToPoint),
      isTransient: character.isTransient, master: message.master, lower: message.lowerHere,
      foundation: LowerLinks(message), mtu: message.mtu ?? old?.mtu ?? 0)
    nameBeyondText = name.isText ? nil : name
    needsNoNeighbours = !message.flags.isDisjoint(with: [.noARP, .pointToPoint, .loopback])
    ipv6 = message.ipv6 ?? old?.ipv6 ?? .on
  }
}

extension LinkState.Condition {
  /// Converts flags and operational state: a link is up if it has a carrier, and the state is up or unknown.
  ///
  /// After the loss of a carrier the flag changes at once, the state and its announcement up to a second later. A link
  /// that goes up with a carrier carries packets at once, and its state changes later, too. But a link that is up already
  /// and receives a carrier carries packets only when its state changes.
  ///
  /// The kernel does not know a bridge's state before its first port, and until then no packet leaves by the bridge.
  init(_ message: LinkMessage, since old: Self?) {
    guard message.flags.contains(.up) else {
      self = .down
      return
    }
    switch message.operationalState ?? .unknown {
    case .unknown where message.kind == "bridge": self = .noCarrier
    case .up, .unknown: self = message.flags.contains(.lowerUp) ? .up : .noCarrier
    case .down, .lowerLayerDown:
      let isGoingUp = message.flags.contains(.lowerUp) && (old == .down || old == .up)
      self = isGoingUp ? .up : .noCarrier
    case .dormant: self = .dormant
    default: self = .noCarrier
    }
  }
}

extension LinkKind {
  /// Converts what the message alone reveals of a link's kind; ``LinkClassifier`` finds the rest.
  init(_ message: LinkMessage) {
    if message.flags.contains(.loopback) || message.hardwareType == .loopback {
      self.init(.loopback)
      return
    }
    switch message.kind {
    case "wwan", "rmnet": self.init(.cellular, isTransient: true)
    case "virt_wifi": self.init(.wifi)
    case "ppp": self.init(.other, isTransient: true)
    // These carry packets inside other packets, or pass them to a program.
    case "wireguard", "tun", "ovpn", "xfrm", "ipsec", "vti", "vti6", "ipip", "sit", "gre", "gretap", "erspan",
      "ip6tnl", "ip6gre", "ip6gretap", "ip6erspan", "vxlan", "geneve", "gtp", "bareudp", "amt", "pfcp":
      self.init(.other, isTunnel: true, isTransient: true)
    default: self.init(message.hardwareType, isVirtual: message.kind != nil, isBluetooth: message.isBluetooth)
    }
  }

  private init(_ hardwareType: HardwareType, isVirtual: Bool, isBluetooth: Bool) {
    switch hardwareType {
    case .ethernet: self.init(!isVirtual && isBluetooth ? .bluetooth : .wired)
    case .rawIP: self.init(.cellular, isTransient: true)
    // Commands create the links over IEEE 802.15.4, but not those over Bluetooth.
    case .lowPower where !isVirtual: self.init(.bluetooth)
    case .ppp: self.init(.other, isTransient: true)
    default: self.init(.other)
    }
  }
}

extension LowerLinks {
  /// Converts the link kind: which other links decide what this one is made of.
  init(_ message: LinkMessage) {
    switch message.kind {
    case "vlan", "macvlan", "macvtap", "ipvlan", "ipvtap", "macsec": self = .lower
    case "bridge", "bond", "team", "batadv", "hsr": self = .ports(active: message.activePort)
    default: self = .none
    }
  }
}

extension LinkMessage {
  /// Whether the message leaves out nearly all attributes of the link, as wireless events do.
  var isPartial: Bool { isWirelessEvent || operationalState == nil }

  /// The index of the link below, if that is in the same network namespace.
  var lowerHere: Int32? {
    guard lowerNamespace == nil, let lower = underlay ?? lower, lower > 0, lower != index else { return nil }
    switch kind {
    // A pair names its other end.
    case "veth", "netkit", "vxcan": return nil
    default: return lower
    }
  }

  /// Whether the link may be Wi-Fi, which rtnetlink does not tell.
  var mayBeWireless: Bool {
    guard isHardware, hardwareType == .ethernet || HardwareType.radios.contains(hardwareType) else {
      return false
    }
    // The virtual devices of a hypervisor are no radios, and most servers have no others.
    return !["virtio", "vmbus", "xen"].contains(parentBus)
  }

  /// Whether the link may be a modem or Bluetooth, which rtnetlink does not tell for some drivers.
  var mayBeModem: Bool {
    guard isHardware, hardwareType == .ethernet || hardwareType == .none else { return false }
    return parentBus == nil || parentBus == "usb"
  }

  /// Whether the link is a device of a kind that its message leaves open.
  private var isHardware: Bool { kind == nil && !flags.contains(.loopback) && !isBluetooth }

  /// Whether the parent is a Bluetooth connection, for example `hci0:256`.
  var isBluetooth: Bool { parentDevice?.hasPrefix("hci") == true && parentDevice?.contains(":") == true }
}

extension ExplanationFacts.Neighbour {
  init(_ state: NeighbourState) {
    if !state.isDisjoint(with: [.needless, .permanent]) {
      self = .fixed
    } else if state.contains(.reachable) {
      self = .reachable
    } else if !state.isDisjoint(with: [.stale, .delay, .probe]) {
      self = .stale
    } else if state.contains(.failed) {
      self = .failed
    } else {
      self = state.contains(.incomplete) ? .incomplete : .absent
    }
  }
}
#endif
