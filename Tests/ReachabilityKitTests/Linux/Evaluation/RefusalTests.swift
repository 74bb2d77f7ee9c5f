// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import Netlink
import ReachabilityKit
import Testing

/// The evaluation of queries that the kernel refuses.
@Suite(.deadline) struct RefusalTests {
  typealias Owner = (link: LinkState, addresses: [String])

  @Test(
    arguments: ["10.9.0.1", "2001:db8::1"] as [ReachabilityAddress],
    [
      (.networkUnreachable, .notReachable(.noRoute)),
      (.hostUnreachable, .notReachable(.unreachableRoute)),
      (.invalid, .notReachable(.blackhole)),
      (.accessDenied, .notReachable(.prohibited)),
      (.noDevice, .notReachable(.interfaceNotFound)),
      (.familyUnsupported, .notReachable(.noRoute)),
    ] as [(RouteRefusal, ReachabilityStatus)])
  func `each refusal has its reason`(
    destination: ReachabilityAddress, expectation: (refusal: RouteRefusal, status: ReachabilityStatus)
  ) throws {
    var scenario = Scenario([Links.ethernet])
    scenario.answer(.init(destination), .failure(expectation.refusal))
    #expect(
      try scenario.run(.address(destination))
        == .init(evaluation: Evaluation(expectation.status), asked: [RouteRequest(destination)]))
  }

  @Test(arguments: ["10.9.0.1", "2001:db8::1"] as [ReachabilityAddress])
  func `an error that does not concern the destination is unknown, and retried soon`(
    destination: ReachabilityAddress
  ) throws {
    var scenario = Scenario([Links.ethernet])
    scenario.answer(.init(destination), .failure(.trouble))
    #expect(
      try scenario.run(.address(destination)).evaluation
        == Evaluation(.unknown(.systemError), lifetime: .seconds(1)))
  }

  @Test(arguments: ["127.0.0.1", "127.9.9.9", "::1"] as [ReachabilityAddress])
  func `the loopback interface is the reason for a loopback address without a route`(
    destination: ReachabilityAddress
  ) throws {
    for (condition, expected) in [
      (
        LinkState.Condition.down,
        ReachabilityStatus.notReachable(.interfaceDown, over: Links.loopback.interface)
      ),
      (.up, .notReachable(.noRoute)),
    ] {
      var scenario = Scenario([Links.loopback.with(condition), Links.ethernet.with(.down)])
      scenario.answer(.init(destination), .failure(.networkUnreachable))
      #expect(try scenario.status(of: .address(destination)) == expected)
    }
  }

  @Test(
    arguments: [
      // An unreachable rule gives the same answer.
      ([], .notReachable(.noRoute)),
      ([(Links.ethernet, ["10.3.0.1/24"])], .notReachable(.noRoute)),
      (
        [(Links.ethernet.with(.down), ["10.1.0.1/24"])],
        .notReachable(.interfaceDown, over: Links.ethernet.interface)
      ),
      (
        [(Links.ethernet.with(.noCarrier), ["10.1.0.1/24"])],
        .notReachable(.noCarrier, over: Links.ethernet.interface)
      ),
      (
        [
          (Links.ethernet.with(.noCarrier), ["fd00::1/64", "10.1.0.1/24", "10.1.0.2/16"]),
          (Links.wifi, ["10.3.0.1/24"]),
        ],
        .notReachable(.noCarrier, over: Links.ethernet.interface)
      ),
      // The link is up, so it is not the cause.
      ([(Links.ethernet, ["10.1.0.1/24"])], .notReachable(.noRoute)),
      // With two owners, either may be meant.
      (
        [(Links.ethernet.with(.down), ["10.1.0.1/24"]), (Links.wifi.with(.down), ["10.1.0.2/24"])],
        .notReachable(.noRoute)
      ),
      (
        [(Links.ethernet.with(.down), ["10.1.0.1/24"]), (Links.wifi, ["10.1.0.2/24"])],
        .notReachable(.noRoute)
      ),
      // The prefix of a similar IPv6 address does not match.
      ([(Links.ethernet.with(.down), ["::10.1.0.1/0"])], .notReachable(.noRoute)),
    ] as [([Owner], ReachabilityStatus)])
  func `without a route the state of the prefix's only owner is the reason`(
    owners: [Owner], status: ReachabilityStatus
  )
    throws
  {
    var scenario = Scenario(owners.map { ($0.link, addresses: $0.addresses) })
    scenario.answer(.init("10.1.0.77"), .failure(.networkUnreachable))
    #expect(try scenario.status(of: .address("10.1.0.77")) == status)
  }

  @Test(arguments: [RouteRefusal.hostUnreachable, .invalid, .accessDenied])
  func `a route that refuses is the reason even if the owner is down`(refusal: RouteRefusal) throws {
    var scenario = Scenario([(Links.ethernet.with(.down), addresses: ["10.1.0.1/24"])])
    scenario.answer(.init("10.1.0.77"), .failure(refusal))
    let reasons: [RouteRefusal: ReachabilityStatus.Reason] = [
      .hostUnreachable: .unreachableRoute, .invalid: .blackhole, .accessDenied: .prohibited,
    ]
    #expect(try scenario.status(of: .address("10.1.0.77")).reason == reasons[refusal])
  }
}
#endif
