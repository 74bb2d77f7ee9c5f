#if os(Linux)
import DeadlineSupport
import InternetProtocol
import ReachabilityKit
import Testing

/// The evaluation of queries that the kernel refuses.
@Suite(.deadline) struct RefusalTests {
  typealias Owner = (link: LinkState, addresses: [String])

  @Test(
    arguments: ["10.9.0.1", "2001:db8::1"] as [IPAddress],
    [
      (.networkUnreachable, .notReachable(.noRoute)),
      (.hostUnreachable, .notReachable(.unreachableRoute)),
      (.invalid, .notReachable(.blackhole)),
      (.accessDenied, .notReachable(.prohibited)),
      (.noDevice, .notReachable(.interfaceNotFound)),
      (.familyUnsupported, .notReachable(.noRoute)),
    ] as [(RouteAnswer.Refusal, ReachabilityStatus)])
  func `each refusal has its reason`(
    destination: IPAddress, expectation: (refusal: RouteAnswer.Refusal, status: ReachabilityStatus)
  ) throws {
    var scenario = Scenario([Links.ethernet])
    scenario.answer(.init(destination), .refused(expectation.refusal))
    #expect(
      try scenario.run(.address(destination))
        == .init(evaluation: Evaluation(expectation.status), asked: [RouteQuestion(destination)]))
  }

  @Test(arguments: ["10.9.0.1", "2001:db8::1"] as [IPAddress])
  func `an error that does not concern the destination is unknown, and retried soon`(
    destination: IPAddress
  ) throws {
    var scenario = Scenario([Links.ethernet])
    scenario.answer(.init(destination), .refused(.trouble))
    #expect(
      try scenario.run(.address(destination)).evaluation
        == Evaluation(.unknown(.systemError), lifetime: .seconds(1)))
  }

  @Test(arguments: ["127.0.0.1", "127.9.9.9", "::1"] as [IPAddress])
  func `the loopback interface is the reason for a loopback address without a route`(
    destination: IPAddress
  ) throws {
    for (condition, expected) in [
      (
        LinkState.Condition.down,
        ReachabilityStatus.notReachable(.interfaceDown, over: Links.loopback.interface)
      ),
      (.up, .notReachable(.noRoute)),
    ] {
      var scenario = Scenario([Links.loopback.with(condition), Links.ethernet.with(.down)])
      scenario.answer(.init(destination), .refused(.networkUnreachable))
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
    scenario.answer(.init("10.1.0.77"), .refused(.networkUnreachable))
    #expect(try scenario.status(of: .address("10.1.0.77")) == status)
  }

  @Test(arguments: [RouteAnswer.Refusal.hostUnreachable, .invalid, .accessDenied])
  func `a route that refuses is the reason even if the owner is down`(refusal: RouteAnswer.Refusal) throws {
    var scenario = Scenario([(Links.ethernet.with(.down), addresses: ["10.1.0.1/24"])])
    scenario.answer(.init("10.1.0.77"), .refused(refusal))
    let reasons: [RouteAnswer.Refusal: ReachabilityStatus.Reason] = [
      .hostUnreachable: .unreachableRoute, .invalid: .blackhole, .accessDenied: .prohibited,
    ]
    #expect(try scenario.status(of: .address("10.1.0.77")).reason == reasons[refusal])
  }
}
#endif
