import InternetProtocol
import Reachability
import Testing

/// The plain answer of a dead link looks healthy; the link's state and the exact answer tell the truth.
@Suite struct DeadLinkTests {
  private typealias NextHop = RouteReply.NextHop

  private static func notReachable(_ reason: Reason) -> Status {
    var status = Status.notReachable(reason, over: Links.ethernet.interface)
    if reason == .linkDormant { status.flags = [.reachable, .connectionRequired] }
    return status
  }

  @Test(
    arguments: [(.noCarrier, .noCarrier), (.down, .interfaceDown), (.dormant, .linkDormant)]
      as [(LinkState.Condition, Reason)],
    [("10.1.0.2", nil), ("10.9.0.1", "10.1.0.254"), ("fd00:1::2", nil), ("2001:db8::1", "fd00:1::fe")]
      as [(IPAddress, IPAddress?)])
  func `a healthy answer over a dead link is asked exactly and not reachable`(
    dead: (condition: LinkState.Condition, reason: Reason),
    route: (destination: IPAddress, gateway: IPAddress?)
  ) throws {
    var scenario = Scenario([Links.ethernet.with(dead.condition)])
    let question = RouteQuestion(route.destination)
    scenario.answer(
      question, .route(2, via: route.gateway, from: "10.1.0.1"),
      exact: .route(RouteReply(interface: 2, gateway: route.gateway, isDown: true)))
    #expect(
      try scenario.run(.address(route.destination))
        == .init(evaluation: Evaluation(Self.notReachable(dead.reason)), asked: [question, question.exact]))
  }

  @Test func `a dormant link requires a connection`() throws {
    var scenario = Scenario([Links.ethernet.with(.dormant)])
    scenario.answer(.init("10.1.0.2"), .route(2, from: "10.1.0.1"), exact: .route(2))
    let status = try scenario.status(of: .address("10.1.0.2"))
    #expect(status.flags.rawValue == 0x6)
    #expect(!status.isReachable)
  }

  @Test(arguments: [
    RouteAnswer.refused(.networkUnreachable),
    // With `nexthop_compat_mode=0` the exact answer has no interface, no gateway and no next hops.
    .route(RouteReply(prefixLength: 16)),
    .route(RouteReply(interface: 2, isDown: true)),
  ])
  func `a dead link stays dead whatever form the exact answer has`(exact: RouteAnswer) throws {
    var scenario = Scenario([Links.ethernet.with(.noCarrier)])
    scenario.answer(.init("10.9.0.1"), .route(2, via: "10.1.0.254", from: "10.1.0.1"), exact: exact)
    #expect(try scenario.status(of: .address("10.9.0.1")) == Self.notReachable(.noCarrier))
  }

  @Test func `a live link is not asked about exactly`() throws {
    var scenario = Scenario([Links.ethernet])
    scenario.answer(.init("10.9.0.1"), .route(2, via: "10.1.0.254", from: "10.1.0.1"))
    #expect(try scenario.run(.address("10.9.0.1")).asked == [RouteQuestion("10.9.0.1")])
  }

  @Test func `a link that the kernel calls dead before its message came is dead`() throws {
    var scenario = Scenario([Links.ethernet], isWatching: true)
    for (destination, exact) in [
      ("fd00:1::2", RouteReply(interface: 2, isDown: true)),
      (
        "fd00:1::3",
        RouteReply(
          nextHops: [
            NextHop(interface: 2, gateway: "fd00:1::10", isDown: true),
            NextHop(interface: 2, gateway: "fd00:1::11", isDown: true),
          ])
      ),
    ] as [(IPAddress, RouteReply)] {
      scenario.answer(.init(destination), .route(2, from: "fd00:1::1"), exact: .route(exact))
      #expect(try scenario.status(of: .address(destination)) == Self.notReachable(.noCarrier))
    }
  }

  // MARK: Several next hops

  private static let overWiFi = NextHop(interface: 3, gateway: "10.2.0.11", isDown: false)
  private static let overEthernet = NextHop(interface: 2, gateway: "10.1.0.10", isDown: true)

  private func multipath(
    _ links: [LinkState], _ hops: [RouteReply.NextHop], exactSource: IPAddress? = nil
  ) throws -> Status {
    var scenario = Scenario(links)
    scenario.answer(
      .init("10.88.1.1"), .route(2, via: "10.1.0.10", from: "10.1.0.1"),
      exact: .route(RouteReply(source: exactSource, prefixLength: 16, nextHops: hops)))
    return try scenario.status(of: .address("10.88.1.1"))
  }

  @Test(arguments: [LinkState.Condition.noCarrier, .down, .dormant])
  func `where the chosen next hop is dead another one carries the packets`(condition: LinkState.Condition)
    throws
  {
    #expect(
      try multipath([Links.ethernet.with(condition), Links.wifi], [Self.overEthernet, Self.overWiFi])
        == Status(
          .reachable, flags: .reachable, interface: Links.wifi.interface, gateway: "10.2.0.11"))
  }

  @Test func `a route's own source is that of its other next hop, too`() throws {
    let hops = [NextHop(interface: 4, gateway: nil, isDown: false)]
    #expect(
      try multipath([Links.ethernet.with(.noCarrier), Links.cellular], hops, exactSource: "10.1.0.7")
        == Status(
          .reachable, flags: [.reachable, .transientConnection, .isWWAN],
          interface: Links.cellular.interface, source: "10.1.0.7"))
  }

  @Test(
    arguments: [
      (Links.wifi.with(.noCarrier), NextHop(interface: 3, gateway: "10.2.0.11", isDown: true)),
      // Either of the two, the kernel or the link's state, may know it first.
      (Links.wifi.with(.noCarrier), NextHop(interface: 3, gateway: "10.2.0.11", isDown: false)),
      (Links.wifi, NextHop(interface: 3, gateway: "10.2.0.11", isDown: true)),
    ])
  func `where all next hops are dead there is no carrier`(link: LinkState, hop: RouteReply.NextHop) throws {
    #expect(
      try multipath([Links.ethernet.with(.noCarrier), link], [Self.overEthernet, hop])
        == Self.notReachable(.noCarrier))
  }

  @Test func `the first live next hop is taken`() throws {
    let hops = [
      Self.overEthernet, NextHop(interface: 4, gateway: "10.4.0.1", isDown: true), Self.overWiFi,
      NextHop(interface: 5, gateway: "10.5.0.1", isDown: false),
    ]
    let links = [Links.ethernet.with(.noCarrier), Links.wifi, Links.cellular, Links.wireGuard]
    #expect(try multipath(links, hops).gateway == "10.2.0.11")
  }

  @Test func `a live next hop over an interface that is not in the tables is said to be unknown`() {
    #expect(throws: Scenario.Trouble.unknownLink(3)) {
      try multipath([Links.ethernet.with(.noCarrier)], [Self.overEthernet, Self.overWiFi])
    }
  }

  @Test func `a worse route over a live link does not count`() throws {
    // The kernel's choice is the dead one, and its entry has one way only.
    #expect(
      try multipath([Links.ethernet.with(.noCarrier), Links.wifi], []) == Self.notReachable(.noCarrier))
  }

  @Test(arguments: ["10.88.1.1", "fd00:88::1"] as [IPAddress])
  func `a next hop over another interface is no way for who may use only one`(destination: IPAddress) throws {
    var scenario = Scenario([Links.ethernet.with(.noCarrier), Links.wifi])
    // The kernel lists all next hops of the entry, also those that the interface excludes.
    scenario.answer(
      .init(destination, interface: 2), .route(2, via: "10.1.0.10", from: "10.1.0.1"),
      exact: .route(RouteReply(nextHops: [Self.overEthernet, Self.overWiFi])))
    #expect(
      try scenario.status(of: Target(.address(destination), interface: .name("eth0")))
        == Self.notReachable(.noCarrier))
  }
}
