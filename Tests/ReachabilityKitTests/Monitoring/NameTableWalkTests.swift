// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import TestSupport
import Testing

@testable import ReachabilityKit

/// A long random history of a table of names, checked for what it must and must not do.
@Suite(.deadline) struct NameTableWalkTests {
  @Test(arguments: 1...12)
  func `limits hold, no observed name is lost, and observers know the last answer`(
    seed: UInt64
  ) throws {
    var walk = NameWalk(seed: seed)
    for step in 0..<1500 {
      walk.step()
      try #require(walk.contradictions == [], "step \(step)")
    }
    // Otherwise the test would prove little.
    #expect(walk.begun > 300 && walk.news > 50)
  }
}

private struct NameWalk {
  /// The expected state of an observed name, by a naive reading of the history.
  private struct Record {
    var watchers = 1
    /// The answer that counts.
    var known: NameAnswer?
    /// The time by which a lookup must begin, if there is room.
    var due: Duration?
  }

  private static let names =
    ["localhost"]
    + ["a", "b", "c", "d", "e", "f", "g"].map { "\($0).zone.test" }
    + ["a", "b", "c", "d", "e", "f", "g", "h"].map { "www.\($0).test" }
  private static let answers: [NameAnswer] = [
    .found("10.9.0.1", "10.9.0.2"), .found("10.9.0.2", "10.9.0.1"), .found("fd00:9::1", "10.9.0.1"),
    .failure(.nameNotFound), .failure(.nameResolutionTimedOut), .failure(.nameResolutionTimedOut),
    .failure(.nameServerUnreachable), .failure(.nameServerFailed),
  ]

  private var generator: SeededGenerator
  private var bench = NameBench()
  private var records: [String: Record] = [:]
  /// Names that were queried without observers since their last lookup.
  private var asked: Set<String> = []
  /// Names whose lookups began before a change.
  private var outdated: Set<String> = []
  /// Names whose lookups began before a change that has not settled.
  private var disturbed: Set<String> = []
  /// Names whose lookups' name servers were examined since the last change.
  private var examined: Set<String> = []
  /// Names whose answers were found with other settings.
  private var old: Set<String> = []
  /// The answers that count, of names observed or not.
  private var known: [String: NameAnswer] = [:]
  /// The number of consecutive failures of each name, observed or not.
  private var failures: [String: Int] = [:]
  private var settled: (since: Duration, until: Duration)?
  private(set) var contradictions: [String] = []
  private(set) var begun = 0
  private(set) var news = 0

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// Takes a random step, and begins the lookups that the table then requests.
  mutating func step() {
    switch Int.random(in: 0..<14, using: &generator) {
    case 0...1: watch(generator.pick(Self.names))
    case 2: unwatch()
    case 3:
      let name = generator.pick(Self.names)
      noteKnown(bench.answer(for: name), of: name)
      asked.insert(name)
    case 4...8: finish()
    case 9: change(ofSettings: generator.chance(2))
    case 10: if generator.chance(4) { refresh() }
    case 11:
      if !bench.givenUp.isEmpty { expect(bench.finishGivenUp(Self.answers[0]) == nil, "an old answer told") }
    case 12: recordReachableServer()
    default: pass(.milliseconds(generator.pick([1, 100, 999, 1000, 5000, 20000])))
    }
    begin()
    examine()
    check()
  }

  private mutating func noteKnown(_ answer: NameAnswer?, of name: String) {
    // A name that is observed, or looked up, keeps its failures also without an answer: the network excused them.
    guard answer == nil, records[name] == nil, !bench.running.contains(name) else { return }
    failures[name] = nil
    known[name] = nil
    old.remove(name)
  }

  private mutating func watch(_ name: String) {
    // A settled change takes precedence.
    if let settled, settled.until <= bench.now { noteRefresh() }
    let known = bench.watch(name)
    noteKnown(known, of: name)
    if name == "localhost" { return expect(known == .loopback, "localhost: \(known as Any)") }
    if records[name] != nil {
      expect(known == records[name]?.known, "\(name) is \(known as Any)")
      records[name]?.watchers += 1
    } else {
      records[name] = Record(known: known)
      // Immediately, or no later than the validity of a known answer ends.
      records[name]?.due = bench.now + (known == nil ? .zero : NameTable.refreshInterval)
      if bench.running.contains(name) { records[name]?.due = nil }
    }
  }

  private mutating func unwatch() {
    guard let name = records.keys.sorted().randomElement(using: &generator) else { return }
    bench.unwatch(name)
    records[name]?.watchers -= 1
    if records[name]?.watchers == 0 { records[name] = nil }
  }

  private mutating func finish() {
    guard let name = bench.running.randomElement(using: &generator) else { return }
    let answer = generator.pick(Self.answers)
    note(answer, of: name, told: bench.finish(name, answer))
  }

