// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import Testing
@testable import Netlink
@testable import ReachabilityKit

@Suite(.deadline) struct LinkKindTests {
  private func character(
    hardware: HardwareType, kind: String? = nil, flags: LinkFlags = [.up, .running, .lowerUp],
    parent: String? = nil
  ) -> LinkKind {
    var link = LinkMessage()
    link.hardwareType = hardware
    link.kind = kind
    link.flags = flags
    link.parentDevice = parent
    return LinkKind(link)
  }

  private func character(
    _ kind: ReachabilityInterface.Kind, isTunnel: Bool = false, isTransient: Bool = false
  ) -> LinkKind {
    LinkKind(kind, isTunnel: isTunnel, isTransient: isTransient)
  }

  @Test(
    arguments: [
      ("link-loopback", .loopback, false, false), ("link-veth", .wired, false, false),
      ("link-alternative-names", .wired, false, false), ("link-no-carrier", .wired, false, false),
      ("link-wwan", .cellular, false, true), ("link-ppp", .other, false, true),
      ("link-wireguard", .other, true, true), ("link-tun", .other, true, true),
      ("link-tap", .other, true, true), ("link-vxlan", .other, true, true), ("link-gre", .other, true, true),
      ("link-sit", .other, true, true), ("link-xfrm", .other, true, true),
      ("link-bluetooth", .bluetooth, false, false), ("link-wifi", .wired, false, false),
      ("link-usb-modem", .wired, false, false),
      ("link-usb-phone", .wired, false, false), ("link-wifi-monitor", .other, false, false),
      ("link-radio-tap", .other, false, false), ("link-nlmon", .other, false, false),
      ("link-dummy", .wired, false, false), ("link-ifb", .wired, false, false),
      ("link-bridge", .wired, false, false), ("link-bond", .wired, false, false),
      ("link-team", .wired, false, false), ("link-vrf", .wired, false, false),
      ("link-vlan", .wired, false, false), ("link-vlan-over-wifi", .wired, false, false),
      ("link-macvlan", .wired, false, false), ("link-macvtap", .wired, false, false),
      ("link-ipvlan", .wired, false, false), ("link-macvlan-moved", .wired, false, false),
    ] as [(String, ReachabilityInterface.Kind, Bool, Bool)])
  func `a recorded message reveals the link's character`(
    name: String, kind: ReachabilityInterface.Kind, isTunnel: Bool, isTransient: Bool
  ) throws {
    let expected = character(kind, isTunnel: isTunnel, isTransient: isTransient)
    #expect(LinkKind(try recordedLink(name)) == expected)
  }

  @Test(
    arguments: [
      "wireguard", "tun", "ovpn", "xfrm", "ipsec", "vti", "vti6", "ipip", "sit", "gre", "gretap", "erspan",
      "ip6tnl", "ip6gre", "ip6gretap", "ip6erspan", "vxlan", "geneve", "gtp", "bareudp", "amt", "pfcp",
    ])
  func `an encapsulating link is a tunnel with any hardware type`(kind: String) {
    // ARPHRD_ETHER, ARPHRD_NONE, ARPHRD_TUNNEL, ARPHRD_SIT, and ARPHRD_RAWIP, which a program can give to a tun
    for hardware: HardwareType in [1, 65534, 768, 776, 519] {
      #expect(
        character(hardware: hardware, kind: kind) == character(.other, isTunnel: true, isTransient: true))
    }
  }

  @Test(arguments: [nil, "veth", "bridge", "bond", "vlan", "dummy", "macvlan", "team", "vrf"])
  func `Ethernet is wired, with or without a kind`(kind: String?) {
    #expect(character(hardware: 1, kind: kind) == character(.wired))
  }

  @Test func `the hardware type decides for a link without a kind`() {
    // ARPHRD_RAWIP, ARPHRD_PPP, ARPHRD_LOOPBACK, ARPHRD_NONE, ARPHRD_IEEE80211_RADIOTAP and ARPHRD_CAN
    #expect(character(hardware: 519) == character(.cellular, isTransient: true))
    #expect(character(hardware: 512) == character(.other, isTransient: true))
    #expect(character(hardware: 65534, kind: "ppp") == character(.other, isTransient: true))
    #expect(character(hardware: 772) == character(.loopback))
    #expect(character(hardware: 65534) == character(.other))
    #expect(character(hardware: 803) == character(.other))
    #expect(character(hardware: 280, kind: "vcan") == character(.other))
  }

  @Test func `stacked links have the foundation of their kind`() {
    func foundation(_ kind: String?) -> LowerLinks {
      var link = LinkMessage.ethernet(2, "x0")
      link.kind = kind
      return LowerLinks(link)
    }
    for kind in ["vlan", "macvlan", "macvtap", "ipvlan", "ipvtap", "macsec"] {
      #expect(foundation(kind) == .lower, "\(kind)")
    }
    for kind in ["bridge", "bond", "team", "batadv", "hsr"] {
      #expect(foundation(kind) == .ports(active: nil), "\(kind)")
    }
    for kind in [nil, "veth", "vrf", "dummy", "ifb", "wireguard", "tun", "vxlan", "gre", "wwan", "ppp"] {
      #expect(foundation(kind) == .none, "\(kind ?? "hardware")")
    }
  }

  @Test func `the loopback flag or hardware type decides`() {
    #expect(character(hardware: 1, kind: "dummy", flags: [.up, .loopback]) == character(.loopback))
    #expect(character(hardware: 772, kind: "tun") == character(.loopback))
  }

  @Test func `the parent device reveals Bluetooth`() {
    #expect(character(hardware: 1, parent: "hci0:256") == character(.bluetooth))
    #expect(character(hardware: 1, parent: "hci0") == character(.wired))
    #expect(character(hardware: 1, parent: "0000:00:1f.6") == character(.wired))
    #expect(character(hardware: 1, kind: "veth", parent: "hci0:256") == character(.wired))
    // ARPHRD_6LOWPAN: a command creates only the links over IEEE 802.15.4.
    #expect(character(hardware: 825) == character(.bluetooth))
    #expect(character(hardware: 825, kind: "lowpan") == character(.other))
  }

  @Test func `a virtual Wi-Fi link over Ethernet is Wi-Fi`() {
    #expect(character(hardware: 1, kind: "virt_wifi") == character(.wifi))
  }

  @Test func `a modem is cellular with any hardware type`() {
    #expect(character(hardware: 519, kind: "rmnet") == character(.cellular, isTransient: true))
    #expect(character(hardware: 1, kind: "wwan") == character(.cellular, isTransient: true))
    #expect(character(hardware: 65534, kind: "wwan") == character(.cellular, isTransient: true))
  }
}
#endif
