// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import Netlink
import ReachabilityKit
import TestSupport
import Testing

/// Properties that hold for any answers of a kernel.
@Suite(.deadline) struct EvaluatorPropertyTests {
  /// Evaluates random tables, answers and targets, and returns the first few contradictions.
  private func walk(
    seed: UInt64, _ isSound: (ReachabilityTarget, Scenario, ReachabilityStatus) -> Bool
  ) throws -> [String] {
    var generator = SeededGenerator(seed: seed)
    var contradictions: [String] = []
    for _ in 0..<1_000 where contradictions.count < 3 {
      var scenario = Scenario.random(using: &generator)
      let target = ReachabilityTarget.random(using: &generator)
      let status = try scenario.evaluate(target, using: &generator).status
      if !isSound(target, scenario, status) {
        contradictions.append("\(target): \(status) \(status.flags.names)")
      }
    }
    return contradictions
  }

  @Test(arguments: 1...4)
  func `state, reason and flags are always consistent`(seed: UInt64) throws {
    let contradictions = try walk(seed: seed) { _, _, status in
      switch (status.state, status.reason) {
      case (.reachable, nil):
        status.interface != nil && status.flags.contains(.reachable)
          && status.flags.isDisjoint(with: .connectionRequired)
      case (.unknown, _):
        status == .unknown(.systemError)
      case (.notReachable, let reason?):
        status.flags.subtracting([.transientConnection, .isWWAN])
          == (reason == .linkDormant ? [.reachable, .connectionRequired] : [])
          && (reason == .linkDormant || status.flags.isEmpty) && status.gateway == nil && status.source == nil
      default:
        false
      }
    }
    #expect(contradictions == [])
  }

  @Test(arguments: 5...8)
  func `a reachable target uses a live link and meets its constraints`(
    seed: UInt64
  ) throws {
    let contradictions = try walk(seed: seed) { target, scenario, status in
      guard status.isReachable, let interface = status.interface else { return true }
      if let source = target.source, status.source != source { return false }
      if status.flags.contains(.isLocalAddress) { return true }
      if let wanted = target.interface, scenario.network.index(of: wanted) != Int32(interface.index) {
        return false
      }
      return scenario.network.links[Int32(interface.index)]?.condition == .up
    }
    #expect(contradictions == [])
  }

  @Test(arguments: 9...12)
  func `no query is repeated, and a few rounds suffice`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<1_000 {
      let scenario = Scenario.random(using: &generator)
      let target = ReachabilityTarget.random(using: &generator)
      let evaluator = Evaluator(network: scenario.network, isWatching: scenario.isWatching)
      var answers = RouteAnswers()
      var asked: [RouteRequest] = []
      var rounds = 0
      while case .ask(let questions) = evaluator.evaluate(target, answers), rounds < 24 {
        #expect(!questions.isEmpty)
        for question in questions { answers[question] = .random(to: question, using: &generator) }
        asked += questions
        rounds += 1
      }
      #expect(Set(asked).count == asked.count, "\(target)")
      // Three addresses represent a default route, and a socket may need five rounds for each.
      #expect(rounds <= 15, "\(target)")
    }
  }

  @Test func `an answer can be replaced`() {
    var answers = RouteAnswers()
    answers["10.9.0.1"] = .failure(.invalid)
    answers["10.9.0.2"] = .failure(.noDevice)
    answers["10.9.0.1"] = .failure(.accessDenied)
    answers["10.9.0.2"] = .failure(.trouble)
    #expect(answers["10.9.0.1"] == .failure(.accessDenied))
    #expect(answers["10.9.0.2"] == .failure(.trouble))
    #expect(answers["10.9.0.3"] == nil)
  }
}

extension RouteAnswers {
  fileprivate subscript(destination: ReachabilityAddress) -> RouteAnswer? {
    get { self[RouteRequest(destination)] }
    set { self[RouteRequest(destination)] = newValue }
  }
}

