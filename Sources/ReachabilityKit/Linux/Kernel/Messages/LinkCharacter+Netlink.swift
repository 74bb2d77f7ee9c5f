#if os(Linux)
import Netlink

extension LinkCharacter {
  /// Converts what the message alone reveals of a link's kind; ``DeviceCensus`` finds the rest.
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

extension LinkFoundation {
  /// Converts the link kind: which other links decide what this one is made of.
  init(_ message: LinkMessage) {
    switch message.kind {
    case "vlan", "macvlan", "macvtap", "ipvlan", "ipvtap", "macsec": self = .lower
    case "bridge", "bond", "team", "batadv", "hsr": self = .ports(active: message.activePort)
    default: self = .none
    }
  }
}
#endif
