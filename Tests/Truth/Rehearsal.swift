// SPDX-License-Identifier: Apache-2.0
import Foundation
import InternetProtocol
import LiveSupport
import ReachabilityKit
import ReachabilityRehearsal
import SearchSupport

/// A change that is rehearsed in a copy of the network, and then made: the predictions, judged by the packets.
struct Rehearsal: Sendable {
  /// What becomes of a prediction, the best first.
  enum Verdict: Int, CaseIterable, Sendable {
    case right, unknown
    /// The change is not made by commands that work in a copy.
    case notRehearsable
    /// Packets arrive where none are predicted, or do not arrive where they are, or leave by another interface.
    case wrong

    var text: String { self == .notRehearsable ? "not rehearsable" : "\(self)" }
  }

  /// What is predicted about one target, and what becomes of its packets.
  struct Prediction: Sendable {
    var target: ReachabilityTarget
    var status: ReachabilityStatus
    /// Why the copy cannot tell.
    var doubt: String?
    var arrives: Bool
    /// What the kernel says after the change.
    var real: ReachabilityStatus

    var verdict: Verdict {
      if doubt != nil || status.state == .unknown { return .unknown }
      let isRight =
        status.isReachable == arrives && (!arrives || status.interface?.name == real.interface?.name)
      return isRight ? .right : .wrong
    }

    /// The prediction in words.
    var text: String {
      if verdict == .unknown { return "unknown" }
      guard status.isReachable else { return "not reachable" }
      return "reachable" + (status.interface.map { " over \($0.name)" } ?? "")
    }

    /// What happened, in words.
    var truth: String {
      guard arrives else { return "no packets" }
      return "packets" + (real.interface.map { " over \($0.name)" } ?? "")
    }
  }

  let scenario: Scenario
  private(set) var predictions: [Prediction] = []
  /// Why the change cannot be rehearsed.
  private(set) var obstacle: String?
  /// What prevented the comparison, which is a fault.
  private(set) var failure: String?
  /// The addresses whose packets had another fate before the change, and the network in general.
  private(set) var changed = 0

  init(_ scenario: Scenario) {
    self.scenario = scenario
    do {
      try run()
    } catch {
      failure = "\(error)"
    }
  }

  var verdict: Verdict {
    if failure != nil { return .wrong }
    if obstacle != nil { return .notRehearsable }
    return predictions.map(\.verdict).max { $0.rawValue < $1.rawValue } ?? .wrong
  }

  private mutating func run() throws {
    let commands = scenario.change.map { ($0.text, $0.local) }
    if let elsewhere = commands.first(where: { $0.1 == nil }) {
      obstacle = "at the far end: \(elsewhere.0)"
      return
    }
    let lab = try Lab()
    defer { lab.close() }
    try lab.perform(scenario.setup)
    let addresses = Lab.general + scenario.targets
    let stream = try PacketStream(
      to: addresses.map(\.octets), from: lab.machine, into: lab.world, every: 500)
    defer { stream.stop() }
    // The far end may take a second to notice a carrier.
    usleep(1_200_000)
    let targets = [.defaultRoute] + addresses.map { ReachabilityTarget(.address($0)) }
    let monitor = try lab.machine.run { try ReachabilityMonitor() }
    let before = try Self.fates(of: stream, count: addresses.count)
    let script = (["set -e"] + commands.compactMap(\.1)).joined(separator: "\n")
    let copy = try lab.machine.run {
      try NetworkRehearsal(of: targets, targets.map(monitor.currentStatus(of:)), monitor: monitor)
    }
    var output: [UInt8] = []
    let end = try copy.run(["sh", "-c", script]) { output += $0 }
    guard end == .exited(0) else {
      let text = String(decoding: output, as: UTF8.self).split(separator: "\n").joined(separator: "; ")
      obstacle = "fails in the copy: \(text)"
      return
    }
    let differences = copy.differences()
    guard try Self.fates(of: stream, count: addresses.count) == before else {
      failure = "the rehearsal changed the real network"
      return
    }
    try lab.perform(scenario.change)
    usleep(useconds_t(scenario.settling) * 1000)
    let after = try Self.fates(of: stream, count: addresses.count)
    changed = zip(before, after).count { $0 != $1 }
    for (place, item) in differences.targets.enumerated() {
      predictions.append(
        Prediction(
          target: item.target, status: item.after, doubt: item.doubt ?? differences.reservation(about: item),
          arrives: after[place], real: monitor.currentStatus(of: item.target)))
    }
  }

  /// Whether packets arrive: those of the network in general, then those for each address.
  private static func fates(of stream: PacketStream, count: Int) throws -> [Bool] {
    let single = Truth(stream, general: 0)
    return [try Truth(stream, general: Lab.general.count).settled(0)]
      + (try (1...count).map { try single.settled($0) })
  }
}

extension RehearsalDifferences {
  /// Why a target may be lost nonetheless that is reachable in the copy.
  fileprivate func reservation(about target: Target) -> String? {
    if isOutdated { return "the network changed meanwhile" }
    return target.after.isReachable ? caveats.first : nil
  }
}

// MARK: - All of them

extension Rehearsal {
  /// Rehearses and makes the changes of scenarios, prints what was predicted and what packets did, and returns whether
  /// nothing was wrong.
  static func compare(_ scenarios: [Scenario], jobs: Int) -> Bool {
    let rehearsals = scenarios.concurrentMap(jobs: jobs) { Rehearsal($0) }
    say("verdict | scenario | change | prediction | truth")
    for rehearsal in rehearsals { say(rehearsal.row) }
    let predictions = rehearsals.flatMap(\.predictions)
    say("\(rehearsals.count) changes: \(counts(rehearsals.map(\.verdict)))")
    say(
      "\(predictions.count) predictions: \(counts(predictions.map(\.verdict))); "
        + "\(rehearsals.map(\.changed).reduce(0, +)) of them about packets whose fate the change decides")
    let doubts = Dictionary(grouping: predictions.filter { $0.verdict == .unknown }) {
      $0.doubt ?? "\($0.status)"
    }
    for (doubt, items) in doubts.sorted(by: { $0.value.count > $1.value.count }) {
      say("unknown, \(items.count): \(doubt)")
    }
    return !rehearsals.contains { $0.verdict == .wrong }
  }

  private static func counts(_ verdicts: [Verdict]) -> String {
    Verdict.allCases.map { verdict in "\(verdicts.count { $0 == verdict }) \(verdict.text)" }
      .joined(separator: ", ")
  }

  private var row: String {
    let results =
      (failure ?? obstacle).map { [$0] }
      ?? [Self.group(predictions, by: \.text), Self.group(predictions, by: \.truth)]
    return ([verdict.text, scenario.name, scenario.change.map(\.text).joined(separator: "; ")] + results)
      .joined(separator: " | ")
  }

  /// The targets behind what they have in common.
  private static func group(_ predictions: [Prediction], by text: (Prediction) -> String) -> String {
    let groups = Dictionary(grouping: predictions, by: text)
    return groups.sorted { $0.key < $1.key }.map { text, items in
      groups.count == 1 ? text : "\(text): \(items.map { $0.target.description }.joined(separator: ", "))"
    }.joined(separator: "; ")
  }
}
