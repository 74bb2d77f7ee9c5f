// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import Netlink
import ReachabilityKit
import Testing

/// The lookups of a socket beyond the first one.
@Suite(.deadline) struct SocketTests {
  private let ethernet = Links.ethernet.interface

  private func scenario(_ rules: Rule...) -> Scenario {
    var scenario = Scenario([
      (Links.loopback, addresses: ["127.0.0.1/8", "::1/128"]),
      (Links.ethernet, addresses: ["10.1.0.1/24", "fd00:1::1/64"]),
    ])
    scenario.network.sourceRules = rules
    return scenario
  }

  private func rule(
    _ address: ReachabilityAddress, _ length: Int, isInverted: Bool = false, refuses: Bool = false
  ) -> Rule {
    Rule(
      0, refuses ? .refuse(.prohibit) : .lookUp(254), source: IPPrefix(address, length: length),
      isInverted: isInverted)
  }

  @Test func `only rules that may match an IPv4 source cause a second lookup`() throws {
    let first = RouteRequest("10.9.0.1")
    let again = RouteRequest("10.9.0.1", source: "10.1.0.1")
    for (rule, asked) in [
      (rule("10.1.0.0", 24), [first, again]),
      (rule("10.2.0.0", 24), [first]),
      (rule("10.2.0.0", 24, isInverted: true), [first, again]),
      (rule("fd00:1::", 64), [first]),
      (rule("fd00:1::", 64, isInverted: true), [first]),
    ] {
      var scenario = scenario(rule)
      scenario.answer(first, .route(2, via: "10.1.0.254", from: "10.1.0.1"))
      scenario.answer(again, .route(2, via: "10.1.0.253"))
      let outcome = try scenario.run(.address("10.9.0.1"))
      #expect(outcome.asked == asked)
      #expect(outcome.evaluation.status.gateway == (asked.count == 1 ? "10.1.0.254" : "10.1.0.253"))
      #expect(outcome.evaluation.status.source == "10.1.0.1")
    }
  }

  @Test func `the default route is that of packets from the source that the kernel chooses`() throws {
    var scenario = scenario(rule("10.1.0.0", 24))
    for candidate in ["0.0.0.1", "240.0.0.1", "192.88.99.1"] as [ReachabilityAddress] {
      let first = RouteAnswer.route(2, via: "10.1.0.254", from: "10.1.0.1")
      scenario.answer(.init(candidate), first, exact: first)
      scenario.answer(
        .init(candidate, source: "10.1.0.1"), .failure(.accessDenied), exact: .failure(.accessDenied))
    }
    for candidate in ["2000::", "100::1", "3000::1"] as [ReachabilityAddress] {
      scenario.answer(.init(candidate), .failure(.networkUnreachable), exact: .failure(.networkUnreachable))
      scenario.answers[RouteRequest(candidate).sourceChoice] = .failure(.networkUnreachable)
    }
    #expect(try scenario.status(of: .defaultRoute) == .notReachable(.prohibited))
  }

  @Test func `an address that only a route calls local is not a source`() throws {
    var scenario = scenario()
    scenario.answers[.init("10.9.0.1")] = .success(RouteMessage(.local, interface: 1, source: "10.9.0.1"))
    scenario.answer(.init("10.9.0.1", source: "10.9.0.1"), .failure(.networkUnreachable))
    #expect(try scenario.status(of: .address("10.9.0.1")) == .notReachable(.noRoute))
  }

  @Test func `a route that names a removed source does not count`() throws {
    var scenario = scenario()
    scenario.answers[.init("10.9.0.1")] = .route(2, via: "10.1.0.254", from: "10.1.0.50")
    scenario.answer(.init("10.9.0.1", source: "10.1.0.50"), .failure(.networkUnreachable))
    #expect(try scenario.status(of: .address("10.9.0.1")) == .notReachable(.noRoute))
  }

  @Test(arguments: [.networkUnreachable, .hostUnreachable, .invalid, .accessDenied] as [RouteRefusal])
  func `an IPv6 packet that is refused may be accepted from the best source`(refusal: RouteRefusal)
    throws
  {
    var scenario = scenario()
    let question = RouteRequest("2001:db8::1")
    scenario.answer(question, .failure(refusal))
    scenario.answers[question.sourceChoice] = .success(RouteMessage(.local, source: "fd00:1::1"))
    scenario.answer(
      .init("2001:db8::1", source: "fd00:1::1"), .route(2, via: "fd00:1::fe", from: "fd00:1::1"))
    #expect(
      try scenario.status(of: .address("2001:db8::1"))
        == ReachabilityStatus(
          .reachable, flags: .reachable, interface: ethernet, gateway: "fd00:1::fe", source: "fd00:1::1"))

