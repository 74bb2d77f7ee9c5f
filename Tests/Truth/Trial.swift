#if os(Linux)
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
  /// Whether packets began or ceased to arrive.
  var hasChange = false
  /// Whether the competitor reported it.
  var isSeen = false
  /// How many reports followed the change to which nothing corresponds.
  var idleReports = 0
  /// The time in milliseconds from the first packet with the new fate to the report.
  var delay: Double?
  /// What prevented the trial.
  var failure: String?

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
      to: (Lab.general + scenario.targets).map(Lab.bytes), from: lab.machine, into: lab.world, every: 500)
    defer { stream.stop() }
    let truth = Truth(stream, general: Lab.general.count)
    let watcher = try Watcher(competitor, on: lab.machine)
    defer { watcher.stop() }
    isWatching = watcher.begins(within: 60)
    if isWatching {
      Self.waitForRest(watcher, competitor)
    } else {
      // The kernel of the far end may take a second to notice a carrier.
      usleep(1_200_000)
    }
    try judge(competitor, scenario, lab, truth, isWatching ? watcher : nil, isAfterChange: false)

    let before = try truth.settled(0)
    let answer = watcher.reports.last?.isUsable
    let start = ContinuousClock.now
    try lab.perform(scenario.change, watcher)
    usleep(useconds_t(max(scenario.settling, competitor.patience)) * 1000)
    let after = try truth.settled(0)
    hasChange = before != after
    if isWatching { judge(watcher.reports.filter { $0.time > start }, answer, after, scenario, truth, start) }
    try judge(competitor, scenario, lab, truth, isWatching ? watcher : nil, isAfterChange: true)
  }

  private mutating func judge(
    _ competitor: Competitor, _ scenario: Scenario, _ lab: Lab, _ truth: Truth, _ watcher: Watcher?,
    isAfterChange: Bool
  ) throws {
    for (position, target) in ([nil] + scenario.targets.map(Optional.some)).enumerated() {
      let answer: Bool?
      if target == nil, let watcher {
        answer = watcher.reports.last?.isUsable
      } else {
        answer = try competitor.ask(target, on: lab.machine)
      }
      verdicts.append(
        Verdict(
          target: target, isAfterChange: isAfterChange, answer: answer, truth: try truth.settled(position)))
    }
  }

  private mutating func judge(
    _ reports: [Watcher.Report], _ answer: Bool?, _ after: Bool, _ scenario: Scenario, _ truth: Truth,
    _ start: ContinuousClock.Instant
  ) {
    if scenario.isUnrelated { idleReports = reports.count }
    // The reports from which on the answer was right.
    let right = reports.reversed().prefix { $0.isUsable == after }.last
    var values = [answer].compactMap(\.self)
    for report in reports where report.isUsable != values.last { values.append(report.isUsable) }
    let changes = max(values.count - 1, 0)
    if !scenario.isUnrelated { idleReports = max(changes - (hasChange ? 1 : 0), 0) }
    guard hasChange, let right else { return }
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
#endif
