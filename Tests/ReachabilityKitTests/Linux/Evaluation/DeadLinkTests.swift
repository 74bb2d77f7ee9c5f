// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import Netlink
import ReachabilityKit
import Testing

/// The plain answer hides a dead link; the link's state and the exact answer reveal it.
@Suite(.deadline) struct DeadLinkTests {

  private static func notReachable(_ reason: ReachabilityStatus.Reason) -> ReachabilityStatus {
    .notReachable(reason, over: Links.ethernet.interface)
  }

  @Test(
    arguments: [(.noCarrier, .noCarrier), (.down, .interfaceDown), (.dormant, .linkDormant)]
      as [(LinkState.Condition, ReachabilityStatus.Reason)],
    [("10.1.0.2", nil), ("10.9.0.1", "10.1.0.254"), ("fd00:1::2", nil), ("2001:db8::1", "fd00:1::fe")]
      as [(ReachabilityAddress, ReachabilityAddress?)])
  func `a route over a dead link is queried exactly and not reachable`(
    dead: (condition: LinkState.Condition, reason: ReachabilityStatus.Reason),
    route: (destination: ReachabilityAddress, gateway: ReachabilityAddress?)
  ) throws {
    var scenario = Scenario([Links.ethernet.with(dead.condition)])
    let question = RouteRequest(route.destination)
    scenario.answer(
      question, .route(2, via: route.gateway, from: "10.1.0.1"),
      exact: .success(RouteMessage(interface: 2, gateway: route.gateway, isDown: true)))
    // An IPv4 socket looks up the route again, from its source.
    let again = RouteRequest(route.destination, source: "10.1.0.1")
    let asked =
      route.destination.bitWidth == 32 ? [question, again, again.exact] : [question, question.exact]
    #expect(
      try scenario.run(.address(route.destination))
        == .init(evaluation: Evaluation(Self.notReachable(dead.reason)), asked: asked))
  }

  /// The kernel discards the packets: only the routes of next-hop objects remain on such a link.
  @Test func `IPv6 packets do not leave by a link without IPv6, and IPv4 packets do`() throws {
    var link = Links.ethernet
    link.ipv6 = .off
    var scenario = Scenario([link])
    for destination: ReachabilityAddress in ["2001:db8::1", "10.9.0.1"] {
      scenario.answer(
        RouteRequest(destination), .route(2, from: destination.bitWidth == 32 ? "10.1.0.1" : "fd07::1"),
        exact: .success(RouteMessage(interface: 2)))
    }
    #expect(try scenario.status(of: .address("2001:db8::1")) == Self.notReachable(.blackhole))
    #expect(try scenario.status(of: .address("10.9.0.1")).isReachable)
  }

  @Test(arguments: [IPv6Support.absent, .off, .on], [false, true])
  func `IPv4 packets leave by an IPv6 gateway only with IPv6`(ipv6: IPv6Support, needsNoNeighbours: Bool)
    throws
  {
    var link = Links.ethernet
    (link.ipv6, link.needsNoNeighbours) = (ipv6, needsNoNeighbours)
    var scenario = Scenario([link])
    let gateway: ReachabilityAddress = "fe80::99"
    let (first, second) = (RouteRequest("10.9.0.1"), RouteRequest("10.9.0.1", source: "10.1.0.1"))
    for question in [first, second] {
      scenario.answer(
        question, .route(2, via: gateway, from: "10.1.0.1"),
        exact: .success(RouteMessage(interface: 2, gateway: gateway)))
    }
    let isReachable = ipv6 == .on || ipv6 == .off && needsNoNeighbours
    let status = try scenario.status(of: .address("10.9.0.1"))
    #expect(status.isReachable == isReachable)
    #expect(status.reason == (isReachable ? nil : .blackhole))
  }

  @Test(
    arguments: [
      (Links.ethernet, 0x6), (Links.wifi, 0x6), (Links.cellular, 0x40007), (Links.ppp, 0x7),
      (Links.wireGuard, 0x7),
    ] as [(LinkState, UInt32)])
  func `a dormant link requires a connection, and keeps its kind`(link: LinkState, flags: UInt32) throws {
    var scenario = Scenario([link.with(.dormant)])
    scenario.answer(.init("10.1.0.2"), .route(link.index, from: "10.1.0.1"), exact: .route(link.index))
    let status = try scenario.status(of: .address("10.1.0.2"))
    #expect(status.flags.rawValue == flags)
    #expect(!status.isReachable)
  }

  @Test(arguments: [
    RouteAnswer.failure(.networkUnreachable),
    // With `nexthop_compat_mode=0` the exact answer has no interface, no gateway and no next hops.
    .success(RouteMessage(prefixLength: 16)),
    .success(RouteMessage(interface: 2, isDown: true)),
  ])
  func `a dead link stays dead in every form of the exact answer`(exact: RouteAnswer) throws {
    var scenario = Scenario([Links.ethernet.with(.noCarrier)])
    scenario.answer(.init("10.9.0.1"), .route(2, via: "10.1.0.254", from: "10.1.0.1"), exact: exact)
    #expect(try scenario.status(of: .address("10.9.0.1")) == Self.notReachable(.noCarrier))
  }

  @Test func `a route over a live link is not queried exactly`() throws {
    var scenario = Scenario([Links.ethernet])
    scenario.answer(.init("10.9.0.1"), .route(2, via: "10.1.0.254", from: "10.1.0.1"))
    #expect(try scenario.run(.address("10.9.0.1")).asked == [RouteRequest("10.9.0.1")])
  }

  @Test func `a next hop that the kernel reports as dead is dead before its link message`() throws {
    var scenario = Scenario([Links.ethernet], isWatching: true)
    for (destination, exact) in [
      ("fd00:1::2", RouteMessage(interface: 2, isDown: true)),
      (
        "fd00:1::3",
        RouteMessage(
          nextHops: [
            NextHop(interface: 2, gateway: "fd00:1::10", isDown: true),
            NextHop(interface: 2, gateway: "fd00:1::11", isDown: true),
          ])
      ),
    ] as [(ReachabilityAddress, RouteMessage)] {
      scenario.answer(.init(destination), .route(2, from: "fd00:1::1"), exact: .route(exact))
      #expect(try scenario.status(of: .address(destination)) == Self.notReachable(.noCarrier))
    }
  }

  // MARK: Several next hops

  private static let overWiFi = NextHop(interface: 3, gateway: "10.2.0.11", isDown: false)
  private static let overEthernet = NextHop(interface: 2, gateway: "10.1.0.10", isDown: true)
  private static let throughEthernet = RouteAnswer.route(2, via: "10.1.0.10", from: "10.1.0.1")
  private static let throughWiFi = RouteAnswer.route(3, via: "10.2.0.11", from: "10.2.0.1")

  /// The status of a destination whose plain answer is the Ethernet link.
  ///
  /// - Parameter choices: The kernel's answers for single connections, if they differ.
  private func multipath(
    _ links: [LinkState], _ hops: [NextHop], _ destination: ReachabilityAddress = "10.88.1.1",
    choices: [UInt8: RouteAnswer] = [:]
  ) throws -> ReachabilityStatus {
    var scenario = Scenario(links)
    let question = RouteRequest(destination)
    scenario.answer(
      question, Self.throughEthernet, exact: .success(RouteMessage(prefixLength: 16, nextHops: hops)))
    for (flow, answer) in choices {
      scenario.answers[question.inFlow(flow)] = answer
      guard case .success(let reply) = answer else { continue }
      scenario.answers[question.inFlow(flow).from(reply.preferredSource)] = answer
    }
    return try scenario.status(of: .address(destination))
  }

  private static let overLiveWiFi = ReachabilityStatus(
    .reachable, flags: .reachable, interface: Links.wifi.interface, gateway: "10.2.0.11", source: "10.2.0.1")

  @Test(
    arguments: [(.noCarrier, .noCarrier), (.down, .interfaceDown), (.dormant, .linkDormant)]
      as [(LinkState.Condition, ReachabilityStatus.Reason)],
    ["10.88.1.1", "fd00:88::1"] as [ReachabilityAddress])
  func `a live next hop that no connection uses does not count`(
    dead: (condition: LinkState.Condition, reason: ReachabilityStatus.Reason),
    destination: ReachabilityAddress
  ) throws {
    let links = [Links.ethernet.with(dead.condition), Links.wifi]
    #expect(
      try multipath(links, [Self.overEthernet, Self.overWiFi], destination) == Self.notReachable(dead.reason))
  }

  @Test(arguments: [0, 1, 2, 15] as [UInt8], ["10.88.1.1", "fd00:88::1"] as [ReachabilityAddress])
  func `a live next hop that some connections use is the status`(
    flow: UInt8, destination: ReachabilityAddress
  )
    throws
  {
    let links = [Links.ethernet.with(.noCarrier), Links.wifi]
    #expect(
      try multipath(
        links, [Self.overEthernet, Self.overWiFi], destination, choices: [flow: Self.throughWiFi])
        == Self.overLiveWiFi)
  }

  @Test(arguments: ["10.88.1.1", "fd00:88::1"] as [ReachabilityAddress])
  func `connections find a live next hop that the entry does not list`(
    destination: ReachabilityAddress
  ) throws {
    let links = [Links.ethernet.with(.noCarrier), Links.wifi]
    #expect(try multipath(links, [], destination, choices: [3: Self.throughWiFi]) == Self.overLiveWiFi)
    #expect(try multipath(links, [], destination) == Self.notReachable(.noCarrier))
  }

  @Test func `connections find a live next hop where the kernel names another route`() throws {
    var scenario = Scenario([Links.ethernet.with(.noCarrier), Links.wifi])
    let question = RouteRequest("fd00:88::1")
    var other = RouteMessage(interface: 2, gateway: "fd00:1::10", isDown: true)
    (other.destination, other.destinationLength, other.nextHopID) = ("fd00:99::", 32, 7)
    scenario.answer(question, .route(2, via: "fd00:1::10", from: "fd00:1::1"), exact: .success(other))
    scenario.answers[question.inFlow(3)] = Self.throughWiFi
    #expect(try scenario.status(of: .address("fd00:88::1")) == Self.overLiveWiFi)
  }

  @Test func `the second lookup of an IPv4 socket decides its next hop`() throws {
    var scenario = Scenario([Links.ethernet.with(.noCarrier), Links.wifi])
    let question = RouteRequest("10.88.1.1")
    let entry = RouteAnswer.success(
      RouteMessage(prefixLength: 16, nextHops: [Self.overEthernet, Self.overWiFi]))
    // The first lookup, without a source, selects the dead next hop, and so its source.
    scenario.answer(question, Self.throughEthernet, exact: entry)
    scenario.answer(question.from("10.1.0.1"), .route(3, via: "10.2.0.11"), exact: entry)
    var expected = Self.overLiveWiFi
    expected.source = "10.1.0.1"
    #expect(try scenario.status(of: .address("10.88.1.1")) == expected)

    // A connection whose second lookup does not select the live next hop is not usable.
    scenario.answer(question.from("10.1.0.1"), .route(2, via: "10.1.0.10"), exact: entry)
    for flow in 0..<Evaluator.flowCount {
      scenario.answers[question.inFlow(flow)] = Self.throughWiFi
      scenario.answers[question.inFlow(flow).from("10.2.0.1")] = .route(2, via: "10.1.0.10")
    }
    #expect(try scenario.status(of: .address("10.88.1.1")) == Self.notReachable(.noCarrier))
    scenario.answers[question.inFlow(9).from("10.2.0.1")] = .route(3, via: "10.2.0.11")
    #expect(try scenario.status(of: .address("10.88.1.1")) == Self.overLiveWiFi)
  }

  @Test func `an IPv4 destination over a dead link is looked up again from its source`() throws {
    let question = RouteRequest("10.88.1.1")
    let links: [(LinkState, addresses: [String])] = [
      (Links.ethernet.with(.noCarrier), addresses: ["10.1.0.1/24"]),
      (Links.wifi, addresses: ["10.2.0.1/24"]),
    ]
    var scenario = Scenario(links)
    _ = scenario.network.settle()
    scenario.answer(question, Self.throughWiFi)
    scenario.answer(
      question.from("10.2.0.1"), .route(2, via: "10.1.0.10"),
      exact: .success(RouteMessage(nextHops: [Self.overEthernet, Self.overWiFi])))
    for flow in 0..<Evaluator.flowCount {
      scenario.answers[question.inFlow(flow)] = Self.throughWiFi
      scenario.answers[question.inFlow(flow).from("10.2.0.1")] = .route(2, via: "10.1.0.10")
    }
    #expect(try scenario.status(of: .address("10.88.1.1")) == Self.notReachable(.noCarrier))

    // Once it is alive, or gone, one lookup is enough.
    _ = scenario.network.update(Links.ethernet)
    _ = scenario.network.settle()
    #expect(try scenario.run(.address("10.88.1.1")).asked == [question])
    _ = scenario.network.update(Links.ethernet.with(.noCarrier))
    _ = scenario.network.settle()
    #expect(try scenario.run(.address("10.88.1.1")).asked != [question])
    _ = scenario.network.removeLink(2)
    _ = scenario.network.settle()
    #expect(try scenario.run(.address("10.88.1.1")).asked == [question])
  }

  @Test func `a target's source is part of the lookups of all connections`() throws {
    var scenario = Scenario([
      (Links.ethernet.with(.noCarrier), addresses: ["10.1.0.1/24"]), (Links.wifi, addresses: []),
    ])
    let question = RouteRequest("10.88.1.1", source: "10.1.0.1")
    scenario.answer(
      question, .route(2, via: "10.1.0.10"),
      exact: .success(RouteMessage(nextHops: [Self.overEthernet, Self.overWiFi])))
    scenario.answers[question.inFlow(3)] = .route(3, via: "10.2.0.11")
    var expected = Self.overLiveWiFi
    expected.source = "10.1.0.1"
    #expect(
      try scenario.status(of: ReachabilityTarget(.address("10.88.1.1"), source: "10.1.0.1")) == expected)
  }

  @Test(
    arguments: [
      (Links.wifi.with(.noCarrier), NextHop(interface: 3, gateway: "10.2.0.11", isDown: true)),
      // Either the kernel or the link's state may report it first.
      (Links.wifi.with(.noCarrier), NextHop(interface: 3, gateway: "10.2.0.11", isDown: false)),
      (Links.wifi, NextHop(interface: 3, gateway: "10.2.0.11", isDown: true)),
    ])
  func `no connection is looked up if all next hops are dead`(link: LinkState, hop: NextHop)
    throws
  {
    var scenario = Scenario([Links.ethernet.with(.noCarrier), link])
    scenario.answer(
      .init("10.88.1.1"), Self.throughEthernet,
      exact: .success(RouteMessage(nextHops: [Self.overEthernet, hop])))
    let outcome = try scenario.run(.address("10.88.1.1"))
    #expect(outcome.evaluation.status == Self.notReachable(.noCarrier))
    #expect(Set(outcome.asked.map(\.sourcePort)) == [nil])
  }

  @Test func `a live next hop over an interface that the tables lack is an unknown link`() {
    #expect(throws: Scenario.Trouble.unknownLink(3)) {
      try multipath([Links.ethernet.with(.noCarrier)], [Self.overEthernet, Self.overWiFi])
    }
  }

  @Test func `a worse route over a live link does not count`() throws {
    // The kernel selects the dead link, and its entry has one next hop only.
    var scenario = Scenario([Links.ethernet.with(.noCarrier), Links.wifi])
    scenario.answer(.init("10.88.1.1"), Self.throughEthernet, exact: .route(2, via: "10.1.0.10"))
    let outcome = try scenario.run(.address("10.88.1.1"))
    #expect(outcome.evaluation.status == Self.notReachable(.noCarrier))
    #expect(Set(outcome.asked.map(\.sourcePort)) == [nil])
  }

  @Test(arguments: ["10.88.1.1", "fd00:88::1"] as [ReachabilityAddress])
  func `a next hop over another interface does not count for a bound target`(destination: ReachabilityAddress)
    throws
  {
    var scenario = Scenario([Links.ethernet.with(.noCarrier), Links.wifi])
    let question = RouteRequest(destination, interface: 2)
    // The kernel lists all next hops of the entry, also those that the interface excludes.
    scenario.answer(
      question, Self.throughEthernet,
      exact: .success(RouteMessage(nextHops: [Self.overEthernet, Self.overWiFi])))
    for flow in 0..<Evaluator.flowCount { scenario.answers[question.inFlow(flow)] = Self.throughWiFi }
    let outcome = try scenario.run(ReachabilityTarget(.address(destination), interface: .name("eth0")))
    #expect(outcome.evaluation.status == Self.notReachable(.noCarrier))
    #expect(Set(outcome.asked.map(\.sourcePort)) == [nil])
  }

  // MARK: This machine

  private static let red = LinkState(
    ReachabilityInterface(name: "red", index: 9, kind: .other, linkType: "vrf"))

  @Test(arguments: ["10.1.0.1", "fd00:1::1"] as [ReachabilityAddress], [RouteKind.local, .anycast])
  func `the loopback interface or the VRF's device delivers own addresses`(
    address: ReachabilityAddress, kind: RouteKind
  ) throws {
    for device in [Links.loopback, Self.red] {
      for (condition, reason) in [
        (LinkState.Condition.up, nil), (.down, .interfaceDown), (.noCarrier, .noCarrier),
      ] as [(LinkState.Condition, ReachabilityStatus.Reason?)] {
        // The carrier of the interface that has the address does not matter.
        var scenario = Scenario([Links.ethernet.with(.noCarrier), device.with(condition)])
        scenario.answer(
          .init(address), .success(RouteMessage(kind, interface: device.index, source: address)),
          exact: .success(RouteMessage(kind, interface: 2)))
        let expected =
          reason.map { ReachabilityStatus.notReachable($0, over: device.interface) }
          ?? ReachabilityStatus(
            .reachable, flags: [.reachable, .isLocalAddress, .isDirect],
            interface: Links.ethernet.interface, source: address)
        #expect(try scenario.status(of: .address(address)) == expected)
      }
    }
  }

  @Test func `a broadcast on the loopback interface has a loopback source`() throws {
    var scenario = Scenario([(Links.loopback, addresses: ["127.0.0.1/8"]), (Links.ethernet, addresses: [])])
    scenario.answer(
      .init("127.255.255.255"), .success(RouteMessage(.broadcast, interface: 1, source: "127.0.0.1")))
    #expect(
      try scenario.status(of: .address("127.255.255.255"))
        == ReachabilityStatus(
          .reachable, flags: [.reachable, .isDirect], interface: Links.loopback.interface,
          source: "127.0.0.1"))
    // On other links, that means that there is no other address.
    scenario.answer(
      .init("ff0e::1"), .success(RouteMessage(.multicast, interface: 2, source: "::1")))
    #expect(
      try scenario.status(of: .address("ff0e::1"))
        == .notReachable(.sourceAddressMissing, over: Links.ethernet.interface))
  }

  @Test func `a bound IPv4 socket reaches its neighbours whatever the routes and rules`() throws {
    var scenario = Scenario([(Links.ethernet, addresses: ["10.1.0.1/24"])])
    for destination in ["10.1.0.2", "10.9.0.1"] as [ReachabilityAddress] {
      // The kernel invents an on-link route.
      scenario.answer(
        .init(destination, interface: 2), .success(RouteMessage(interface: 2, source: "10.1.0.1", table: 0)),
        exact: .failure(.accessDenied))
      let isNeighbour = destination == "10.1.0.2"
      #expect(
        try scenario.status(of: ReachabilityTarget(.address(destination), interface: .name("eth0")))
          == (isNeighbour
            ? ReachabilityStatus(
              .reachable, flags: [.reachable, .isDirect], interface: Links.ethernet.interface,
              source: "10.1.0.1")
            : .notReachable(.noRoute)))
    }
  }
}
#endif
