// SPDX-License-Identifier: Apache-2.0
import CommandSupport
import Foundation
import LiveSupport

/// What a competitor said about one scenario, and what packets did.
struct Trial: Codable, Sendable {
  /// An answer and the truth.
  ///
  /// There is no answer where the competitor cannot be asked that, or does not answer.
  struct Verdict: Codable, Sendable {
    /// An address; `nil` for the network in general.
    var target: String?
    var isAfterChange: Bool
    var answer: Bool?
    var truth: Bool

    var isCorrect: Bool { answer == truth }
  }

  var competitor: String
  var scenario: String
  var verdicts: [Verdict] = []
  /// Whether the competitor reports changes.
  var isWatching = false
  /// Whether the competitor reported it.
  var isSeen = false
  /// How many reports followed the change to which nothing corresponds.
  var idleReports = 0
  /// The time in milliseconds from the first packet with the new fate to the report.
  var delay: Double?
  /// What prevented the trial.
  var failure: String?

  /// The verdicts about the network in general, before and after the change.
  var general: [Verdict] { verdicts.filter { $0.target == nil } }
  /// Whether packets began or ceased to arrive.
  var hasChange: Bool { general.first?.truth != general.last?.truth }

  init(_ competitor: Competitor, _ scenario: Scenario) {
    self.competitor = competitor.name
    self.scenario = scenario.name
    do {
      try run(competitor, scenario)
    } catch {
      failure = "\(error)"
    }
  }

  private mutating func run(_ competitor: Competitor, _ scenario: Scenario) throws {
    let lab = try Lab()
    defer { lab.close() }
    try lab.perform(scenario.setup)
    let stream = try PacketStream(
      to: (Lab.general + scenario.targets).map(\.octets), from: lab.machine, into: lab.world, every: 500)
    defer { stream.stop() }
    let truth = Truth(stream, general: Lab.general.count)
    let watcher = try Watcher(competitor, on: lab.machine)
    defer { watcher.stop() }
    isWatching = watcher.begins(within: 60)
    if isWatching {
      Self.waitForRest(watcher, competitor)
    } else {
      usleep(useconds_t(competitor.settling) * 1000)
    }
    try judge(competitor, scenario, lab, truth, watcher, isAfterChange: false)
    let start = ContinuousClock.now
    try lab.perform(scenario.change, watcher)
    usleep(useconds_t(max(scenario.settling, competitor.followUpTime)) * 1000)
    try judge(competitor, scenario, lab, truth, watcher, isAfterChange: true)
    if isWatching { rate(watcher.reports.filter { $0.time > start }, scenario, truth, since: start) }
  }

  private mutating func judge(
    _ competitor: Competitor, _ scenario: Scenario, _ lab: Lab, _ truth: Truth, _ watcher: Watcher,
    isAfterChange: Bool
  ) throws {
    for (position, target) in ([nil] + scenario.targets.map(\.description)).enumerated() {
      let answer =
        target == nil && isWatching
        ? watcher.reports.last?.isUsable : try competitor.ask(target, on: lab.machine)
      verdicts.append(
        Verdict(
          target: target, isAfterChange: isAfterChange, answer: answer, truth: try truth.settled(position)))
    }
  }

  /// Compares the reports after a change with the packets.
  private mutating func rate(
    _ reports: [Watcher.Report], _ scenario: Scenario, _ truth: Truth, since start: ContinuousClock.Instant
  ) {
    if scenario.isUnrelated {
      idleReports = reports.count
    } else {
      var values = [general.first?.answer].compactMap(\.self)
      for report in reports where report.isUsable != values.last { values.append(report.isUsable) }
      idleReports = max(values.count - 1 - (hasChange ? 1 : 0), 0)
    }
    guard hasChange, let after = general.last?.truth,
      // The report from which on the answer was right.
      let right = reports.reversed().prefix(while: { $0.isUsable == after }).last
    else { return }
    isSeen = true
    delay = truth.turn(to: after, since: start).map { $0.duration(to: right.time) / .milliseconds(1) }
  }

  /// Waits until there was no report for a time.
  private static func waitForRest(_ watcher: Watcher, _ competitor: Competitor) {
    let deadline = ContinuousClock.now + .seconds(20)
    let rest = Duration.milliseconds(competitor.settling)
    while ContinuousClock.now < deadline {
      guard let last = watcher.reports.last, last.time + rest > .now else { return }
      usleep(2000)
    }
  }
}

/// What the packets of a stream say: the only judge.
struct Truth {
  private let stream: PacketStream
  private let general: Int

  /// - Parameter general: How many of the addresses, the first ones, stand for the network in general.
  init(_ stream: PacketStream, general: Int) {
    self.stream = stream
    self.general = general
  }

  /// Whether packets arrive, once their fate does not change any more.
  ///
  /// - Parameter question: 0 for the network in general, else the number of the target.
  func settled(_ question: Int) throws -> Bool {
    let deadline = ContinuousClock.now + .seconds(5)
    while ContinuousClock.now < deadline {
      // Packets that were sent a moment ago may still be on their way.
      let end = ContinuousClock.now - .milliseconds(40)
      let fates = stream.rounds(after: end - .milliseconds(100)).prefix { $0.sent < end }
        .map { arrives($0, question) }
      if fates.count >= 20, let first = fates.first, fates.allSatisfy({ $0 == first }) { return first }
      usleep(5000)
    }
    throw CommandError("the fate of packets does not settle")
  }

  /// When the first packet was sent that had the new fate, as all after it.
  func turn(to fate: Bool, since start: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    let end = ContinuousClock.now - .milliseconds(40)
    return stream.rounds(after: start - .milliseconds(5)).prefix { $0.sent < end }.reversed()
      .prefix { arrives($0, 0) == fate }.last?.sent
  }

  private func arrives(_ round: PacketStream.Round, _ question: Int) -> Bool {
    question == 0
      ? round.arrivals[..<general].contains { $0 != nil } : round.arrivals[general + question - 1] != nil
  }
}
