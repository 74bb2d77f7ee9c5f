// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import Netlink
import ReachabilityKit
import Testing

/// An IPv6 route that expires stops working up to half a minute before the announcement.
@Suite(.deadline) struct LifetimeTests {
  private static let destination: ReachabilityAddress = "2001:db8::1"
  private static let plain = RouteAnswer.route(2, via: "fd00:1::fe", from: "fd00:1::1")

  private static func exact(_ lifetime: Duration?) -> RouteAnswer {
    .success(RouteMessage(interface: 2, gateway: "fd00:1::fe", lifetime: lifetime))
  }

  @Test(arguments: [.seconds(3), .milliseconds(30), nil] as [Duration?])
  func `an observed IPv6 target has the route's lifetime`(lifetime: Duration?) throws {
    var scenario = Scenario([Links.ethernet], isWatching: true)
    let question = RouteRequest(Self.destination)
    scenario.answer(question, Self.plain, exact: Self.exact(lifetime))
    #expect(
      try scenario.run(.address(Self.destination))
        == .init(
          evaluation: Evaluation(
            ReachabilityStatus(
              .reachable, flags: .reachable, interface: Links.ethernet.interface, gateway: "fd00:1::fe",
              source: "fd00:1::1"),
            lifetime: lifetime),
          asked: [question, question.exact]))
  }

  @Test func `a single evaluation does not query the lifetime`() throws {
    var scenario = Scenario([Links.ethernet])
    scenario.answer(.init(Self.destination), Self.plain, exact: Self.exact(.seconds(3)))
    let outcome = try scenario.run(.address(Self.destination))
    #expect(outcome.asked == [RouteRequest(Self.destination)])
    #expect(outcome.evaluation.lifetime == nil)
  }

  @Test func `an IPv4 route has no lifetime to query`() throws {
    var scenario = Scenario([Links.ethernet], isWatching: true)
    scenario.answer(.init("10.9.0.1"), .route(2, via: "10.1.0.254", from: "10.1.0.1"))
    #expect(try scenario.run(.address("10.9.0.1")).asked == [RouteRequest("10.9.0.1")])
    // The second lookup has none either.
    scenario.network.sourceRules = [Rule(source: IPPrefix("10.1.0.0", length: 24))]
    #expect(
      try scenario.run(.address("10.9.0.1")).asked
        == [RouteRequest("10.9.0.1"), RouteRequest("10.9.0.1", source: "10.1.0.1")])
  }

  @Test func `a dead link's route still has its lifetime`() throws {
    var scenario = Scenario([Links.ethernet.with(.noCarrier)], isWatching: true)
    scenario.answer(.init(Self.destination), Self.plain, exact: Self.exact(.seconds(3)))
    #expect(
      try scenario.run(.address(Self.destination)).evaluation
        == Evaluation(.notReachable(.noCarrier, over: Links.ethernet.interface), lifetime: .seconds(3)))
  }

  @Test func `another next hop has its route's lifetime`() throws {
    var scenario = Scenario([Links.ethernet.with(.noCarrier), Links.wifi], isWatching: true)
    let hop = NextHop(interface: 3, gateway: "fd00:3::fe", isDown: false)
    scenario.answer(
      .init(Self.destination), Self.plain,
      exact: .success(RouteMessage(nextHops: [hop], lifetime: .seconds(3))))
    scenario.answer(
      RouteRequest(Self.destination).inFlow(1), .route(3, via: "fd00:3::fe", from: "fd00:3::1"))
    let evaluation = try scenario.run(.address(Self.destination)).evaluation
    #expect(evaluation.status.isReachable)
    #expect(evaluation.lifetime == .seconds(3))
  }

  @Test func `a local address keeps its lifetime`() throws {
    var scenario = Scenario([Links.loopback, Links.ethernet], isWatching: true)
    scenario.answer(
      .init("fd00:1::1"), .success(RouteMessage(.local, interface: 1, source: "fd00:1::1")),
      exact: .success(RouteMessage(.local, interface: 2, lifetime: .seconds(60))))
    #expect(try scenario.run(.address("fd00:1::1")).evaluation.lifetime == .seconds(60))
  }

  @Test(arguments: [nil, .seconds(7)] as [Duration?])
  func `the default route has the lifetime of IPv4, if that is reachable`(lifetime: Duration?) throws {
    var scenario = Scenario([Links.ethernet], isWatching: true)
    scenario.answer(
      .init("0.0.0.1"), .route(2, via: "10.1.0.254", from: "10.1.0.1"),
      exact: .success(RouteMessage(interface: 2, lifetime: lifetime)))
    scenario.answer(.init("2000::"), Self.plain, exact: Self.exact(.seconds(5)))
    let evaluation = try scenario.run(.defaultRoute).evaluation
    #expect(evaluation.status.source == "10.1.0.1")
    #expect(evaluation.lifetime == lifetime)
  }

  @Test(
    arguments: [(nil, nil, nil), (5, nil, 5), (nil, 7, 7), (5, 7, 5), (7, 5, 5)] as [(Int?, Int?, Int?)])
  func `otherwise it has the lifetime of the shorter-lived family`(
    first: Int?, second: Int?, lifetime: Int?
  ) throws {
    var scenario = Scenario([Links.ethernet], isWatching: true)
    // Without a source address.
    scenario.answer(
      .init("0.0.0.1"), .route(2, via: "10.1.0.254"),
      exact: .success(RouteMessage(interface: 2, lifetime: first.map { .seconds($0) })))
    scenario.answer(.init("2000::"), Self.plain, exact: Self.exact(second.map { .seconds($0) }))
    let evaluation = try scenario.run(.defaultRoute).evaluation
    #expect(evaluation.status.isReachable && evaluation.status.gateway?.bitWidth == 128)
    #expect(evaluation.lifetime == lifetime.map { .seconds($0) })
  }

  @Test func `a refusal has no lifetime`() throws {
    var scenario = Scenario([Links.ethernet], isWatching: true)
    scenario.answer(
      .init(Self.destination), .failure(.networkUnreachable), exact: .failure(.networkUnreachable))
    #expect(
      try scenario.run(.address(Self.destination)).evaluation == Evaluation(.notReachable(.noRoute)))
  }

  @Test func `the lifetime of a route that a bound socket does not use counts`() throws {
    var scenario = Scenario(
      [(Links.ethernet, addresses: ["fd00:1::1/64"]), (Links.wifi, addresses: [])], isWatching: true)
    let question = RouteRequest("2001:db8::1", source: "fd00:1::1", interface: 2)
    let other = RouteMessage(interface: 3, lifetime: .seconds(2))
    scenario.answer(question, .route(other), exact: .route(other))
    scenario.answer(question.from(nil), .failure(.networkUnreachable), exact: .failure(.networkUnreachable))
    let target = ReachabilityTarget(.address("2001:db8::1"), source: "fd00:1::1", interface: .index(2))
    #expect(
      try scenario.run(target).evaluation == Evaluation(.notReachable(.noRoute), lifetime: .seconds(2)))
  }
}
#endif
