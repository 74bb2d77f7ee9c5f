// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import TestSupport
import Testing

@testable import ReachabilityKit

/// A long random history, in which every observer's old status and the changes make up the new one.
@Suite(.deadline) struct RandomWalkTests {
  @Test(arguments: 1...12)
  func `each observer receives the events that a naive reading of the history predicts`(seed: UInt64) throws {
    var walk = RandomWalk(seed: seed)
    for step in 0..<400 {
      let (asked, expected) = walk.step()
      // Each once, but in no guaranteed order.
      try #require(asked.map(\.description).sorted() == expected.map(\.description).sorted(), "step \(step)")
      try #require(walk.contradictions() == [], "step \(step)")
    }
    // Otherwise the test would prove little.
    #expect(walk.events > 100)
  }
}

/// A bench for random steps, with their full history.
private struct RandomWalk {
  private typealias Key = Bench.Key

  /// All answers about one key since its first observer joined.
  private struct History {
    let key: Key
    var answers: [(second: Int, evaluation: Evaluation)] = []

    /// When the last answer expires.
    var expires: Int? {
      guard let last = answers.last, let lifetime = last.evaluation.lifetime else { return nil }
      return last.second + Int(lifetime.components.seconds)
    }

    /// When an answer without a lifetime came although the lifetime had ended; such an answer is queried again.
    var doubtfulSince: Int?

    mutating func append(_ evaluation: Evaluation, at second: Int) {
      if let since = doubtfulSince, since < second { doubtfulSince = nil }
      if evaluation.lifetime == nil, let expires, expires <= second { doubtfulSince = second }
      answers.append((second, evaluation))
      isJoined = false
    }

    /// Whether an observer joined since the last answer.
    var isJoined = false

    /// The statuses that an observer receives before an instant that precedes an answer, and the time at which a change
    /// that has not settled would be delivered.
    func told(at now: Int, from first: Int) -> (statuses: [ReachabilityStatus], pending: Int?) {
      var told: [ReachabilityStatus] = []
      var candidate: (status: ReachabilityStatus, until: Int)?
      let known: [(Int, Evaluation?)] = answers[first...].map { ($0.second, $0.evaluation) }
      for (second, evaluation) in known + [(now, nil)] {
        if let (status, until) = candidate, until <= second {
          told.append(status)
          candidate = nil
        }
        guard let status = evaluation?.status else { continue }
        if status == told.last {
          candidate = nil
        } else if told.isEmpty || key.settling <= .zero {
          told.append(status)
        } else if candidate?.status != status {
          candidate = (status, second + Int(key.settling.components.seconds))
        }
      }
      return (told, candidate?.until)
    }
  }

  private struct Observer {
    var key: Key
    /// The number of answers before the first one that it receives.
    var first: Int
    var heard: [Bench.Told] = []
  }

  private static let targets: [ReachabilityTarget] = [
    .defaultRoute, .address("10.1.0.1"), .address("10.1.0.2"), .address("10.2.0.1"), .address("fd00::1"),
    ReachabilityTarget(.address("10.1.0.1"), source: "10.2.0.9"), .address("2001:db8::1"),
  ]

