// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import Netlink
import ReachabilityKit
import Testing

/// The evaluation of routes that can be used.
@Suite(.deadline) struct AddressTests {
  private static let bothFamilies:
    [(ReachabilityAddress, gateway: ReachabilityAddress, source: ReachabilityAddress)] = [
      ("10.9.0.1", "10.1.0.254", "10.1.0.1"), ("2001:db8::1", "fd00:1::fe", "fd00:1::1"),
    ]

  @Test(arguments: bothFamilies, [RouteKind.unicast, .broadcast, .multicast])
  func `a destination on the link is reachable and direct`(
    addresses: (destination: ReachabilityAddress, gateway: ReachabilityAddress, source: ReachabilityAddress),
    kind: RouteKind
  ) throws {
    var scenario = Scenario([Links.ethernet])
    let question = RouteRequest(addresses.destination, protocolNumber: 17)
    scenario.answer(question, .success(RouteMessage(kind, interface: 2, source: addresses.source)))
    #expect(
      try scenario.run(ReachabilityTarget(.address(addresses.destination), transport: .udp))
        == .init(
          evaluation: Evaluation(
            ReachabilityStatus(
              .reachable, flags: [.reachable, .isDirect], interface: Links.ethernet.interface,
              source: addresses.source)),
          asked: [question]))
  }

  @Test(arguments: bothFamilies, [RouteKind.unicast, .broadcast, .multicast])
  func `a destination behind a gateway is reachable and not direct`(
    addresses: (destination: ReachabilityAddress, gateway: ReachabilityAddress, source: ReachabilityAddress),
    kind: RouteKind
  ) throws {
    var scenario = Scenario([Links.ethernet])
    scenario.answer(
      .init(addresses.destination),
      .success(RouteMessage(kind, interface: 2, gateway: addresses.gateway, source: addresses.source)))
    #expect(
      try scenario.status(of: ReachabilityTarget(.address(addresses.destination), transport: .udp))
        == ReachabilityStatus(
          .reachable, flags: .reachable, interface: Links.ethernet.interface, gateway: addresses.gateway,
          source: addresses.source))
  }

  @Test(arguments: bothFamilies, [RouteKind.broadcast, .multicast])
  func `TCP does not connect over an IPv4 broadcast or multicast route`(
    addresses: (destination: ReachabilityAddress, gateway: ReachabilityAddress, source: ReachabilityAddress),
    kind: RouteKind
  ) throws {
    var scenario = Scenario([Links.ethernet])
    let question = RouteRequest(addresses.destination)
    let isIPv4 = addresses.destination.bitWidth == 32
    scenario.answer(question, .success(RouteMessage(kind, interface: 2, source: addresses.source)))
    let status = try scenario.status(
      of: ReachabilityTarget(.address(addresses.destination), transport: .tcp))
    #expect(status.reason == (isIPv4 ? .notUnicast : nil))
    #expect(status.interface == Links.ethernet.interface)
    // A broadcast address without a protocol takes datagrams.
    let bare = try scenario.run(.address(addresses.destination))
    let isBroadcast = isIPv4 && kind == .broadcast
    #expect(bare.evaluation.status.isReachable == (!isIPv4 || isBroadcast))
    #expect(bare.asked == (isBroadcast ? [question, question.over(.udp)] : [question]))
  }

  @Test(arguments: ["224.0.0.1", "255.255.255.255", "ff0e::1", "ff02::1"] as [ReachabilityAddress])
  func `TCP at a group or at all hosts is refused without a lookup`(destination: ReachabilityAddress) throws {
    let scenario = Scenario([Links.ethernet])
    let target = ReachabilityTarget(.address(destination), transport: .tcp)
    #expect(
      try scenario.run(target) == .init(evaluation: Evaluation(.notReachable(.notUnicast)), asked: []))
    #expect(Evaluator.soleQuestion(about: target) == nil)
  }

  @Test(
    arguments: [
      (Links.ethernet, 0x20002, 0x2),
      (Links.wifi, 0x20002, 0x2),
      // A point-to-point link has no neighbours.
      (LinkState(Links.ethernet.interface, isPointToPoint: true), 0x2, 0x2),
      (Links.ppp, 0x3, 0x3),
      (Links.wireGuard, 0x3, 0x3),
      // A tunnel that behaves like Ethernet has neighbours.
      (LinkState(Links.wireGuard.interface, isTransient: true), 0x20003, 0x3),
      (Links.cellular, 0x40003, 0x40003),
      (LinkState(Links.cellular.interface, isTransient: true), 0x60003, 0x40003),
    ] as [(LinkState, UInt32, UInt32)])
  func `the flags describe the link`(link: LinkState, direct: UInt32, viaGateway: UInt32) throws {
    var scenario = Scenario([link])
    scenario.answer(.init("10.1.0.2"), .route(link.index, from: "10.1.0.1"))
    scenario.answer(.init("10.9.0.1"), .route(link.index, via: "10.1.0.254", from: "10.1.0.1"))
    let flags = try ["10.1.0.2", "10.9.0.1"].map { try scenario.status(of: .address($0)).flags.rawValue }
    #expect(flags == [direct, viaGateway])
  }

  @Test func `a gateway of another family is kept`() throws {
    var scenario = Scenario([Links.ethernet])
    scenario.answer(.init("10.9.0.1"), .route(2, via: "fe80::99", from: "10.1.0.1"))
    #expect(
      try scenario.status(of: .address("10.9.0.1"))
        == ReachabilityStatus(
          .reachable, flags: .reachable, interface: Links.ethernet.interface, gateway: "fe80::99",
          source: "10.1.0.1"))
  }

  @Test func `an IPv4-mapped address is queried as the IPv4 address inside it`() throws {
    var scenario = Scenario([Links.ethernet])
    scenario.answer(.init("10.1.0.2"), .route(2, from: "10.1.0.1"))
    let mapped = ReachabilityTarget(.address("::ffff:10.1.0.2"), source: nil)
    #expect(try scenario.run(mapped) == scenario.run(.address("10.1.0.2")))
    #expect(try scenario.run(mapped).asked == [RouteRequest("10.1.0.2")])
  }

  @Test(arguments: [RouteKind.multicast, .broadcast])
  func `multicast and broadcast over a given interface need no table`(kind: RouteKind) throws {
    var scenario = Scenario([Links.ethernet])
    scenario.answer(
      .init("224.0.0.251", interface: 2),
      .success(RouteMessage(kind, interface: 2, source: "10.1.0.1", table: 0)))
    #expect(
      try scenario.status(of: ReachabilityTarget(.address("224.0.0.251"), interface: .name("eth0"))).flags
        == [.reachable, .isDirect])
  }

  // MARK: Addresses of this machine

  @Test(
    arguments: [("10.1.0.1", 1, 2), ("fd00:1::1", 1, 2), ("127.0.0.1", 1, 1), ("::1", 1, 1)]
      as [(ReachabilityAddress, Int32, Int32)])
  func `an address of this machine is reachable at the interface that has it`(
    address: ReachabilityAddress, plain: Int32, exact: Int32
  ) throws {
    var scenario = Scenario([
      (Links.loopback, addresses: ["127.0.0.1/8", "::1/128"]),
      (Links.ethernet, addresses: ["10.1.0.1/24", "fd00:1::1/64"]),
    ])
    scenario.answer(
      .init(address), .success(RouteMessage(.local, interface: plain, source: address, table: 255)),
      exact: .success(RouteMessage(.local, interface: exact, table: 255, prefixLength: address.bitWidth)))
    #expect(
      try scenario.run(.address(address))
        == .init(
          evaluation: Evaluation(
            ReachabilityStatus(
              .reachable, flags: [.reachable, .isLocalAddress, .isDirect],
              interface: scenario.network.links[exact]?.interface, source: address)),
          asked: [RouteRequest(address), RouteRequest(address, form: .entry)]))
  }

  @Test func `an anycast address that a link other than loopback delivers is not local`() throws {
    let reply = RouteMessage(.anycast, interface: 2, source: "fd00:1::1")
    var scenario = Scenario([Links.loopback, Links.ethernet])
    scenario.answer(.init("fd00:2::8"), .route(reply), exact: .route(reply))
    #expect(
      try scenario.status(of: .address("fd00:2::8"))
        == ReachabilityStatus(
          .reachable, flags: [.reachable, .isDirect], interface: Links.ethernet.interface, source: "fd00:1::1"
        ))
  }

  @Test func `an anycast address that loopback delivers is local`() throws {
    var scenario = Scenario([Links.loopback, Links.ethernet.with(.noCarrier)])
    scenario.answer(
      .init("fd00:1::", interface: 2), .success(RouteMessage(.anycast, interface: 1, source: "fd00:1::1")),
      exact: .success(RouteMessage(.anycast, interface: 2)))
    #expect(
      try scenario.status(of: ReachabilityTarget(.address("fd00:1::"), interface: .name("eth0")))
        == ReachabilityStatus(
          .reachable, flags: [.reachable, .isLocalAddress, .isDirect], interface: Links.ethernet.interface,
          source: "fd00:1::1"))
  }

  @Test(arguments: [LinkState.Condition.down, .noCarrier, .dormant])
  func `an address of this machine is reachable in any state of its link`(condition: LinkState.Condition)
    throws
  {
    var scenario = Scenario([
      (Links.loopback, addresses: []), (Links.ethernet.with(condition), addresses: ["10.1.0.1/24"]),
    ])
    scenario.answer(
      .init("10.1.0.1"), .success(RouteMessage(.local, interface: 1, source: "10.1.0.1")),
      exact: .success(RouteMessage(.local, interface: 2, source: "10.1.0.1", isDown: true)))
    #expect(
      try scenario.status(of: .address("10.1.0.1"))
        == ReachabilityStatus(
          .reachable, flags: [.reachable, .isLocalAddress, .isDirect], interface: Links.ethernet.interface,
          source: "10.1.0.1"))
  }

  @Test(arguments: [RouteAnswer.failure(.hostUnreachable), .success(RouteMessage(.local))])
  func `the plain answer names the interface if the exact one does not`(exact: RouteAnswer) throws {
    var scenario = Scenario([Links.loopback])
    scenario.answer(
      .init("127.0.0.2"), .success(RouteMessage(.local, interface: 1, source: "127.0.0.1")), exact: exact)
    #expect(try scenario.status(of: .address("127.0.0.2")).interface == Links.loopback.interface)
  }

  // MARK: Links that the tables lack

  @Test func `an interface that the tables lack is reported as an unknown link`() {
    var scenario = Scenario([Links.loopback])
    scenario.answer(.init("10.1.0.2"), .route(9, from: "10.1.0.1"))
    scenario.answer(.init("10.1.0.3"), .success(RouteMessage(source: "10.1.0.1")))
    scenario.answer(
      .init("10.1.0.1"), .success(RouteMessage(.local, interface: 1)),
      exact: .success(RouteMessage(.local, interface: 8)))
    scenario.answer(
      .init("10.1.0.4"), .success(RouteMessage(.local)), exact: .success(RouteMessage(.local)))
    #expect(throws: Scenario.Trouble.unknownLink(9)) { try scenario.status(of: .address("10.1.0.2")) }
    #expect(throws: Scenario.Trouble.unknownLink(0)) { try scenario.status(of: .address("10.1.0.3")) }
    #expect(throws: Scenario.Trouble.unknownLink(8)) { try scenario.status(of: .address("10.1.0.1")) }
    #expect(throws: Scenario.Trouble.unknownLink(0)) { try scenario.status(of: .address("10.1.0.4")) }
  }
}
#endif
