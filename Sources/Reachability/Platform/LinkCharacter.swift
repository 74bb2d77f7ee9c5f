#if os(Linux)
import Netlink

/// What a link is made of, as far as its message tells.
struct LinkCharacter: Hashable {
  var kind: NetworkInterface.Kind
  var isTunnel = false
  /// Whether the link is dialled or tunnelled.
  var isTransient = false

  init(_ message: LinkMessage) {
    if message.flags.contains(.loopback) || message.hardwareType == Self.loopbackHardware {
      kind = .loopback
    } else if message.kind == "wwan" || message.hardwareType == Self.rawIPHardware {
      kind = .cellular
      isTransient = true
    } else if let made = message.kind, Self.tunnels.contains(made) {
      kind = .other
      isTunnel = true
      isTransient = true
    } else if message.hardwareType == Self.ethernetHardware {
      kind = .wired
    } else {
      kind = .other
      isTransient = message.hardwareType == Self.pppHardware || message.kind == "ppp"
    }
  }

  // ARPHRD_…
  private static let ethernetHardware: UInt16 = 1
  private static let pppHardware: UInt16 = 512
  private static let rawIPHardware: UInt16 = 519
  private static let loopbackHardware: UInt16 = 772

  /// The kinds of `IFLA_INFO_KIND` that carry packets inside other packets, or hand them to a program.
  private static let tunnels: Set<String> = [
    "wireguard", "tun", "ovpn", "xfrm", "ipsec", "vti", "vti6", "ipip", "sit", "gre", "gretap", "erspan",
    "ip6tnl", "ip6gre", "ip6gretap", "ip6erspan", "vxlan", "geneve", "gtp", "bareudp",
  ]
}
#endif