  /// Advances the clock; some lookups then exceed their limit.
  private mutating func pass(_ time: Duration) {
    let before = bench.running
    let told = bench.giveUp(at: bench.now + time)
    for name in before where !bench.running.contains(name) {
      note(.failure(.nameResolutionTimedOut), of: name, told: told[name])
    }
  }

  private mutating func note(_ answer: NameAnswer, of name: String, told: NameAnswer?) {
    asked.remove(name)
    let isOutdated = outdated.remove(name) != nil
    if case .failure = answer { failures[name, default: 0] += 1 } else { failures[name] = nil }
    let isDisturbed = disturbed.remove(name) != nil
    let isExcused = isExcused(answer, of: name, isDisturbed: isDisturbed)
    let new = isExcused ? known[name] : known[name]?.replaced(by: answer) ?? answer
    known[name] = new
    if !isExcused { old.remove(name) }
    guard let record = records[name] else { return expect(told == nil, "\(name) is not observed") }
    expect(told == (new == record.known ? nil : new), "\(name) told \(told as Any)")
    if told != nil { news += 1 }
    records[name]?.known = new
    let interval = failures[name].map { NameTable.backoff(failures: $0) } ?? NameTable.refreshInterval
    records[name]?.due = isOutdated || isExcused && isDisturbed ? bench.now : bench.now + interval
  }

  /// Whether the network explains a failure, so that the known answer stays.
  private func isExcused(_ answer: NameAnswer, of name: String, isDisturbed: Bool) -> Bool {
    switch answer {
    case .addresses, .failure(.nameNotFound): false
    case .failure(.nameServerUnreachable):
      if case .addresses = known[name] { isDisturbed || !old.contains(name) } else { isDisturbed }
    default: isDisturbed
    }
  }

  private mutating func examine() {
    let names = bench.running.filter { known[$0] == nil && !examined.contains($0) && bench.isSlow($0) }
    examined.formUnion(names)
    let isServerReachable = generator.chance(2)
    let told = bench.examine(isServerReachable: isServerReachable)
    let unreachable = NameAnswer.failure(.nameServerUnreachable)
    for name in isServerReachable ? [] : names {
      known[name] = unreachable
      if records[name] != nil { records[name]?.known = unreachable }
    }
    let observed = isServerReachable ? [] : names.filter { records[$0] != nil }
    expect(told == Dictionary(uniqueKeysWithValues: observed.map { ($0, unreachable) }), "examined \(told)")
  }

  private mutating func recordReachableServer() {
    for name in bench.recordReachableServer() {
      failures[name] = nil
      outdated.remove(name)
      disturbed.remove(name)
      records[name]?.due = bench.now
    }
  }

  private mutating func change(ofSettings: Bool) {
    bench.recordChange(ofSettings: ofSettings)
    disturbed.formUnion(bench.running)
    examined.subtract(bench.running)
    if ofSettings { old.formUnion(Self.names) }
    let quiet: Duration = ofSettings ? .milliseconds(100) : .seconds(1)
    let since = settled?.since ?? bench.now
    settled = (since, min(max(settled?.until ?? .zero, bench.now + quiet), since + .seconds(5)))
  }

  private mutating func refresh() {
    bench.table.refresh()
    noteRefresh()
  }

  private mutating func noteRefresh() {
    settled = nil
    outdated.formUnion(bench.running)
    failures = [:]
    for name in records.keys {
      if !bench.running.contains(name) { records[name]?.due = bench.now }
    }
  }

  private mutating func begin() {
    if let settled, settled.until <= bench.now { noteRefresh() }
    for name in bench.begin() {
      begun += 1
      expect(bench.running.count { $0 == name } == 1, "\(name) is looked up twice")
      expect(records[name] != nil || asked.contains(name), "\(name) was not requested")
      expect(name != "localhost", "localhost needs no lookup")
      records[name]?.due = nil
      disturbed.remove(name)
      examined.remove(name)
    }
  }

  private mutating func check() {
    expect(bench.running.count <= 6, "\(bench.running.count) at once")
    let zones = Dictionary(grouping: bench.running) { ReachabilityTarget.HostName(literal: $0).zone }
    expect(zones.values.allSatisfy { $0.count <= 4 }, "\(zones)")
    if let next = bench.nextDeadline { expect(next > bench.now, "what is due was left") }
    // These begin when an abandoned lookup of the same name ends.
    let stuck = Dictionary(grouping: bench.givenUp, by: \.name).filter { $0.value.count >= 4 }
    let dues = records.filter { stuck[$0.key] == nil }.compactMap(\.value.due)
    if bench.running.isEmpty { expect(dues.allSatisfy { $0 > bench.now }, "something wanted was not begun") }
    if let earliest = ((dues.filter { $0 > bench.now }) + (settled.map { [$0.until] } ?? [])).min() {
      expect(bench.nextDeadline.map { $0 <= earliest } ?? false, "the table would sleep beyond \(earliest)")
    }
  }

  private mutating func expect(_ claim: Bool, _ contradiction: String) {
    if !claim { contradictions.append("at \(bench.now): \(contradiction)") }
  }
}