  private var generator: SeededGenerator
  private var bench = Bench()
  private var now = 0
  private var histories: [History] = []
  private var observers: [String: Observer] = [:]
  private var names = 0
  private(set) var events = 0

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    for target in Self.targets { bench.world[target] = Evaluation(.number(0)) }
  }

  /// Takes a random step, and runs the machine.
  ///
  /// - Returns: The targets that were queried, and those that should have been.
  mutating func step() -> (asked: [ReachabilityTarget], expected: [ReachabilityTarget]) {
    var change = NetworkChange()
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: watch()
    case 1: observers.count < 8 ? watch() : leave()
    case 2: leave()
    case 3...4: change = changeWorld()
    case 5: _ = changeWorld()
    default: now += Int.random(in: 0...8, using: &generator)
    }
    let due = histories.indices.filter { mustAsk(histories[$0], change) }
    let asked = bench.run(change, at: Double(now))
    for position in due {
      let target = histories[position].key.target
      histories[position].append(bench.world[target] ?? Evaluation(.number(0)), at: now)
    }
    hear()
    return (asked, due.map { histories[$0].key.target })
  }

  /// The events that observers received but should not have, and the reverse.
  func contradictions() -> [String] {
    var found: [String] = []
    var deadlines: [Int] = []
    for history in histories {
      deadlines += [history.expires, history.doubtfulSince.map { $0 + 1 }].compactMap(\.self)
      for (name, observer) in observers where observer.key == history.key {
        let (statuses, pending) = history.told(at: now, from: observer.first)
        if let pending { deadlines.append(pending) }
        let expected = zip(statuses, [nil] + statuses).map {
          Bench.Told(name: name, target: history.key.target, status: $0, previous: $1)
        }
        if observer.heard != expected { found.append("\(name) heard \(observer.heard) for \(expected)") }
      }
    }
    if let earliest = deadlines.min(), !(bench.nextDeadline.map { $0 <= Double(earliest) } ?? false) {
      found.append("the machine would sleep beyond \(earliest)")
    }
    if let next = bench.nextDeadline, next <= Double(now) { found.append("what is due was left") }
    if bench.machine.isEmpty != histories.isEmpty { found.append("empty") }
    return found
  }

  private func mustAsk(_ history: History, _ change: NetworkChange) -> Bool {
    if history.answers.isEmpty || history.isJoined || change.everything { return true }
    if let expires = history.expires, expires <= now { return true }
    if let since = history.doubtfulSince, since < now { return true }
    let target = history.key.target
    var addresses = target.source.map { [$0] } ?? []
    switch target.destination {
    case .address(let address): addresses.append(address)
    case .defaultRoute: addresses += DefaultRoute.addresses
    case .host: break
    }
    return change.prefixes.contains { prefix in addresses.contains { prefix.contains($0) } }
  }

  private mutating func watch() {
    let settling = generator.pick([Duration.zero, .seconds(3), .seconds(10)])
    let key = Key(target: generator.pick(Self.targets), settling: settling)
    names += 1
    let place = histories.firstIndex { $0.key == key } ?? histories.endIndex
    if place == histories.endIndex { histories.append(History(key: key)) }
    histories[place].isJoined = true
    observers["\(names)"] = Observer(key: key, first: histories[place].answers.count)
    bench.watch("\(names)", key.target, settling: settling)
  }

  private mutating func leave() {
    guard let name = observers.keys.sorted().randomElement(using: &generator) else { return }
    let key = observers.removeValue(forKey: name)?.key
    bench.leave(name)
    if !observers.values.contains(where: { $0.key == key }) { histories.removeAll { $0.key == key } }
  }

  /// Changes the answers of the network, and returns the change that the network would announce.
  private mutating func changeWorld() -> NetworkChange {
    let (everything, prefix): (Bool, IPPrefix) = generator.pick([
      (true, .init(literal: "0.0.0.0/0")), (false, .init(literal: "0.0.0.0/0")),
      (false, .init(literal: "::/0")), (false, .init(literal: "10.1.0.0/16")),
      (false, .init(literal: "10.2.0.0/16")), (false, .init(literal: "2000::/3")),
    ])
    for target in Self.targets where generator.chance(2) {
      let lifetime = generator.chance(3) ? Duration.seconds(Int.random(in: 1...30, using: &generator)) : nil
      bench.world[target] = Evaluation(.number(.random(in: 0..<3, using: &generator)), lifetime: lifetime)
    }
    return NetworkChange(everything: everything, prefixes: everything ? [] : [prefix])
  }

  private mutating func hear() {
    for told in bench.takeTold() {
      observers[told.name]?.heard.append(told)
      events += 1
    }
  }
}
