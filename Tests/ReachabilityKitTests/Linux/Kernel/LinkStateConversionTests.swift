// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import Testing
@testable import Netlink
@testable import ReachabilityKit

@Suite(.deadline) struct LinkStateConversionTests {
  private static let recorded: [(String, LinkState)] = [
    (
      "link-veth",
      LinkState(ReachabilityInterface(name: "v0", index: 2, kind: .wired, linkType: "veth"), mtu: 1500)
    ),
    (
      "link-no-carrier",
      LinkState(
        ReachabilityInterface(name: "v1", index: 3, kind: .wired, linkType: "veth"),
        alternativeNames: ["enp0s1", "lan"], condition: .noCarrier, mtu: 1500)
    ),
    (
      "link-loopback",
      LinkState(ReachabilityInterface(name: "lo", index: 1, kind: .loopback), mtu: 65536)
    ),
    (
      "link-wwan",
      LinkState(
        ReachabilityInterface(name: "wwan0", index: 3, kind: .cellular, linkType: "wwan"),
        isPointToPoint: true,
        isTransient: true, mtu: 1500)
    ),
    (
      "link-ppp",
      LinkState(
        ReachabilityInterface(name: "ppp0", index: 3, kind: .other, linkType: "ppp"), isPointToPoint: true,
        isTransient: true, mtu: 1500)
    ),
    (
      "link-wireguard",
      LinkState(
        ReachabilityInterface(name: "wg0", index: 10, kind: .other, isTunnel: true, linkType: "wireguard"),
        isPointToPoint: true, isTransient: true, mtu: 1420)
    ),
    (
      "link-bond",
      LinkState(
        ReachabilityInterface(name: "bond0", index: 7, kind: .wired, linkType: "bond"),
        foundation: .ports(active: 3), mtu: 1500)
    ),
    (
      "link-bridge-member",
      LinkState(
        ReachabilityInterface(name: "pv", index: 6, kind: .wired, linkType: "veth"), master: 4, mtu: 1500)
    ),
    (
      "link-vlan",
      LinkState(
        ReachabilityInterface(name: "d1.7", index: 8, kind: .wired, linkType: "vlan"), lower: 2,
        foundation: .lower, mtu: 1500)
    ),
    (
      "link-macvlan-moved",
      LinkState(
        ReachabilityInterface(name: "moved0", index: 26, kind: .wired, linkType: "macvlan"), condition: .down,
        foundation: .lower, mtu: 1500)
    ),
    (
      "link-gre",
      LinkState(
        ReachabilityInterface(name: "gre9", index: 19, kind: .other, isTunnel: true, linkType: "gre"),
        isPointToPoint: true, isTransient: true, lower: 2, mtu: 1476)
    ),
  ]

  /// Those with one end or one peer; and the VLAN, whose lower link has no neighbours.
  private static let withoutNeighbours: Set<String> = [
    "link-loopback", "link-wwan", "link-ppp", "link-wireguard", "link-gre", "link-vlan",
  ]

  @Test func `a recorded link converts to the link's state`() throws {
    for (name, expected) in Self.recorded {
      var expected = expected
      expected.needsNoNeighbours = Self.withoutNeighbours.contains(name)
      #expect(LinkState(try recordedLink(name), since: nil) == expected, "\(name)")
    }
  }

  @Test func `a link message without a name keeps the name`() {
    let old = LinkState.ethernet(2, "eth0", .dormant)
    #expect(LinkState(.ethernet(2, nil), since: old) == .ethernet(2, "eth0"))
    #expect(LinkState(.ethernet(2, "lan0"), since: old) == .ethernet(2, "lan0"))
    #expect(LinkState(.ethernet(2, nil), since: nil) == nil)
  }

  @Test func `a message without an operational state changes nothing but the name`() throws {
    let old = LinkState(
      ReachabilityInterface(name: "wlan0", index: 3, kind: .cellular), condition: .dormant, isTransient: true,
      master: 7, mtu: 1280)
    var partial = LinkMessage()
    partial.index = 3
    partial.flags = [.up, .lowerUp]
    #expect(LinkState(partial, since: old) == old)
    partial.name = "wlan1"
    var renamed = old
    renamed.interface.name = "wlan1"
    #expect(LinkState(partial, since: old) == renamed)
  }

  @Test(arguments: [0, -1, Int32.min])
  func `a link without an index converts to nil`(_ index: Int32) {
    #expect(LinkState(.ethernet(index, "eth0"), since: nil) == nil)
  }

  @Test(
    arguments: [
      ([], .up, .down), ([], nil, .down), ([.lowerUp, .running], .up, .down), ([], .dormant, .down),
      (.up, .up, .noCarrier), ([.up, .running], .up, .noCarrier), ([.up, .lowerUp, .running], .up, .up),
      ([.up, .lowerUp], .unknown, .up), (.up, .unknown, .noCarrier), ([.up, .running], .unknown, .noCarrier),
      ([.up, .lowerUp], nil, .up), (.up, nil, .noCarrier),
      ([.up, .lowerUp], .dormant, .dormant), (.up, .dormant, .dormant),
      ([.up, .lowerUp], .down, .noCarrier), ([.up, .lowerUp], .lowerLayerDown, .noCarrier),
      ([.up, .lowerUp], .notPresent, .noCarrier), ([.up, .lowerUp], .testing, .noCarrier),
      ([.up, .lowerUp], OperationalState(rawValue: 99), .noCarrier),
    ] as [(LinkFlags, OperationalState?, LinkState.Condition)])
  func `a link is up if it is administratively and operationally up, and has a carrier`(
    flags: LinkFlags, state: OperationalState?, condition: LinkState.Condition
  ) {
    var link = LinkMessage()
    link.flags = flags
    link.operationalState = state
    // The carrier attribute adds nothing to the flags and the state.
    for hasCarrier in [nil, true, false] {
      link.hasCarrier = hasCarrier
      for old in [nil, .noCarrier, .dormant] as [LinkState.Condition?] {
        #expect(LinkState.Condition(link, since: old) == condition)
      }
    }
  }

  @Test(
    arguments: [
      (.down, [.up, .lowerUp], .down, .up), (.down, [.up, .lowerUp], .lowerLayerDown, .up),
      (.up, [.up, .lowerUp], .down, .up), (.down, .up, .down, .noCarrier), (.up, .up, .down, .noCarrier),
      (.down, [.up, .lowerUp], .testing, .noCarrier), (.down, .lowerUp, .down, .down),
      (.noCarrier, [.up, .lowerUp], .down, .noCarrier),
    ] as [(LinkState.Condition, LinkFlags, OperationalState, LinkState.Condition)])
  func `a link that goes up with a carrier is up before its operational state`(
    old: LinkState.Condition, flags: LinkFlags, state: OperationalState, condition: LinkState.Condition
  ) {
    var link = LinkMessage()
    link.flags = flags
    link.operationalState = state
    #expect(LinkState.Condition(link, since: old) == condition)
  }

  @Test func `a bridge with an unknown state has no carrier`() {
    var link = LinkMessage()
    link.flags = [.up, .lowerUp]
    for (kind, expected) in [
      ("bridge", LinkState.Condition.noCarrier), ("dummy", .up), ("vrf", .up), (nil, .up),
    ] {
      link.kind = kind
      link.operationalState = .unknown
      #expect(LinkState.Condition(link, since: nil) == expected)
      link.operationalState = .up
      #expect(LinkState.Condition(link, since: nil) == .up)
    }
  }
}
#endif
