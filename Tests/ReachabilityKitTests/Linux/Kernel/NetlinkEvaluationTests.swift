#if os(Linux)
import DeadlineSupport
import InternetProtocol
import POSIX
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

  @Test func `a recorded link is decoded to the state that a status depends on`() throws {
    for (name, expected) in Self.recorded {
      #expect(LinkState(try recordedLink(name), since: nil) == expected, "\(name)")
    }
  }

  @Test func `a link message without a name keeps the known name`() {
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
  func `a link message without an index is ignored`(_ index: Int32) {
    #expect(LinkState(.ethernet(index, "eth0"), since: nil) == nil)
  }

  @Test(
    arguments: [
      ([], .up, .down), ([], nil, .down), ([.lowerUp, .running], .up, .down), ([], .dormant, .down),
      (.up, .up, .up), ([.up, .lowerUp, .running], .up, .up),
      ([.up, .lowerUp], .unknown, .up), (.up, .unknown, .noCarrier), ([.up, .running], .unknown, .noCarrier),
      ([.up, .lowerUp], nil, .up), (.up, nil, .noCarrier),
      ([.up, .lowerUp], .dormant, .dormant), (.up, .dormant, .dormant),
      ([.up, .lowerUp], .down, .noCarrier), ([.up, .lowerUp], .lowerLayerDown, .noCarrier),
      ([.up, .lowerUp], .notPresent, .noCarrier), ([.up, .lowerUp], .testing, .noCarrier),
      ([.up, .lowerUp], OperationalState(rawValue: 99), .noCarrier),
    ] as [(LinkFlags, OperationalState?, LinkState.Condition)])
  func `a link is up when it is enabled and its lower layer is not known to be down`(
    flags: LinkFlags, state: OperationalState?, condition: LinkState.Condition
  ) {
    var link = LinkMessage()
    link.flags = flags
    link.operationalState = state
    // The carrier is meaningless while the link is down, and adds nothing to the flags while it is up.
    for hasCarrier in [nil, true, false] {
      link.hasCarrier = hasCarrier
      #expect(LinkState.Condition(link) == condition)
    }
  }

  @Test func `a bridge of unknown state has no port and so no carrier`() {
    var link = LinkMessage()
    link.flags = [.up, .lowerUp]
    for (kind, expected) in [
      ("bridge", LinkState.Condition.noCarrier), ("dummy", .up), ("vrf", .up), (nil, .up),
    ] {
      link.kind = kind
      link.operationalState = .unknown
      #expect(LinkState.Condition(link) == expected)
      link.operationalState = .up
      #expect(LinkState.Condition(link) == .up)
    }
  }
}

@Suite(.deadline) struct AddressConversionTests {
  @Test func `a recorded address has the prefix of its on-link addresses`() throws {
    let expected: [(String, AssignedAddress?)] = [
      ("address-ipv4", AssignedAddress("10.1.0.1", 24, flags: 0x80)),
      ("address-ipv6", AssignedAddress("fd00:1::1", 64, flags: 0x2)),
      ("address-tentative", AssignedAddress("fd00:77::1", 64, flags: 0xc0)),
      (
        "address-point-to-point",
        IPPrefix("10.9.0.2", length: 32).map { AssignedAddress(address: "10.9.0.1", prefix: $0, flags: 0x80) }
      ),
    ]
    for (name, address) in expected {
      #expect(AssignedAddress(try recordedAddress(name)) == address, "\(name)")
    }
  }

  @Test func `an address that is missing or has an invalid length is ignored`() {
    #expect(AssignedAddress(AddressMessage()) == nil)
    #expect(AssignedAddress(.ipv4("10.1.0.1", 33, on: 2)) == nil)
    #expect(AssignedAddress(.ipv6("fd00::1", 129, on: 2)) == nil)
  }
}

@Suite(.deadline) struct RouteConversionTests {
  @Test func `a route question is encoded as a lookup request`() {
    let plain = RouteRequest(RouteQuestion("10.1.0.1"), of: nil)
    #expect(plain == RouteRequest("10.1.0.1", flags: .lookupTable))
    let question = RouteQuestion(
      "fd00::1", source: "fd00::2", interface: 3, mark: 0x10, transport: .udp, port: 53, isExact: true)
    let request = RouteRequest(
      "fd00::1", source: "fd00::2", outputInterface: 3, mark: 0x10, userID: 1000, protocolNumber: 17,
      destinationPort: 53, flags: [.lookupTable, .exactMatch])
    #expect(RouteRequest(question, of: 1000) == request)
  }

