// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import Netlink
@testable import ReachabilityKit
import Testing

/// The default route, read from addresses that have no routes of their own.
@Suite(.deadline) struct DefaultRouteTests {
  private static let ipv4: [ReachabilityAddress] = ["0.0.0.1", "240.0.0.1", "192.88.99.1"]
  private static let ipv6: [ReachabilityAddress] = ["2000::", "100::1", "3000::1"]

  private static let reachableOverIPv4 = ReachabilityStatus(
    .reachable, flags: .reachable, interface: Links.ethernet.interface, gateway: "10.1.0.254",
    source: "10.1.0.1")
  private static let reachableOverIPv6 = ReachabilityStatus(
    .reachable, flags: .reachable, interface: Links.wifi.interface, gateway: "fd00:3::fe",
    source: "fd00:3::1")

  /// Ethernet and Wi-Fi, and a kernel that has no route for any candidate.
  private func noRoutes(_ links: [LinkState] = [Links.ethernet, Links.wifi]) -> Scenario {
    var scenario = Scenario(links)
    for candidate in Self.ipv4 + Self.ipv6 { scenario.refuse(candidate, .networkUnreachable) }
    return scenario
  }

  @Test func `a change of routes is compared with every candidate`() {
    #expect(DefaultRoute.addresses == Self.ipv4 + Self.ipv6)
  }

