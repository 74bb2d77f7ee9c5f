#if os(Linux)
import Netlink

extension LinkCharacter {
  /// Reads what a link is made of from its message alone, which leaves some open; see ``DeviceCensus``.
  init(_ message: LinkMessage) {
    if message.flags.contains(.loopback) || message.hardwareType == .loopback {
      self.init(.loopback)
      return
    }
    switch message.kind {
    case "wwan", "rmnet": self.init(.cellular, isTransient: true)
    case "virt_wifi": self.init(.wifi)
    case "ppp": self.init(.other, isTransient: true)
    // What carries packets inside other packets, or hands them to a program.
    case "wireguard", "tun", "ovpn", "xfrm", "ipsec", "vti", "vti6", "ipip", "sit", "gre", "gretap", "erspan",
      "ip6tnl", "ip6gre", "ip6gretap", "ip6erspan", "vxlan", "geneve", "gtp", "bareudp", "amt", "pfcp":
      self.init(.other, isTunnel: true, isTransient: true)
    default: self.init(message.hardwareType, isMade: message.kind != nil, by: message.parentDevice)
    }
  }

  private init(_ hardwareType: HardwareType, isMade: Bool, by parent: String?) {
    switch hardwareType {
    case .ethernet: self.init(!isMade && parent.isBluetooth ? .bluetooth : .wired)
    case .rawIP: self.init(.cellular, isTransient: true)
    // Links for sensors over IEEE 802.15.4 are made by commands, those over Bluetooth are not.
    case .lowPower where !isMade: self.init(.bluetooth)
    case .ppp: self.init(.other, isTransient: true)
    default: self.init(.other)
    }
  }
}

extension LinkFoundation {
  /// Reads which links decide what a link is made of.
  init(_ message: LinkMessage) {
    switch message.kind {
    case "vlan", "macvlan", "macvtap", "ipvlan", "ipvtap", "macsec": self = .lower
    case "bridge", "bond", "team", "batadv", "hsr": self = .ports(active: message.activePort)
    default: self = .none
    }
  }
}

extension LinkMessage {
  /// The index of the link below, if that is in the same network namespace.
  var lowerHere: Int32? {
    guard lowerNamespace == nil, let lower = underlay ?? lower, lower > 0, lower != index else { return nil }
    switch kind {
    // What a pair names as its link is the other end.
    case "veth", "netkit", "vxcan": return nil
    default: return lower
    }
  }
}

// MARK: - What the message leaves open

extension LinkMessage {
  /// Whether the link may belong to a radio, which rtnetlink does not tell.
  var mayBeWireless: Bool {
    guard kind == nil, !flags.contains(.loopback), !parentDevice.isBluetooth else { return false }
    guard hardwareType == .ethernet || HardwareType.radios.contains(hardwareType) else { return false }
    // What virtual machines are given is never a radio, and most servers have nothing else.
    return !["virtio", "vmbus", "xen"].contains(parentBus)
  }

  /// Whether the link may belong to a modem or to Bluetooth, which rtnetlink does not tell of some drivers' links.
  var mayBeModem: Bool {
    guard kind == nil, !flags.contains(.loopback), !parentDevice.isBluetooth else { return false }
    guard hardwareType == .ethernet || hardwareType == .none else { return false }
    return parentBus == nil || parentBus == "usb"
  }
}

extension String? {
  /// Whether this names a Bluetooth connection, such as `hci0:256`.
  fileprivate var isBluetooth: Bool {
    guard let self, self.hasPrefix("hci") else { return false }
    return self.contains(":")
  }
}
#endif