  private static let recorded: [(String, RouteAnswer)] = [
    (
      "route-ipv4-lookup",
      .route(
        RouteReply(interface: 2, gateway: "10.1.0.254", source: "10.1.0.1", table: 254, prefixLength: 32))
    ),
    ("route-ipv4-exact", .route(RouteReply(interface: 2, gateway: "10.1.0.254", table: 254, metric: 100))),
    (
      "route-ipv4-via-inet6",
      .route(RouteReply(interface: 2, gateway: "fe80::1", table: 254, prefixLength: 24))
    ),
    (
      "route-ipv4-multipath",
      .route(
        RouteReply(
          prefixLength: 16,
          nextHops: [
            RouteReply.NextHop(interface: 2, gateway: "10.1.0.2", isDown: false),
            RouteReply.NextHop(interface: 3, gateway: "10.2.0.2", isDown: false),
          ]))
    ),
    (
      "route-ipv6-lookup",
      .route(
        RouteReply(
          interface: 2, gateway: "fd00:1::fe", source: "fd00:77::1", table: 254, prefixLength: 128,
          metric: 1024))
    ),
    (
      // Ten minutes, and a little more.
      "route-ipv6-expiring",
      .route(RouteReply(interface: 2, gateway: "fd00:1::fe", metric: 1024, lifetime: .milliseconds(600_020)))
    ),
    (
      "route-local",
      .route(RouteReply(.local, interface: 1, source: "10.1.0.1", table: 254, prefixLength: 32))
    ),
    (
      "route-nexthop-id",
      .route(RouteReply(interface: 2, gateway: "10.1.0.20", table: 254, prefixLength: 16))
    ),
    ("route-blackhole", .refused(.invalid)),
  ]

  @Test func `a recorded answer is decoded to the evaluator's terms`() throws {
    for (name, expected) in Self.recorded {
      #expect(RouteAnswer(.success(try recordedLookup(name))) == expected, "\(name)")
    }
  }

  @Test(
    arguments: [
      (.unicast, .route(RouteReply(.unicast, prefixLength: 16))),
      (.local, .route(RouteReply(.local, prefixLength: 16))),
      (.broadcast, .route(RouteReply(.broadcast, prefixLength: 16))),
      (.anycast, .route(RouteReply(.anycast, prefixLength: 16))),
      (.multicast, .route(RouteReply(.multicast, prefixLength: 16))), (.blackhole, .refused(.invalid)),
      (.unreachable, .refused(.hostUnreachable)), (.prohibit, .refused(.accessDenied)),
      (.throw, .refused(.networkUnreachable)), (.unspecified, .refused(.trouble)),
      (RouteKind(rawValue: 10), .refused(.trouble)), (RouteKind(rawValue: 255), .refused(.trouble)),
    ] as [(RouteKind, RouteAnswer)])
  func `a route of any kind is a reply or a refusal`(kind: RouteKind, answer: RouteAnswer) throws {
    var reply = try recordedLookup("route-blackhole")
    reply.kind = kind
    #expect(RouteAnswer(.success(reply)) == answer)
  }

  @Test(
    arguments: [
      (.networkUnreachable, .networkUnreachable), (.hostUnreachable, .hostUnreachable),
      (.invalidArgument, .invalid), (.accessDenied, .accessDenied), (.noDevice, .noDevice),
      (.noBufferSpace, .trouble), (Errno(rawValue: 90), .trouble), (Errno(rawValue: 12345), .trouble),
    ] as [(Errno, RouteAnswer.Refusal)])
  func `an error of a lookup is a refusal with its reason`(errno: Errno, refusal: RouteAnswer.Refusal) {
    #expect(RouteAnswer(.failure(errno)) == .refused(refusal))
  }

  @Test(
    arguments: [
      ([], false), (.dead, true), (.linkDown, true), ([.dead, .linkDown, .cloned], true), (.cloned, false),
    ] as [(RouteFlags, Bool)])
  func `a route or next hop is down when it is dead or its link has no carrier`(
    flags: RouteFlags, isDown: Bool
  ) throws {
    var hop = Netlink.NextHop()
    hop.flags = flags
    hop.outputInterface = 2
    hop.gateway = "10.1.0.2"
    var message = try recordedLookup("route-blackhole")
    message.kind = .unicast
    message.nextHops = [hop]
    let way = RouteReply.NextHop(interface: 2, gateway: "10.1.0.2", isDown: isDown)
    #expect(RouteReply(message) == RouteReply(prefixLength: 16, nextHops: [way]))
    message.nextHops = []
    message.flags = flags
    #expect(RouteReply(message) == RouteReply(prefixLength: 16, isDown: isDown))
  }

  @Test(
    arguments: [
      (0, nil), (-1, nil), (.min, nil), (1, .milliseconds(30)), (100, .milliseconds(1020)),
      (.max, .milliseconds(21_474_836_490)),
    ] as [(Int32, Duration?)])
  func `a route lives slightly longer than the kernel's rounded lifetime, or forever`(
    expires: Int32, lifetime: Duration?
  ) throws {
    var message = try recordedLookup("route-ipv6-expiring")
    message.expires = expires
    #expect(RouteReply(message)?.lifetime == lifetime)
  }
}
#endif