  @Test func `without any route two candidates of each family are queried, and no entries`() throws {
    let asked = ["0.0.0.1", "240.0.0.1", "2000::", "100::1"] as [ReachabilityAddress]
    #expect(
      try noRoutes().run(.defaultRoute)
        == .init(
          evaluation: Evaluation(.notReachable(.noRoute)),
          asked: asked.map { RouteRequest($0) }))
  }

  @Test func `a default route of either family makes it reachable`() throws {
    var scenario = noRoutes()
    scenario.route("0.0.0.1", 0, .route(2, via: "10.1.0.254", from: "10.1.0.1"))
    #expect(try scenario.status(of: .defaultRoute) == Self.reachableOverIPv4)

    scenario = noRoutes()
    scenario.route("2000::", 0, .route(3, via: "fd00:3::fe", from: "fd00:3::1"))
    #expect(try scenario.status(of: .defaultRoute) == Self.reachableOverIPv6)
  }

  @Test func `a default route whose only source no router forwards is not usable`() throws {
    var scenario = noRoutes()
    scenario.route("2000::", 0, .route(3, via: "fe80::fe", from: "fe80::1"))
    #expect(
      try scenario.status(of: .defaultRoute)
        == .notReachable(.sourceAddressMissing, over: Links.wifi.interface))
    // Without a gateway, no router needs to forward.
    scenario.route("2000::", 0, .route(3, from: "fe80::1"))
    #expect(try scenario.status(of: .defaultRoute).isReachable)
    // The other family is as good as ever.
    scenario.route("0.0.0.1", 0, .route(2, via: "10.1.0.254", from: "10.1.0.1"))
    scenario.route("2000::", 0, .route(3, via: "fe80::fe", from: "fe80::1"))
    #expect(try scenario.status(of: .defaultRoute) == Self.reachableOverIPv4)
  }

  @Test func `IPv6 is not asked for where IPv4 is reachable`() throws {
    var scenario = noRoutes()
    scenario.route("0.0.0.1", 0, .route(2, via: "10.1.0.254", from: "10.1.0.1"))
    scenario.route("2000::", 0, .route(3, via: "fd00:3::fe", from: "fd00:3::1"))
    #expect(
      try scenario.run(.defaultRoute)
        == .init(
          evaluation: Evaluation(Self.reachableOverIPv4),
          asked: [RouteRequest("0.0.0.1"), RouteRequest("0.0.0.1", form: .entry)]))
  }

  @Test(arguments: [0, 1, 2, 3])
  func `the half routes of a VPN are a default route`(length: Int) throws {
    var scenario = noRoutes([Links.wireGuard])
    scenario.route("0.0.0.1", length, .route(5, from: "10.5.0.1"))
    let overIPv4 = ReachabilityStatus(
      .reachable, flags: [.reachable, .transientConnection], interface: Links.wireGuard.interface,
      source: "10.5.0.1")
    #expect(try scenario.status(of: .defaultRoute) == overIPv4)

    scenario = noRoutes([Links.wireGuard])
    scenario.route("2000::", length, .route(5, from: "fd00:5::1"))
    #expect(try scenario.status(of: .defaultRoute).source == "fd00:5::1")
  }

  @Test(arguments: [4, 8, 32])
  func `a longer prefix does not represent the default route`(length: Int) throws {
    var scenario = noRoutes()
    for candidate in Self.ipv4 { scenario.route(candidate, length, .route(2, from: "10.1.0.1")) }
    for candidate in Self.ipv6 { scenario.route(candidate, length, .route(3, from: "fd00:3::1")) }
    #expect(try scenario.status(of: .defaultRoute) == .notReachable(.noRoute))
  }

  @Test(arguments: 1...2)
  func `the next candidate is queried if one has its own route`(position: Int) throws {
    var scenario = noRoutes()
    for candidate in Self.ipv4[..<position] { scenario.route(candidate, 8, .route(3, from: "10.3.0.1")) }
    scenario.route(Self.ipv4[position], 0, .route(2, via: "10.1.0.254", from: "10.1.0.1"))
    #expect(try scenario.status(of: .defaultRoute) == Self.reachableOverIPv4)

    scenario = noRoutes()
    for candidate in Self.ipv6[..<position] { scenario.route(candidate, 64, .route(2, from: "fd00::1")) }
    scenario.route(Self.ipv6[position], 0, .route(3, via: "fd00:3::fe", from: "fd00:3::1"))
    #expect(try scenario.status(of: .defaultRoute) == Self.reachableOverIPv6)
  }

  @Test(arguments: [RouteRefusal.invalid, .hostUnreachable, .accessDenied], 1...2)
  func `the next candidate is queried if one is discarded as a bogon`(
    refusal: RouteRefusal, position: Int
  ) throws {
    var scenario = noRoutes()
    for candidate in Self.ipv4[..<position] { scenario.refuse(candidate, refusal) }
    scenario.route(Self.ipv4[position], 0, .route(2, via: "10.1.0.254", from: "10.1.0.1"))
    #expect(try scenario.status(of: .defaultRoute) == Self.reachableOverIPv4)
  }

  @Test(
    arguments: [(.invalid, .blackhole), (.hostUnreachable, .unreachableRoute), (.accessDenied, .prohibited)]
      as [(RouteRefusal, ReachabilityStatus.Reason)])
  func `the default route refuses if all candidates are refused alike`(
    refusal: RouteRefusal, reason: ReachabilityStatus.Reason
  ) throws {
    for family in [Self.ipv4, Self.ipv6] {
      var scenario = noRoutes()
      for candidate in family { scenario.refuse(candidate, refusal) }
      #expect(try scenario.status(of: .defaultRoute) == .notReachable(reason))
    }
  }

  @Test(
    arguments: [
      [.invalid, .hostUnreachable, .invalid], [.accessDenied, .networkUnreachable, .networkUnreachable],
      [.networkUnreachable, .invalid, .invalid], [.invalid, .networkUnreachable, .invalid],
    ] as [[RouteRefusal]])
  func `different refusals of the candidates mean no default route`(
    refusals: [RouteRefusal]
  ) throws {
    var scenario = noRoutes()
    for (candidate, refusal) in zip(Self.ipv4, refusals) { scenario.refuse(candidate, refusal) }
    #expect(try scenario.status(of: .defaultRoute) == .notReachable(.noRoute))
  }

  @Test func `refusals prove nothing if one candidate has its own route`() throws {
    var scenario = noRoutes()
    scenario.route("0.0.0.1", 8, .route(2, from: "10.1.0.1"))
    for candidate in Self.ipv4[1...] { scenario.refuse(candidate, .invalid) }
    #expect(try scenario.status(of: .defaultRoute) == .notReachable(.noRoute))
  }

  @Test(arguments: [[0], [0, 1], [0, 1, 2], [1, 2]])
  func `the default route is one where the kernel names another route of its next hop`(unnamed: [Int]) throws
  {
    var scenario = noRoutes()
    for (position, candidate) in Self.ipv6.enumerated() {
      let source = ReachabilityAddress("fd00:3::\(position + 1)")
      let answer = RouteAnswer.route(3, via: "fd00:3::fe", from: source)
      if unnamed.contains(position) {
        scenario.unnamedRoute(candidate, answer)
      } else {
        scenario.route(candidate, position < unnamed[0] ? 64 : 0, answer)
      }
    }
    // The status is that of the first candidate without a route of its own.
    let status = try scenario.status(of: .defaultRoute)
    #expect(status.isReachable && status.source == ReachabilityAddress("fd00:3::\(unnamed[0] + 1)"))
  }

  @Test func `a route without a name is no default route where another candidate has none`() throws {
    var scenario = noRoutes()
    scenario.unnamedRoute("2000::", .route(3, via: "fd00:3::fe", from: "fd00:3::1"))
    #expect(try scenario.status(of: .defaultRoute) == .notReachable(.noRoute))
    scenario.refuse("100::1", .invalid)
    #expect(try scenario.status(of: .defaultRoute) == .notReachable(.noRoute))
    // Bogons are discarded.
    scenario.refuse("3000::1", .invalid)
    #expect(try scenario.status(of: .defaultRoute).isReachable)
  }

  @Test func `a route without a name whose only source no router forwards is not usable`() throws {
    var scenario = noRoutes()
    for candidate in Self.ipv6 {
      scenario.unnamedRoute(candidate, .route(3, via: "fe80::fe", from: "fe80::1"))
    }
    #expect(
      try scenario.status(of: .defaultRoute)
        == .notReachable(.sourceAddressMissing, over: Links.wifi.interface))
  }

  @Test func `an unknown family does not hide the other one`() throws {
    var scenario = noRoutes()
    scenario.refuse("0.0.0.1", .trouble)
    // But it is queried again soon.
    #expect(
      try scenario.run(.defaultRoute).evaluation
        == Evaluation(.notReachable(.noRoute), lifetime: .seconds(1)))
    scenario.refuse("2000::", .trouble)
    #expect(try scenario.status(of: .defaultRoute) == .unknown(.systemError))
    // One reachable family suffices.
    scenario.route("2000::", 0, .route(3, via: "fd00:3::fe", from: "fd00:3::1"))
    #expect(try scenario.status(of: .defaultRoute) == Self.reachableOverIPv6)
  }

  // MARK: Links

  @Test(
    arguments: [(.noCarrier, .noCarrier), (.down, .interfaceDown), (.dormant, .linkDormant)]
      as [(LinkState.Condition, ReachabilityStatus.Reason)])
  func `a default route over a dead link is not reachable`(
    condition: LinkState.Condition, reason: ReachabilityStatus.Reason
  )
    throws
  {
    var scenario = noRoutes([Links.ethernet.with(condition)])
    scenario.route("0.0.0.1", 0, .route(2, via: "10.1.0.254", from: "10.1.0.1"))
    let status = try scenario.status(of: .defaultRoute)
    #expect(status.reason == reason)
    #expect(status.interface == Links.ethernet.interface)
    #expect(status.flags.rawValue == (condition == .dormant ? 0x6 : 0))
  }

  @Test(
    arguments: [
      ([.noCarrier, .up], "2000::"), ([.up, .noCarrier], "0.0.0.1"),
      ([.noCarrier, .dormant], "2000::"), ([.dormant, .noCarrier], "0.0.0.1"),
      ([.noCarrier, .noCarrier], "0.0.0.1"), ([.up, .dormant], "0.0.0.1"), ([.dormant, .up], "2000::"),
    ] as [([LinkState.Condition], ReachabilityAddress)])
  func `the better family is the status, and the first of equal ones`(
    conditions: [LinkState.Condition], better: ReachabilityAddress
  ) throws {
    var scenario = noRoutes([Links.ethernet.with(conditions[0]), Links.wifi.with(conditions[1])])
    scenario.route("0.0.0.1", 0, .route(2, via: "10.1.0.254", from: "10.1.0.1"))
    scenario.route("2000::", 0, .route(3, via: "fd00:3::fe", from: "fd00:3::1"))
    let link = better.bitWidth == 32 ? Links.ethernet : Links.wifi
    #expect(try scenario.status(of: .defaultRoute).interface == link.interface)
  }

  @Test(
    arguments: [
      (.networkUnreachable, .invalid, .blackhole), (.invalid, .networkUnreachable, .blackhole),
      (.invalid, .accessDenied, .blackhole), (.accessDenied, .invalid, .prohibited),
      (.invalid, .trouble, .blackhole), (.networkUnreachable, .trouble, .noRoute),
      (.trouble, .accessDenied, .prohibited), (.familyUnsupported, .trouble, .noRoute),
      (.networkUnreachable, .familyUnsupported, .noRoute),
      (.hostUnreachable, .familyUnsupported, .unreachableRoute),
      (.trouble, .trouble, .systemError),
    ] as [(RouteRefusal, RouteRefusal, ReachabilityStatus.Reason)])
  func `a broken family counts more than an absent one`(
    first: RouteRefusal, second: RouteRefusal, reason: ReachabilityStatus.Reason
  ) throws {
    var scenario = noRoutes()
    for candidate in Self.ipv4 { scenario.refuse(candidate, first) }
    for candidate in Self.ipv6 { scenario.refuse(candidate, second) }
    #expect(try scenario.status(of: .defaultRoute).reason == reason)
  }

  @Test func `a link that the tables lack is reported as unknown`() {
    var scenario = noRoutes([Links.ethernet])
    scenario.route("2000::", 0, .route(3, via: "fd00:3::fe", from: "fd00:3::1"))
    #expect(throws: Scenario.Trouble.unknownLink(3)) { try scenario.status(of: .defaultRoute) }
  }

  // MARK: Constraints

  @Test func `a source restricts the family`() throws {
    var scenario = noRoutes()
    scenario.answer(.init("10.1.0.1"), .success(RouteMessage(.local, interface: 2, table: 255)))
    let question = RouteRequest("0.0.0.1", source: "10.1.0.1")
    scenario.answer(question, .route(2, via: "10.1.0.254"), exact: .route(2, via: "10.1.0.254"))
    #expect(
      try scenario.run(ReachabilityTarget(.defaultRoute, source: "10.1.0.1"))
        == .init(
          evaluation: Evaluation(Self.reachableOverIPv4),
          asked: [question, RouteRequest("10.1.0.1"), question.exact]))
  }

  @Test(arguments: [(0, 3), (1, 4)] as [(Int, UInt8)])
  func `the deciding query is that of the first candidate on the default route`(
    place: Int, length: UInt8
  ) throws {
    var scenario = noRoutes()
    scenario.answer(.init("10.1.0.1"), .success(RouteMessage(.local, interface: 2, table: 255)))
    let questions = Self.ipv4.map { RouteRequest($0, source: "10.1.0.1") }
    for (number, question) in questions.enumerated() {
      let route = RouteMessage(interface: 2, gateway: "10.1.0.254")
      var entry = route
      entry.destinationLength = number == 0 ? length : 0
      scenario.answer(question, .success(route), exact: .success(entry))
    }
    try expectDecision(by: questions[place], scenario)
    scenario.answer(questions[0], .failure(.invalid), exact: .failure(.invalid))
    try expectDecision(by: questions[1], scenario)
  }

  private func expectDecision(by question: RouteRequest, _ scenario: Scenario) throws {
    let target = ReachabilityTarget(.defaultRoute, source: question.source)
    var answers = RouteAnswers()
    for (question, answer) in scenario.answers { answers[question] = answer }
    let status = try scenario.status(of: target)
    #expect(status.isReachable)
    #expect(Evaluator(network: scenario.network).decisiveQuestion(about: target, status, answers) == question)
  }

  @Test(arguments: ["10.7.0.1", "fd00:7::1"] as [ReachabilityAddress])
  func `an unassigned source ends the search`(source: ReachabilityAddress) throws {
    var scenario = noRoutes()
    let first = RouteRequest(source.bitWidth == 32 ? "0.0.0.1" : "2000::", source: source)
    scenario.disown(source, first)
    #expect(
      try scenario.run(ReachabilityTarget(.defaultRoute, source: source))
        == .init(
          evaluation: Evaluation(.notReachable(.sourceAddressMissing)),
          asked: [first] + (source.bitWidth == 32 ? [RouteRequest(source)] : [])))
  }

  @Test(
    arguments: [("fd00:7::1", .sourceAddressMissing), ("fe80::7", .zoneMissing)]
      as [(ReachabilityAddress, ReachabilityStatus.Reason)])
  func `a source that cannot be used is reported whatever prefix the kernel names`(
    _ source: ReachabilityAddress, _ reason: ReachabilityStatus.Reason
  ) throws {
    var scenario = noRoutes()
    for candidate in ["2000::", "100::1", "3000::1"] as [ReachabilityAddress] {
      let question = RouteRequest(candidate, source: source)
      let reply = RouteAnswer.success(RouteMessage(interface: 3, source: "fd00:3::1", prefixLength: 128))
      scenario.answer(question, reply, exact: reply)
    }
    #expect(
      try scenario.status(of: ReachabilityTarget(.defaultRoute, source: source)) == .notReachable(reason))
  }

  @Test func `a loopback source has no default route`() throws {
    var scenario = noRoutes()
    let question = RouteRequest("0.0.0.1", source: "127.0.0.1")
    scenario.answer(question, .failure(.invalid), exact: .failure(.invalid))
    scenario.answer(.init("127.0.0.1"), .success(RouteMessage(.local, interface: 1)))
    #expect(
      try scenario.status(of: ReachabilityTarget(.defaultRoute, source: "127.0.0.1"))
        == .notReachable(.sourceAddressMissing))
  }

  @Test func `every query contains the interface and the mark`() throws {
    var scenario = Scenario([Links.ethernet, Links.wifi])
    for candidate in Self.ipv4 + Self.ipv6 {
      let question = RouteRequest(candidate, interface: 3, mark: 66)
      scenario.answer(
        question, .route(3, via: "10.3.0.254", from: "10.3.0.1"), exact: .route(3, via: "10.3.0.254"))
    }
    let outcome = try scenario.run(ReachabilityTarget(.defaultRoute, interface: .name("wlan0"), mark: 66))
    #expect(outcome.evaluation.status.interface == Links.wifi.interface)
    #expect(Set(outcome.asked.map(\.interface)) == [3])
    #expect(Set(outcome.asked.map(\.mark)) == [66])
  }

  @Test func `a route that the kernel invents for an interface is no default route`() throws {
    var scenario = Scenario([Links.ethernet, Links.wifi])
    for candidate in Self.ipv4 {
      scenario.answer(
        .init(candidate, interface: 3), .success(RouteMessage(interface: 3, source: "10.3.0.1", table: 0)),
        exact: .failure(.hostUnreachable))
    }
    for candidate in Self.ipv6 {
      scenario.answer(
        .init(candidate, interface: 3), .failure(.networkUnreachable), exact: .failure(.networkUnreachable))
    }
    #expect(
      try scenario.status(of: ReachabilityTarget(.defaultRoute, interface: .name("wlan0")))
        == .notReachable(.noRoute))
  }

  @Test func `a required interface that is down is the reason`() throws {
    var scenario = Scenario([Links.ethernet.with(.down), Links.wifi])
    for candidate in ["0.0.0.1", "2000::"] as [ReachabilityAddress] {
      let question = RouteRequest(candidate, interface: 2)
      scenario.answer(question, .failure(.networkUnreachable), exact: .failure(.networkUnreachable))
    }
    #expect(
      try scenario.status(of: ReachabilityTarget(.defaultRoute, interface: .index(2)))
        == .notReachable(.interfaceDown, over: Links.ethernet.interface))
  }

  @Test(arguments: ["0.0.0.0", "::"] as [ReachabilityAddress])
  func `the unspecified address of either family is the default route`(address: ReachabilityAddress) throws {
    var scenario = noRoutes()
    scenario.route("2000::", 0, .route(3, via: "fd00:3::fe", from: "fd00:3::1"))
    #expect(try scenario.status(of: .address(address)) == Self.reachableOverIPv6)
  }
}

