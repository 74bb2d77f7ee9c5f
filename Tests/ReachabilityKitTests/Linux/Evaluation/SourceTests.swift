// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import Netlink
import ReachabilityKit
import Testing

/// The source of packets: the kernel's choice, or the required address.
@Suite(.deadline) struct SourceTests {
  @Test func `a target without an IPv4 source is not reachable`() throws {
    var scenario = Scenario([Links.ethernet])
    scenario.answer(.init("10.9.0.1"), .route(2, via: "10.1.0.254"))
    #expect(
      try scenario.status(of: .address("10.9.0.1"))
        == .notReachable(.sourceAddressMissing, over: Links.ethernet.interface))
  }

  @Test(arguments: [nil, "::1"] as [ReachabilityAddress?])
  func `a target with only tentative IPv6 sources is not reachable`(source: ReachabilityAddress?) throws {
    var scenario = Scenario([Links.ethernet], isWatching: true)
    scenario.answer(
      .init("2001:db8::1"), .route(2, via: "fe80::1", from: source),
      exact: .success(RouteMessage(interface: 2, lifetime: .seconds(30))))
    #expect(
      try scenario.run(.address("2001:db8::1")).evaluation
        == Evaluation(
          .notReachable(.sourceAddressMissing, over: Links.ethernet.interface), lifetime: .seconds(30)))
  }

  @Test func `a link-local source is valid`() throws {
    var scenario = Scenario([Links.ethernet])
    scenario.answer(.init("2001:db8::1"), .route(2, via: "fe80::1", from: "fe80::2"))
    #expect(
      try scenario.status(of: .address("2001:db8::1"))
        == ReachabilityStatus(
          .reachable, flags: .reachable, interface: Links.ethernet.interface, gateway: "fe80::1",
          source: "fe80::2"))
  }

  // MARK: Address pairs

  private static let pairs:
    [(ReachabilityAddress, source: ReachabilityAddress, gateway: ReachabilityAddress)] = [
      ("10.9.0.1", "10.1.0.1", "10.1.0.254"), ("2001:db8::1", "fd00:1::1", "fd00:1::fe"),
    ]

  private func pairScenario(
    _ destination: ReachabilityAddress, _ source: ReachabilityAddress, _ gateway: ReachabilityAddress,
    local: RouteAnswer? = nil
  ) -> Scenario {
    var scenario = Scenario([
      (Links.loopback, addresses: []),
      (Links.ethernet, addresses: local == nil ? ["10.1.0.1/24", "fd00:1::1/64"] : []),
    ])
    // The kernel's IPv6 answer contains a source that the kernel chose.
    scenario.answer(
      .init(destination, source: source),
      .route(2, via: gateway, from: destination.bitWidth == 128 ? "fd00:1::50" : nil))
    if let local { scenario.answer(.init(source), local) }
    return scenario
  }

  @Test(arguments: pairs)
  func `a target is reachable from an assigned source`(
    pair: (destination: ReachabilityAddress, source: ReachabilityAddress, gateway: ReachabilityAddress)
  ) throws {
    let scenario = pairScenario(pair.destination, pair.source, pair.gateway)
    #expect(
      try scenario.run(ReachabilityTarget(.address(pair.destination), source: pair.source))
        == .init(
          evaluation: Evaluation(
            ReachabilityStatus(
              .reachable, flags: .reachable, interface: Links.ethernet.interface, gateway: pair.gateway,
              source: pair.source)),
          asked: [RouteRequest(pair.destination, source: pair.source)]))
  }

  @Test func `an IPv4 source that only a route makes local is valid`() throws {
    let scenario = pairScenario(
      "10.9.0.1", "10.170.0.1", "10.1.0.254", local: .success(RouteMessage(.local, interface: 1)))
    #expect(
      try scenario.run(ReachabilityTarget(.address("10.9.0.1"), source: "10.170.0.1")).asked
        == [
          RouteRequest("10.9.0.1", source: "10.170.0.1"), RouteRequest("10.170.0.1"),
          RouteRequest("127.0.0.1"),
        ])
    #expect(
      try scenario.status(of: ReachabilityTarget(.address("10.9.0.1"), source: "10.170.0.1")).isReachable)
  }

  @Test(
    arguments: [
      (254, 254, true), (254, 255, false), (255, 255, true), (100, 255, false),
    ] as [(UInt32, UInt32, Bool)])
  func `an IPv4 source is local in the table of the machine's addresses`(
    _ table: UInt32, _ own: UInt32, _ isReachable: Bool
  ) throws {
    var scenario = pairScenario(
      "10.9.0.1", "10.170.0.1", "10.1.0.254",
      local: .success(RouteMessage(.local, interface: 1, table: table)))
    scenario.answers[.init("127.0.0.1")] = .success(RouteMessage(.local, interface: 1, table: own))
    let status = try scenario.status(of: ReachabilityTarget(.address("10.9.0.1"), source: "10.170.0.1"))
    #expect(isReachable ? status.isReachable : status == .notReachable(.sourceAddressMissing))
  }

  @Test(
    arguments: pairs,
    [
      .route(2), .failure(.networkUnreachable), .failure(.invalid),
      .success(RouteMessage(.broadcast, interface: 2)), .success(RouteMessage(.anycast, interface: 2)),
    ] as [RouteAnswer])
  func `a target is not reachable from an unassigned source that the kernel accepts`(
    pair: (destination: ReachabilityAddress, source: ReachabilityAddress, gateway: ReachabilityAddress),
    local: RouteAnswer
  ) throws {
    let scenario = pairScenario(pair.destination, pair.source, pair.gateway, local: local)
    #expect(
      try scenario.status(of: ReachabilityTarget(.address(pair.destination), source: pair.source))
        == .notReachable(.sourceAddressMissing))
  }

  @Test func `a link-local source that could not be read is queried on its interface`() throws {
    var scenario = Scenario([Links.ethernet])
    scenario.network.lacksAddresses = true
    let question = RouteRequest("2001:db8::1", source: "fe80::1", interface: 2)
    scenario.answer(question, .route(2, via: "fd00:1::fe"))
    let sourceQuestion = RouteRequest("fe80::1", interface: 2)
    scenario.answer(sourceQuestion, .success(RouteMessage(.local, interface: 2)))
    let target = ReachabilityTarget(.address("2001:db8::1"), source: "fe80::1", interface: .index(2))
    #expect(try scenario.run(target).asked == [question, sourceQuestion])
    #expect(try scenario.status(of: target).isReachable)
  }

  @Test func `an unassigned IPv6 source is invalid, without a query`() throws {
    let scenario = Scenario([(Links.ethernet, addresses: ["fd00:1::1/64"])])
    #expect(
      try scenario.run(ReachabilityTarget(.address("2001:db8::1"), source: "fd00:1::2"))
        == .init(evaluation: Evaluation(.notReachable(.sourceAddressMissing)), asked: []))
  }

  @Test(
    arguments: [
      (0x80, true), (0x82, true), (0x44, true), (0x40, false), (0x08, false), (0x4a, false),
    ] as [(UInt32, Bool)])
  func `an IPv6 source is neither tentative nor a duplicate`(flags: UInt32, isSource: Bool) throws {
    var scenario = Scenario([Links.ethernet])
    var address = AddressMessage("fd00:1::1/64", on: 2)
    address.flags = AddressFlags(rawValue: flags)
    _ = scenario.network.update(address)
    scenario.answer(.init("2001:db8::1", source: "fd00:1::1"), .route(2, via: "fd00:1::fe"))
    let status = try scenario.status(of: ReachabilityTarget(.address("2001:db8::1"), source: "fd00:1::1"))
    #expect(status.reason == (isSource ? nil : .sourceAddressMissing))
  }

  @Test(arguments: [(0x80, false), (0x82, true)] as [(UInt32, Bool)])
  func `an IPv6 address that stays on a link that goes down becomes tentative`(
    flags: UInt32, isSource: Bool
  ) throws {
    var scenario = Scenario([Links.ethernet, Links.wifi])
    var address = AddressMessage("fd00:1::1/64", on: 2)
    address.flags = AddressFlags(rawValue: flags)
    _ = scenario.network.update(address)
    _ = scenario.network.update(AddressMessage("10.1.0.1/24", on: 2))
    _ = scenario.network.update(Links.ethernet.with(.down))
    scenario.answer(.init("2001:db8::1", source: "fd00:1::1"), .route(3, via: "fd00:3::fe"))
    let target = ReachabilityTarget(.address("2001:db8::1"), source: "fd00:1::1")
    #expect(try scenario.status(of: target).reason == (isSource ? nil : .sourceAddressMissing))
    _ = scenario.network.update(Links.ethernet)
    #expect(try scenario.status(of: target).reason == (isSource ? nil : .sourceAddressMissing))
    // The check is done.
    _ = scenario.network.update(address)
    #expect(try scenario.status(of: target).isReachable)
    #expect(scenario.network.addresses[2]?.contains(AddressMessage("10.1.0.1/24", on: 2)) == true)
  }

  @Test func `an unassigned source is the reason even without a route`() throws {
    var scenario = Scenario([(Links.ethernet.with(.down), addresses: ["10.9.0.7/24"])])
    scenario.answer(.init("10.9.0.1", source: "9.9.9.9"), .failure(.networkUnreachable))
    scenario.answer(.init("9.9.9.9"), .failure(.networkUnreachable))
    #expect(
      try scenario.status(of: ReachabilityTarget(.address("10.9.0.1"), source: "9.9.9.9"))
        == .notReachable(.sourceAddressMissing))
  }

  @Test func `an assigned source does not hide the reason for a missing route`() throws {
    var scenario = Scenario([Links.ethernet])
    scenario.answer(.init("10.1.0.1"), .success(RouteMessage(.local, interface: 2)))
    for (refusal, reason) in [
      (.networkUnreachable, .noRoute), (.hostUnreachable, .unreachableRoute), (.invalid, .blackhole),
      (.accessDenied, .prohibited),
    ] as [(RouteRefusal, ReachabilityStatus.Reason)] {
      scenario.answer(.init("10.9.0.1", source: "10.1.0.1"), .failure(refusal))
      #expect(
        try scenario.status(of: ReachabilityTarget(.address("10.9.0.1"), source: "10.1.0.1"))
          == .notReachable(reason))
    }
  }

  @Test(
    arguments: [("10.9.0.1", "127.0.0.1"), ("10.9.0.1", "224.0.0.1"), ("2001:db8::1", "::1")]
      as [(ReachabilityAddress, ReachabilityAddress)])
  func `a loopback or multicast source reaches no other machine`(
    destination: ReachabilityAddress, source: ReachabilityAddress
  )
    throws
  {
    var scenario = Scenario([Links.loopback])
    scenario.answer(.init(destination, source: source), .failure(.invalid))
    scenario.answer(.init(source), .success(RouteMessage(.local, interface: 1)))
    #expect(
      try scenario.status(of: ReachabilityTarget(.address(destination), source: source))
        == .notReachable(.sourceAddressMissing))
  }

  @Test func `a loopback source reaches loopback`() throws {
    var scenario = Scenario([Links.loopback])
    let local = RouteAnswer.success(RouteMessage(.local, interface: 1, source: "127.0.0.1"))
    scenario.answer(.init("127.0.0.2", source: "127.0.0.1"), local, exact: local)
    scenario.answer(.init("127.0.0.1"), local)
    #expect(
      try scenario.status(of: ReachabilityTarget(.address("127.0.0.2"), source: "127.0.0.1"))
        == ReachabilityStatus(
          .reachable, flags: [.reachable, .isLocalAddress, .isDirect], interface: Links.loopback.interface,
          source: "127.0.0.1"))
  }

  @Test func `an own address is local from itself`() throws {
    var scenario = Scenario([Links.loopback, Links.ethernet])
    let plain = RouteAnswer.success(RouteMessage(.local, interface: 1, source: "10.1.0.1"))
    scenario.answer(
      .init("10.1.0.1", source: "10.1.0.1"), plain, exact: .success(RouteMessage(.local, interface: 2)))
    scenario.answer(.init("10.1.0.1"), plain)
    let status = try scenario.status(of: ReachabilityTarget(.address("10.1.0.1"), source: "10.1.0.1"))
    #expect(status.flags.rawValue == 0x30002)
    #expect(status.interface == Links.ethernet.interface)
  }

  @Test(
    arguments: [("10.9.0.1", "fd00:1::1"), ("2001:db8::1", "10.1.0.1"), ("::ffff:10.9.0.1", "fd00:1::1")]
      as [(ReachabilityAddress, ReachabilityAddress)])
  func `a source of the other family is invalid, without a query`(
    destination: ReachabilityAddress, source: ReachabilityAddress
  ) throws {
    #expect(
      try Scenario([Links.ethernet]).run(ReachabilityTarget(.address(destination), source: source))
        == .init(evaluation: Evaluation(.notReachable(.sourceAddressMissing)), asked: []))
  }

  @Test func `an IPv4-mapped source is the IPv4 source inside it`() throws {
    let scenario = pairScenario(
      "10.9.0.1", "10.1.0.1", "10.1.0.254", local: .success(RouteMessage(.local, interface: 1)))
    let target = ReachabilityTarget(.address("::ffff:10.9.0.1"), source: "::ffff:10.1.0.1")
    #expect(try scenario.status(of: target).source == "10.1.0.1")
  }

  @Test(
    arguments: [("10.9.0.1", "0.0.0.0"), ("2001:db8::1", "::")]
      as [(ReachabilityAddress, ReachabilityAddress)])
  func `the unspecified address is never a source, though the kernel calls it local`(
    destination: ReachabilityAddress, source: ReachabilityAddress
  ) throws {
    var scenario = Scenario([Links.loopback, Links.ethernet])
    scenario.answer(.init(destination, source: source), .route(2, from: "10.1.0.1"))
    scenario.answer(.init(destination), .route(2, from: "10.1.0.1"))
    scenario.answer(
      .init(source), .success(RouteMessage(.local, interface: 1, source: "127.0.0.1", table: 0)))
    let status = try scenario.status(of: ReachabilityTarget(.address(destination), source: source))
    #expect(status.source != source)
  }
}
#endif