extension Scenario {
  private static let links: [LinkState] = [
    Links.loopback, Links.ethernet, Links.wifi, Links.cellular, Links.wireGuard,
  ]

  /// Links in random conditions, some of which own prefixes.
  fileprivate static func random(using generator: inout SeededGenerator) -> Scenario {
    let conditions: [LinkState.Condition] = [.up, .up, .up, .down, .noCarrier, .dormant]
    let prefixes = ["10.9.0.7/24", "2001:db8::7/64", "10.1.0.7/24"]
    var scenario = Scenario(
      links.map { link in
        let addresses = generator.chance(3) ? [generator.pick(prefixes)] : []
        return (link.with(generator.pick(conditions)), addresses: addresses)
      }, isWatching: generator.chance(2))
    if generator.chance(3), let prefix = IPPrefix(generator.pick(["10.1.0.0", "fd00::"]), length: 16) {
      scenario.network.sourceRules = [
        Rule(0, generator.chance(2) ? .refuse(.prohibit) : .lookUp(254), source: prefix)
      ]
    }
    return scenario
  }

  /// Answers at random until the status is known.
  fileprivate mutating func evaluate(_ target: ReachabilityTarget, using generator: inout SeededGenerator)
    throws
    -> Evaluation
  {
    for _ in 0..<100 {
      do {
        return try run(target).evaluation
      } catch Trouble.unanswered(let question) {
        answers[question] = .random(to: question, using: &generator)
      }
    }
    throw Trouble.endless([])
  }
}

extension ReachabilityTarget {
  fileprivate static func random(using generator: inout SeededGenerator) -> ReachabilityTarget {
    let destinations: [Destination] = [
      .defaultRoute, .address("10.9.0.1"), .address("2001:db8::1"), .address("fe80::1"), .address("10.1.0.1"),
    ]
    let interfaces: [Interface] = [.name("eth0"), .index(3), .name("lo"), .index(4), .name("missing")]
    let sources: [ReachabilityAddress] = ["10.1.0.1", "fd00::1", "127.0.0.1", "::1"]
    return ReachabilityTarget(
      generator.pick(destinations), source: generator.chance(3) ? generator.pick(sources) : nil,
      interface: generator.chance(3) ? generator.pick(interfaces) : nil, mark: generator.chance(4) ? 66 : nil)
  }
}

extension RouteAnswer {
  /// Any possible answer of a kernel; a packet that is bound to an interface is not sent by another.
  fileprivate static func random(to question: RouteRequest, using generator: inout SeededGenerator)
    -> RouteAnswer
  {
    if generator.chance(4) {
      let refusals: [RouteRefusal] = [
        .networkUnreachable, .networkUnreachable, .hostUnreachable, .invalid, .accessDenied, .noDevice,
        .trouble,
      ]
      return .failure(generator.pick(refusals))
    }
    let gateways: [ReachabilityAddress?] = [nil, "10.1.0.254", "fe80::fe"]
    let hops = (0..<generator.pick([0, 0, 0, 1, 2, 3])).map { _ in
      NextHop(
        interface: Int32.random(in: 1...5, using: &generator), gateway: generator.pick(gateways),
        isDown: generator.chance(2))
    }
    return .success(
      RouteMessage(
        generator.pick([.unicast, .unicast, .unicast, .local, .local, .broadcast, .anycast, .multicast]),
        interface: question.interface ?? Int32.random(in: 1...5, using: &generator),
        gateway: generator.pick(gateways), source: generator.pick([nil, "10.1.0.1", "::1", "fd00::1"]),
        table: generator.pick([254, 254, 0]), prefixLength: generator.pick([0, 1, 3, 4, 32]),
        isDown: generator.chance(4), nextHops: question.form == .entry ? hops : [],
        lifetime: generator.chance(3) ? .seconds(5) : nil))
  }
}
#endif