extension Scenario {
  /// Refuses both forms of the query for an address.
  fileprivate mutating func refuse(_ address: ReachabilityAddress, _ refusal: RouteRefusal) {
    answer(.init(address), .failure(refusal), exact: .failure(refusal))
  }

  /// Answers with a route whose entry has a prefix of the given length.
  fileprivate mutating func route(_ address: ReachabilityAddress, _ prefixLength: Int, _ answer: RouteAnswer)
  {
    guard case .success(var exact) = answer else { return }
    exact.preferredSource = nil
    exact.destinationLength = UInt8(prefixLength)
    self.answer(.init(address), answer, exact: .route(exact))
  }

  /// Answers with a route, and names another route with its next-hop object.
  fileprivate mutating func unnamedRoute(_ address: ReachabilityAddress, _ answer: RouteAnswer) {
    guard case .success(var entry) = answer else { return }
    entry.preferredSource = nil
    (entry.destination, entry.destinationLength, entry.nextHopID) = ("2001:db8:1::", 48, 21)
    self.answer(.init(address), answer, exact: .route(entry))
  }

  /// Answers as the kernel does to a query with an unassigned source: IPv6 accepts it.
  fileprivate mutating func disown(_ source: ReachabilityAddress, _ question: RouteRequest) {
    let reply: RouteAnswer =
      source.bitWidth == 32 ? .failure(.networkUnreachable) : .route(3, via: "fd00:3::fe", from: "fd00:3::1")
    answer(question, reply, exact: reply)
    answer(.init(source), .failure(.networkUnreachable))
  }
}
#endif
