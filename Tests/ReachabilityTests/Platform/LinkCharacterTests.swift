#if os(Linux)
import Testing
@testable import Netlink
@testable import Reachability

@Suite struct LinkCharacterTests {
  private func character(
    hardware: UInt16, kind: String? = nil, flags: LinkFlags = [.up, .running, .lowerUp]
  ) -> LinkCharacter {
    var link = LinkMessage()
    link.hardwareType = hardware
    link.kind = kind
    link.flags = flags
    return LinkCharacter(link)
  }

  private func character(
    _ kind: NetworkInterface.Kind, isTunnel: Bool = false, isTransient: Bool = false
  ) -> LinkCharacter {
    var character = character(hardware: 0)
    character.kind = kind
    character.isTunnel = isTunnel
    character.isTransient = isTransient
    return character
  }

  @Test(
    arguments: [
      ("link-loopback", .loopback, false, false), ("link-veth", .wired, false, false),
      ("link-alternative-names", .wired, false, false), ("link-no-carrier", .wired, false, false),
      ("link-wwan", .cellular, false, true), ("link-ppp", .other, false, true),
      ("link-wireguard", .other, true, true),
    ] as [(String, NetworkInterface.Kind, Bool, Bool)])
  func `a recorded link is what it was made of`(
    name: String, kind: NetworkInterface.Kind, isTunnel: Bool, isTransient: Bool
  ) throws {
    let expected = character(kind, isTunnel: isTunnel, isTransient: isTransient)
    #expect(LinkCharacter(try recordedLink(name)) == expected)
  }

  @Test(
    arguments: [
      "wireguard", "tun", "ovpn", "xfrm", "ipsec", "vti", "vti6", "ipip", "sit", "gre", "gretap", "erspan",
      "ip6tnl", "ip6gre", "ip6gretap", "ip6erspan", "vxlan", "geneve", "gtp", "bareudp",
    ])
  func `what carries packets inside of others is a tunnel, whatever its hardware type`(kind: String) {
    // ARPHRD_ETHER, ARPHRD_NONE, ARPHRD_TUNNEL and ARPHRD_SIT
    for hardware: UInt16 in [1, 65534, 768, 776] {
      #expect(
        character(hardware: hardware, kind: kind) == character(.other, isTunnel: true, isTransient: true))
    }
  }

  @Test(arguments: [nil, "veth", "bridge", "bond", "vlan", "dummy", "macvlan", "team", "vrf", "virt_wifi"])
  func `Ethernet is wired, with or without a kind`(kind: String?) {
    #expect(character(hardware: 1, kind: kind) == character(.wired))
  }

  @Test func `a link without a kind is told by its hardware type`() {
    // ARPHRD_RAWIP, ARPHRD_PPP, ARPHRD_LOOPBACK, ARPHRD_NONE, ARPHRD_IEEE80211_RADIOTAP and ARPHRD_CAN
    #expect(character(hardware: 519) == character(.cellular, isTransient: true))
    #expect(character(hardware: 512) == character(.other, isTransient: true))
    #expect(character(hardware: 65534, kind: "ppp") == character(.other, isTransient: true))
    #expect(character(hardware: 772) == character(.loopback))
    #expect(character(hardware: 65534) == character(.other))
    #expect(character(hardware: 803) == character(.other))
    #expect(character(hardware: 280, kind: "vcan") == character(.other))
  }

  @Test func `a loopback interface is one whatever else it is`() {
    #expect(character(hardware: 1, kind: "dummy", flags: [.up, .loopback]) == character(.loopback))
    #expect(character(hardware: 772, kind: "tun") == character(.loopback))
  }

  @Test func `a modem is cellular whatever its hardware type`() {
    #expect(character(hardware: 1, kind: "wwan") == character(.cellular, isTransient: true))
    #expect(character(hardware: 65534, kind: "wwan") == character(.cellular, isTransient: true))
  }
}
#endif
