// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import Netlink
import ReachabilityKit
import Testing

/// The evaluation of routes that wrap packets into others.
@Suite(.deadline) struct EncapsulationTests {
  private static let target = ReachabilityTarget.address("fd09::1")
  private static let question = RouteRequest("fd09::1", mark: nil)
  private static let segment: ReachabilityAddress = "fd5e::1"

  /// A route over `eth0` to a segment, whose route leads over `wlan0`.
  private func scenario(_ condition: LinkState.Condition = .up, isWatching: Bool = false) throws -> (
    Scenario, RouteRequest
  ) {
    var scenario = Scenario(
      [Links.loopback, Links.ethernet.with(condition), Links.wifi], isWatching: isWatching)
    let first = RouteMessage(interface: 2, source: "fd00:1::1", encapsulation: .segment(Self.segment))
    scenario.answer(Self.question, .route(first), exact: .route(first))
    let outer = try #require(Self.question.towards(Self.segment))
    let route = RouteAnswer.route(3, via: "fd00:2::fe", from: "fd00:2::1")
    scenario.answer(outer, route, exact: route)
    return (scenario, outer)
  }

  @Test(arguments: [LinkState.Condition.up, .noCarrier])
  func `packets leave by the segment's route, whatever the link of the first one`(
    condition: LinkState.Condition
  ) throws {
    let expected = ReachabilityStatus(
      .reachable, flags: .reachable, interface: Links.wifi.interface, gateway: "fd00:2::fe",
      source: "fd00:1::1")
    #expect(try scenario(condition).0.run(Self.target).evaluation == Evaluation(expected))
    // Announcements about the segment's route are not awaited.
    let watched = try scenario(condition, isWatching: true).0.run(Self.target).evaluation
    #expect(watched == Evaluation(expected, lifetime: .seconds(1)))
  }

  @Test func `a segment on the link is no direct destination`() throws {
    var (scenario, outer) = try scenario()
    let route = RouteAnswer.route(3, from: "fd00:2::1")
    scenario.answer(outer, route, exact: route)
    #expect(try scenario.status(of: Self.target).flags == .reachable)
  }

  @Test func `the reason against the segment is the reason against the destination`() throws {
    var (scenario, outer) = try scenario()
    _ = scenario.network.update(Links.wifi.with(.noCarrier))
    #expect(
      try scenario.status(of: Self.target) == .notReachable(.noCarrier, over: Links.wifi.interface))
    scenario.answer(outer, .failure(.invalid), exact: .failure(.invalid))
    #expect(try scenario.status(of: Self.target) == .notReachable(.blackhole))
  }

  @Test func `a segment whose route is not certain leaves the status unknown`() throws {
    let unknown = ReachabilityStatus.unknown(.encapsulated)
    let (original, outer) = try scenario()
    var scenario = original
    let local = RouteAnswer.success(RouteMessage(.local, interface: 1, source: "fd5e::1"))
    scenario.answer(outer, local, exact: local)
    #expect(try scenario.status(of: Self.target) == unknown)

    scenario = original
    let hops = [2, 3].map { NextHop(interface: $0, gateway: nil, isDown: false) }
    scenario.answers[outer.exact] = .success(RouteMessage(nextHops: hops))
    #expect(try scenario.status(of: Self.target) == unknown)

    scenario = original
    scenario.network.sourceRules = [Rule(source: IPPrefix("fd00:1::", length: 64))]
    #expect(try scenario.status(of: Self.target) == unknown)
    scenario.network.sourceRules = [Rule(source: IPPrefix("10.1.0.0", length: 16))]
    #expect(try scenario.status(of: Self.target).isReachable)

    scenario = original
    scenario.answers[Self.question] = .success(
      RouteMessage(interface: 2, source: "fd00:1::1", encapsulation: .other(3)))
    #expect(try scenario.status(of: Self.target) == unknown)
  }

  @Test func `packets are wrapped three times at most`() {
    var wraps = 0
    var question: RouteRequest? = Self.question
    while let next = question?.towards("fd09::7"), wraps < 10 { (question, wraps) = (next, wraps + 1) }
    #expect(wraps == 3)
  }

  @Test func `a segment behind itself leaves the status unknown`() throws {
    var scenario = Scenario([Links.ethernet])
    let reply = RouteAnswer.success(
      RouteMessage(interface: 2, source: "fd00:1::1", encapsulation: .segment("fd09::7")))
    scenario.answer(Self.question, reply, exact: reply)
    var next = Self.question.towards("fd09::7")
    while let question = next {
      scenario.answer(question, reply, exact: reply)
      next = question.towards("fd09::7")
    }
    #expect(try scenario.status(of: Self.target) == .unknown(.encapsulated))
  }

  @Test func `an IPv6 route over the loopback interface discards packets`() throws {
    var scenario = Scenario([Links.loopback, Links.ethernet])
    for destination in ["fd05::1", "::1", "10.5.0.1"] as [ReachabilityAddress] {
      let source: ReachabilityAddress = destination.bitWidth == 32 ? "10.1.0.1" : "::1"
      scenario.answer(.init(destination), .route(1, from: source))
    }
    #expect(
      try scenario.status(of: .address("fd05::1"))
        == .notReachable(.blackhole, over: Links.loopback.interface))
    #expect(try scenario.status(of: .address("::1")).isReachable)
    #expect(try scenario.status(of: .address("10.5.0.1")).isReachable)
  }

  @Test func `a setting allows any IPv6 source but a multicast address`() throws {
    var scenario = Scenario([Links.ethernet])
    func status(from source: ReachabilityAddress, to destination: ReachabilityAddress = "2001:db8::1") throws
      -> ReachabilityStatus
    {
      scenario.answer(.init(destination, source: source), .route(2, via: "fd00:1::fe"))
      scenario.answer(.init(source), .failure(.networkUnreachable))
      return try scenario.status(of: ReachabilityTarget(.address(destination), source: source))
    }
    #expect(try status(from: "fd00:1::77").reason == .sourceAddressMissing)
    scenario.allowsAnySource = true
    #expect(try status(from: "fd00:1::77").isReachable)
    #expect(try status(from: "ff0e::1").reason == .sourceAddressMissing)
    #expect(try status(from: "10.1.0.77", to: "10.9.0.1").reason == .sourceAddressMissing)
  }
}
#endif
