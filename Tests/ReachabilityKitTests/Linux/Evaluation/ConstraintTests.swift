// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import Netlink
import ReachabilityKit
import Testing

/// Interfaces, zones and marks that a target requires.
@Suite(.deadline) struct ConstraintTests {
  @Test(arguments: [ReachabilityTarget.Interface.name("wlan0"), .index(3)])
  func `a query contains the interface's index`(interface: ReachabilityTarget.Interface) throws {
    var scenario = Scenario([Links.ethernet, Links.wifi])
    scenario.answer(.init("10.9.0.1", interface: 3), .route(3, via: "10.3.0.254", from: "10.3.0.1"))
    #expect(
      try scenario.run(ReachabilityTarget(.address("10.9.0.1"), interface: interface))
        == .init(
          evaluation: Evaluation(
            ReachabilityStatus(
              .reachable, flags: .reachable, interface: Links.wifi.interface, gateway: "10.3.0.254",
              source: "10.3.0.1")),
          asked: [RouteRequest("10.9.0.1", interface: 3)]))
  }

  @Test(
    arguments: [
      .name("wlan1"), .name("2"), .name(""), .index(3), .index(0), .index(-1), .index(.max), .index(.min),
      // The low 32 bits are an existing index.
      .index(1 << 32 | 2),
    ] as [ReachabilityTarget.Interface],
    [.address("10.9.0.1"), .address("fe80::1"), .defaultRoute] as [ReachabilityTarget.Destination])
  func `a missing interface is not found, without a query`(
    interface: ReachabilityTarget.Interface, destination: ReachabilityTarget.Destination
  ) throws {
    #expect(
      try Scenario([Links.ethernet]).run(ReachabilityTarget(destination, interface: interface))
        == .init(evaluation: Evaluation(.notReachable(.interfaceNotFound)), asked: []))
  }

  @Test func `an interface that disappears during a query is not found`() throws {
    var scenario = Scenario([Links.ethernet])
    scenario.answer(.init("10.9.0.1", interface: 2), .failure(.noDevice))
    #expect(
      try scenario.status(of: ReachabilityTarget(.address("10.9.0.1"), interface: .name("eth0")))
        == .notReachable(.interfaceNotFound))
  }

  @Test func `every query contains the mark and the source`() throws {
    var scenario = Scenario(
      [(Links.loopback, addresses: []), (Links.ethernet.with(.noCarrier), addresses: ["fd00::1/64"])],
      isWatching: true)
    let question = RouteRequest("2001:db8::1", source: "fd00::1", interface: 2, mark: 66)
    scenario.answer(question, .route(2), exact: .route(2))
    let target = ReachabilityTarget(
      .address("2001:db8::1"), source: "fd00::1", interface: .index(2), mark: 66)
    #expect(
      try scenario.run(target)
        == .init(
          evaluation: Evaluation(.notReachable(.noCarrier, over: Links.ethernet.interface)),
          asked: [question, question.exact]))
  }

  @Test(arguments: [0, 66] as [UInt32])
  func `a query contains the mark unchanged`(mark: UInt32) throws {
    var scenario = Scenario([Links.ethernet])
    scenario.answer(.init("10.9.0.1", mark: mark), .route(2, via: "10.1.0.253", from: "10.1.0.1"))
    #expect(
      try scenario.status(of: ReachabilityTarget(.address("10.9.0.1"), mark: mark)).gateway == "10.1.0.253")
  }

  // MARK: The route that the kernel invents

  @Test(
    arguments: [
      (Links.ethernet, .notReachable(.noRoute)),
      (Links.ethernet.with(.noCarrier), .notReachable(.noCarrier, over: Links.ethernet.interface)),
      (Links.ethernet.with(.down), .notReachable(.interfaceDown, over: Links.ethernet.interface)),
    ] as [(LinkState, ReachabilityStatus)])
  func `an IPv4 route without a table over the required interface is none`(
    link: LinkState, status: ReachabilityStatus
  )
    throws
  {
    var scenario = Scenario([link])
    scenario.answer(
      .init("10.9.0.1", interface: 2), .success(RouteMessage(interface: 2, source: "10.1.0.1", table: 0)),
      exact: .failure(.hostUnreachable))
    #expect(
      try scenario.run(ReachabilityTarget(.address("10.9.0.1"), interface: .name("eth0")))
        == .init(evaluation: Evaluation(status), asked: [RouteRequest("10.9.0.1", interface: 2)]))
  }

  @Test func `a route without a table counts without an interface, and for IPv6`() throws {
    var scenario = Scenario([Links.ethernet])
    scenario.answer(.init("10.1.0.2"), .success(RouteMessage(interface: 2, source: "10.1.0.1", table: 0)))
    scenario.answer(
      .init("fd00::2", interface: 2), .success(RouteMessage(interface: 2, source: "fd00::1", table: 0)))
    #expect(try scenario.status(of: .address("10.1.0.2")).isReachable)
    #expect(
      try scenario.status(of: ReachabilityTarget(.address("fd00::2"), interface: .index(2))).isReachable)
  }

  @Test(
    arguments: [
      (Links.ethernet, .notReachable(.noRoute)),
      (Links.ethernet.with(.noCarrier), .notReachable(.noCarrier, over: Links.ethernet.interface)),
      (Links.ethernet.with(.down), .notReachable(.interfaceDown, over: Links.ethernet.interface)),
    ] as [(LinkState, ReachabilityStatus)])
  func `without a route the state of the required interface is the reason`(
    link: LinkState, status: ReachabilityStatus
  ) throws {
    var scenario = Scenario([(link, addresses: []), (Links.wifi.with(.down), addresses: ["10.9.0.2/24"])])
    scenario.answer(.init("10.9.0.1", interface: 2), .failure(.networkUnreachable))
    #expect(try scenario.status(of: ReachabilityTarget(.address("10.9.0.1"), interface: .index(2))) == status)
  }

  @Test(arguments: [
    ReachabilityTarget.Destination.address("10.9.0.1"), .address("2001:db8::1"), .defaultRoute,
  ])
  func `a dormant interface requires a connection, with or without a route`(
    destination: ReachabilityTarget.Destination
  ) throws {
    var scenario = Scenario([Links.wifi.with(.dormant)])
    let destinations: [ReachabilityAddress] = ["10.9.0.1", "2001:db8::1", "0.0.0.1", "2000::"]
    for destination in destinations {
      scenario.answer(
        .init(destination, interface: 3), .failure(.networkUnreachable),
        exact: .failure(.networkUnreachable))
    }
    let status = try scenario.status(of: ReachabilityTarget(destination, interface: .name("wlan0")))
    #expect(status == .notReachable(.linkDormant, over: Links.wifi.interface))
    #expect(status.flags == [.reachable, .connectionRequired])
  }

  // MARK: Answers over other interfaces

  @Test(
    arguments: [
      (Links.ethernet, .notReachable(.noRoute)),
      (Links.ethernet.with(.down), .notReachable(.interfaceDown, over: Links.ethernet.interface)),
    ] as [(LinkState, ReachabilityStatus)])
  func `a route over another interface than the required one is none`(
    link: LinkState, status: ReachabilityStatus
  ) throws {
    var scenario = Scenario([(link, addresses: []), (Links.wifi, addresses: ["fd00:1::1/64"])])
    // With a source, the kernel treats the interface of an IPv6 query as a preference.
    scenario.answer(
      .init("2001:db8::1", source: "fd00:1::1", interface: 2), .route(3, via: "fe80::fe", from: "fd00:1::1"))
    scenario.answer(.init("fd00:1::1"), .success(RouteMessage(.local, interface: 1)))
    scenario.answer(.init("2001:db8::1", interface: 2), .failure(.networkUnreachable))
    let target = ReachabilityTarget(.address("2001:db8::1"), source: "fd00:1::1", interface: .name("eth0"))
    #expect(try scenario.status(of: target) == status)
  }

  @Test(arguments: [false, true])
  func `a worse route over the required interface from the required source counts`(isWatching: Bool) throws {
    var scenario = Scenario(
      [(Links.ethernet, addresses: []), (Links.wifi, addresses: ["fd00:1::1/64"])], isWatching: isWatching)
    let overruled = RouteAnswer.route(3, via: "fe80::fe", from: "fd00:1::1")
    scenario.answer(.init("2001:db8::1", source: "fd00:1::1", interface: 2), overruled, exact: overruled)
    scenario.answer(.init("fd00:1::1"), .success(RouteMessage(.local, interface: 1)))
    scenario.answer(
      .init("2001:db8::1", interface: 2), .route(2, via: "fd00:2::fe", from: "fd00:2::1"),
      exact: .success(RouteMessage(interface: 2, gateway: "fd00:2::fe", lifetime: .seconds(30))))
    let target = ReachabilityTarget(.address("2001:db8::1"), source: "fd00:1::1", interface: .name("eth0"))
    #expect(
      try scenario.run(target).evaluation
        == Evaluation(
          ReachabilityStatus(
            .reachable, flags: .reachable, interface: Links.ethernet.interface, gateway: "fd00:2::fe",
            source: "fd00:1::1"), lifetime: isWatching ? .seconds(30) : nil))
  }

  @Test func `an address of another interface is not local on the required one`() throws {
    var scenario = Scenario([
      (Links.loopback, addresses: []), (Links.ethernet, addresses: ["fd00:2::1/64"]),
      (Links.wifi, addresses: ["fd00:3::1/64"]),
    ])
    scenario.answer(
      .init("fd00:3::1", source: "fd00:2::1", interface: 2), .success(RouteMessage(.local, interface: 1)),
      exact: .success(RouteMessage(.local, interface: 3)))
    scenario.answer(.init("fd00:2::1"), .success(RouteMessage(.local, interface: 1)))
    scenario.answer(.init("fd00:3::1", interface: 2), .failure(.networkUnreachable))
    let target = ReachabilityTarget(.address("fd00:3::1"), source: "fd00:2::1", interface: .name("eth0"))
    #expect(try scenario.status(of: target) == .notReachable(.noRoute))
  }

  @Test func `packets bound to a VRF leave by the link that its table names`() throws {
    let vrf = LinkState(ReachabilityInterface(name: "vrf0", index: 7, kind: .wired, linkType: "vrf"))
    var member = Links.ethernet
    member.master = 7
    var scenario = Scenario([vrf, member, Links.wifi])
    scenario.answer(.init("10.9.0.1", interface: 7), .route(2, via: "10.1.0.254", from: "10.1.0.1"))
    let target = ReachabilityTarget(.address("10.9.0.1"), interface: .name("vrf0"))
    #expect(
      try scenario.status(of: target)
        == ReachabilityStatus(
          .reachable, flags: .reachable, interface: Links.ethernet.interface, gateway: "10.1.0.254",
          source: "10.1.0.1"))

    // A route that leads out of the VRF.
    scenario.answer(.init("10.9.0.1", interface: 7), .route(3, via: "10.3.0.254", from: "10.1.0.1"))
    #expect(
      try scenario.status(of: target)
        == ReachabilityStatus(
          .reachable, flags: .reachable, interface: Links.wifi.interface, gateway: "10.3.0.254",
          source: "10.1.0.1"))
  }

  @Test func `IPv6 packets that leave a VRF have a source of the VRF`() throws {
    let vrf = LinkState(ReachabilityInterface(name: "vrf0", index: 7, kind: .wired, linkType: "vrf"))
    var scenario = Scenario([(vrf, addresses: []), (Links.wifi, addresses: ["fd00:3::1/64"])])
    let question = RouteRequest("2001:db8::1", interface: 7)
    scenario.answer(question, .route(3, via: "fd00:3::fe", from: "fd00:3::1"))
    // The lookup returns another source than sockets get.
    scenario.answers[question.sourceChoice] = .success(RouteMessage(.local, source: "fd00:1::1"))
    #expect(
      try scenario.status(of: ReachabilityTarget(.address("2001:db8::1"), interface: .name("vrf0")))
        == ReachabilityStatus(
          .reachable, flags: .reachable, interface: Links.wifi.interface, gateway: "fd00:3::fe",
          source: "fd00:1::1"))
  }

  @Test func `IPv6 packets that leave a VRF may be delivered here with their source`() throws {
    let vrf = LinkState(ReachabilityInterface(name: "vrf0", index: 7, kind: .wired, linkType: "vrf"))
    var scenario = Scenario([
      (Links.loopback, addresses: ["::1/128"]), (vrf, addresses: []),
      (Links.wifi, addresses: ["fd00:3::1/64"]),
    ])
    let question = RouteRequest("2001:db8::1", interface: 7)
    scenario.answer(question, .route(3, via: "fd00:3::fe", from: "fd00:3::1"))
    scenario.answers[question.sourceChoice] = .success(RouteMessage(.local, source: "fd00:1::1"))
    let local = RouteAnswer.success(RouteMessage(.local, interface: 1, source: "fd00:1::1"))
    scenario.answer(question.from("fd00:1::1"), local, exact: local)
    let status = try scenario.status(
      of: ReachabilityTarget(.address("2001:db8::1"), interface: .name("vrf0")))
    #expect(status.flags.contains(.isLocalAddress) && status.interface?.name == "lo", "\(status)")
  }

  @Test func `IPv6 packets over a port of their VRF need no other source`() throws {
    let vrf = LinkState(ReachabilityInterface(name: "vrf0", index: 7, kind: .wired, linkType: "vrf"))
    var port = Links.wifi
    port.master = 7
    var scenario = Scenario([(vrf, addresses: []), (port, addresses: ["fd00:3::1/64"])])
    let question = RouteRequest("2001:db8::1", interface: 7)
    scenario.answer(question, .route(3, via: "fd00:3::fe", from: "fd00:3::1"))
    #expect(
      try scenario.run(ReachabilityTarget(.address("2001:db8::1"), interface: .name("vrf0"))).asked == [
        question
      ])
  }

  @Test func `one query suffices only for an address without constraints`() {
    #expect(Evaluator.soleQuestion(about: .address("10.9.0.1")) == RouteRequest("10.9.0.1"))
    for target in [
      .defaultRoute, .address("fe80::1"), ReachabilityTarget(.address("10.9.0.1"), source: "10.1.0.1"),
      ReachabilityTarget(.address("10.9.0.1"), interface: .index(2)),
    ] {
      #expect(Evaluator.soleQuestion(about: target) == nil)
    }
  }

  // MARK: Zones

  @Test(arguments: ["2001:db8::1", "fd00:1::2"] as [ReachabilityAddress])
  func `a link-local source needs a zone as well`(destination: ReachabilityAddress) throws {
    let scenario = Scenario([Links.ethernet])
    #expect(
      try scenario.run(ReachabilityTarget(.address(destination), source: "fe80::1"))
        == .init(evaluation: Evaluation(.notReachable(.zoneMissing)), asked: []))
  }

  @Test(arguments: [(254, true), (255, true), (100, false)] as [(UInt32, Bool)])
  func `a local route makes an IPv4 source valid in the table of the machine's addresses only`(
    table: UInt32, isValid: Bool
  ) throws {
    var scenario = Scenario([Links.ethernet])
    let source: ReachabilityAddress = "10.7.0.1"
    scenario.answers[.init(source)] = .success(RouteMessage(.local, interface: 1, table: table))
    // The table is the main one until there is a rule.
    scenario.answers[.init("127.0.0.1")] = .success(RouteMessage(.local, interface: 1, table: 254))
    scenario.answers[.init("10.9.0.1", source: source)] = .route(2, via: "10.1.0.254")
    let status = try scenario.status(of: ReachabilityTarget(.address("10.9.0.1"), source: source))
    #expect(status.isReachable == isValid, "\(status)")
  }

  @Test(arguments: ["fe80::1", "::1"] as [ReachabilityAddress])
  func `an address of another link is not a valid source`(source: ReachabilityAddress) throws {
    let scenario = Scenario([
      (Links.loopback, addresses: ["::1/128"]), (Links.ethernet, addresses: ["fe80::2/64"]),
      (Links.wifi, addresses: ["fe80::1/64"]),
    ])
    let target = ReachabilityTarget(.address("2001:db8::1"), source: source, interface: .name("eth0"))
    #expect(try scenario.status(of: target) == .notReachable(.sourceAddressMissing))
  }

  @Test(arguments: ["fe80::1", "febf::1", "ff02::fb", "ff01::1"] as [ReachabilityAddress])
  func `a link-local address without a zone is not reachable, without a query`(
    address: ReachabilityAddress
  ) throws {
    for target in [
      ReachabilityTarget.address(address), ReachabilityTarget(.address(address), source: "fe80::2", mark: 1),
    ] {
      #expect(
        try Scenario([Links.ethernet]).run(target)
          == .init(evaluation: Evaluation(.notReachable(.zoneMissing)), asked: []))
    }
  }

  @Test func `the zone becomes the interface of the query`() throws {
    var scenario = Scenario([Links.ethernet, Links.wifi])
    scenario.answer(.init("fe80::1", interface: 3), .route(3, from: "fe80::2"))
    let expected = ReachabilityStatus(
      .reachable, flags: [.reachable, .isDirect], interface: Links.wifi.interface, source: "fe80::2")
    #expect(try scenario.status(of: .address("fe80::1", zone: .name("wlan0"))) == expected)
    #expect(try scenario.status(of: .address("fe80::1", zone: .index(3))) == expected)
  }

  @Test(arguments: ["ff05::1", "ff0e::1", "fec0::1"] as [ReachabilityAddress])
  func `an address of a wider scope needs no zone`(address: ReachabilityAddress) throws {
    var scenario = Scenario([Links.ethernet])
    scenario.answer(.init(address), .success(RouteMessage(.multicast, interface: 2, source: "fd00::1")))
    #expect(try scenario.status(of: .address(address)).isReachable)
  }
}
#endif