    scenario.answers[question.sourceChoice] = .failure(refusal)
    #expect(!(try scenario.status(of: .address("2001:db8::1")).isReachable))
  }

  @Test(arguments: [false, true])
  func `an IPv6 route that only a socket finds is not known`(_ matchesTransports: Bool) throws {
    var scenario = scenario()
    scenario.network.matchesTransports = matchesTransports
    let question = RouteRequest("2001:db8::1")
    scenario.answer(question, .failure(.networkUnreachable))
    scenario.answers[question.sourceChoice] = .success(RouteMessage(.local, source: "fd00:1::1"))
    scenario.answer(question.from("fd00:1::1"), .failure(.networkUnreachable))
    // The socket of the choice is of another protocol than those of the target.
    #expect(
      try scenario.run(.address("2001:db8::1")).evaluation
        == (matchesTransports
          ? Evaluation(.notReachable(.noRoute))
          : Evaluation(.unknown(.systemError), lifetime: .seconds(1))))
    scenario.network.matchesTransports = false
    scenario.answer(question.from("fd00:1::1"), .failure(.accessDenied))
    #expect(try scenario.status(of: .address("2001:db8::1")) == .notReachable(.prohibited))
  }

  @Test func `a bound IPv6 socket does not use a local route of another interface`() throws {
    var scenario = scenario()
    let question = RouteRequest("2001:db8::1", interface: 2)
    let local = RouteAnswer.success(RouteMessage(.local, interface: 1, source: "fd00:1::1"))
    scenario.answer(question, .failure(.networkUnreachable))
    scenario.answers[question.sourceChoice] = .success(RouteMessage(.local, source: "fd00:1::1"))
    scenario.answer(question.from("fd00:1::1"), local, exact: local)
    #expect(
      try scenario.status(of: ReachabilityTarget(.address("2001:db8::1"), interface: .index(2)))
        == .notReachable(.noRoute))
  }

  @Test func `a bound TCP socket has the source of a UDP socket that is refused equally`() throws {
    var scenario = scenario()
    scenario.network.matchesTransports = true
    let question = RouteRequest("2001:db8::1", interface: 2, protocolNumber: 6, destinationPort: 443)
    let datagrams = question.over(.udp)
    scenario.answer(question, .failure(.accessDenied))
    scenario.answer(datagrams, .route(2, via: "fd00:1::fe", from: "fd00:1::1"))
    let target = ReachabilityTarget(.address("2001:db8::1"), interface: .index(2), transport: .tcp, port: 443)
    #expect(try scenario.run(target).asked == [question, datagrams])

    scenario.answer(datagrams, .failure(.accessDenied))
    scenario.answers[question.sourceChoice] = .success(RouteMessage(.local, source: "fd00:1::1"))
    scenario.answer(question.from("fd00:1::1"), .route(2, via: "fd00:1::fe", from: "fd00:1::1"))
    #expect(
      try scenario.status(of: target)
        == ReachabilityStatus(
          .reachable, flags: .reachable, interface: ethernet, gateway: "fd00:1::fe", source: "fd00:1::1"))

    // Without rules for protocols, the first lookup is the same for both.
    scenario.network.matchesTransports = false
    #expect(
      try scenario.run(target).asked == [question, question.sourceChoice, question.from("fd00:1::1")])
  }

  @Test(arguments: ["224.0.0.251", "255.255.255.255"] as [ReachabilityAddress])
  func `a multicast or broadcast without an interface is looked up again`(
    destination: ReachabilityAddress
  ) throws {
    let answer = RouteAnswer.success(RouteMessage(.broadcast, interface: 2, source: "10.1.0.1"))
    for interface in [nil, 2] as [Int32?] {
      var scenario = scenario()
      let first = RouteRequest(destination, interface: interface)
      scenario.answer(first, answer)
      let target = ReachabilityTarget(.address(destination), interface: interface.map { .index(Int($0)) })
      let asked = try scenario.run(target).asked
      #expect(asked == (interface == nil ? [first, first.from("10.1.0.1")] : [first]))
    }
  }

  @Test(arguments: [.unicast, .multicast, .broadcast] as [RouteKind])
  func `a route over a dead link is looked up again, but not a broadcast`(kind: RouteKind) throws {
    var scenario = Scenario([(Links.ethernet.with(.noCarrier), addresses: ["10.1.0.1/24"])])
    let first = RouteRequest("10.9.0.1")
    let answer = RouteAnswer.success(RouteMessage(kind, interface: 2, source: "10.1.0.1"))
    scenario.answer(first, answer, exact: answer)
    scenario.answer(first.from("10.1.0.1"), answer, exact: answer)
    let asked = try scenario.run(.address("10.9.0.1")).asked
    #expect(asked.contains(first.from("10.1.0.1")) == (kind != .broadcast))
  }

  @Test func `without a source beyond the link no second lookup is made`() throws {
    var scenario = Scenario([
      (Links.loopback, addresses: ["::1/128"]), (Links.ethernet, addresses: ["10.1.0.1/24", "fe80::1/64"]),
    ])
    scenario.answer(.init("2001:db8::1"), .failure(.networkUnreachable))
    #expect(
      try scenario.run(.address("2001:db8::1"))
        == .init(
          evaluation: Evaluation(.notReachable(.noRoute)), asked: [RouteRequest("2001:db8::1")]))
    // There may be one that could not be read.
    scenario.network.lacksAddresses = true
    let choice = RouteRequest("2001:db8::1").sourceChoice
    scenario.answers[choice] = .failure(.networkUnreachable)
    #expect(try scenario.run(.address("2001:db8::1")).asked == [RouteRequest("2001:db8::1"), choice])
  }

  @Test func `an interface overrides routes that refuse, but not rules`() throws {
    let target = ReachabilityTarget(.address("2001:db8::1"), source: "fd00:1::1", interface: .name("eth0"))
    for (refuses, isReachable) in [(false, true), (true, false)] {
      var scenario = scenario(rule("fd00:1::", 64, refuses: refuses))
      scenario.answer(.init("fd00:1::1"), .success(RouteMessage(.local, interface: 1)))
      scenario.answer(.init("2001:db8::1", source: "fd00:1::1", interface: 2), .failure(.hostUnreachable))
      scenario.answer(.init("2001:db8::1", interface: 2), .route(2, via: "fd00:1::fe", from: "fd00:1::50"))
      let status = try scenario.status(of: target)
      #expect(status.isReachable == isReachable)
      #expect(status.source == (isReachable ? "fd00:1::1" : nil))
      #expect(status.reason == (isReachable ? nil : .unreachableRoute))
    }
  }
}
#endif
