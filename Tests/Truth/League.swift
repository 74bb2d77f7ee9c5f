// SPDX-License-Identifier: Apache-2.0
import Foundation
import SearchSupport

/// All results: what the JSON file contains.
struct League: Codable {
  struct Entry: Codable {
    var name: String
    var title: String
    var version: String
  }

  struct Case: Codable {
    var name: String
    var targets: [String]
    /// Commands for a shell, with the namespaces `machine` and `world`.
    var setup: [String]
    var change: [String]
  }

  var date: String
  var machine: String
  var trialsAtOnce: Int
  var competitors: [Entry]
  /// Competitors that are not installed, and why.
  var absent: [String]
  var scenarios: [Case]
  var trials: [Trial] = []
  var costs: [Cost] = []

  init(_ competitors: [Competitor], absent: [String], _ scenarios: [Scenario], trialsAtOnce: Int) {
    self.trialsAtOnce = trialsAtOnce
    date = String(ISO8601DateFormatter().string(from: Date()).prefix(10))
    var system = utsname()
    unsafe uname(&system)
    let release = unsafe withUnsafeBytes(of: system.release) {
      unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    let version = release.split(separator: ".").prefix(2).joined(separator: ".")
    machine = "\(ProcessInfo.processInfo.activeProcessorCount) processors, Linux \(version)"
    self.competitors = competitors.map { Entry(name: $0.name, title: $0.title, version: $0.version) }
    self.absent = absent
    self.scenarios = scenarios.map { scenario in
      Case(
        name: scenario.name, targets: scenario.targets.map(\.description), setup: scenario.setup.map(\.shell),
        change: scenario.change.map(\.shell))
    }
  }

  /// These results, with newer ones in the place of those of the same competitors in the same scenarios, and with the
  /// newer results' scenarios in the order of the list; new competitors follow the others.
  func updated(by newer: League) -> League {
    var league = self
    let cases = newer.scenarios + scenarios
    league.scenarios = Scenarios.all.compactMap { scenario in cases.first { $0.name == scenario.name } }
    league.competitors += newer.competitors.filter { entry in !competitors.contains { $0.name == entry.name }
    }
    let measured = Set(newer.trials.map { [$0.competitor, $0.scenario] })
    league.trials = trials.filter { !measured.contains([$0.competitor, $0.scenario]) } + newer.trials
    let weighed = Set(newer.costs.map(\.competitor))
    league.costs = costs.filter { !weighed.contains($0.competitor) } + newer.costs
    return league
  }

  func trials(of competitor: String) -> [Trial] { trials.filter { $0.competitor == competitor } }

  func trial(of competitor: String, in scenario: String) -> Trial? {
    trials.first { $0.competitor == competitor && $0.scenario == scenario }
  }

  func summary(of competitor: String) -> Summary { Summary(trials(of: competitor)) }
}

/// One row of the table.
struct Summary {
  /// Answers about the network in general.
  var general = (correct: 0, all: 0)
  /// Answers about single targets; none if the competitor cannot be asked about them.
  var targets = (correct: 0, all: 0)
  var changes = 0
  var isWatching = false
  var seen = 0
  var idleReports = 0
  var failures = 0
  private var delays: [Double] = []

  init(_ trials: [Trial]) {
    for trial in trials {
      guard trial.failure == nil else {
        failures += 1
        continue
      }
      for verdict in trial.verdicts {
        if verdict.target == nil {
          general.all += 1
          if verdict.isCorrect { general.correct += 1 }
        } else if verdict.answer != nil {
          targets.all += 1
          if verdict.isCorrect { targets.correct += 1 }
        }
      }
      guard trial.isWatching else { continue }
      isWatching = true
      if trial.hasChange { changes += 1 }
      if trial.isSeen { seen += 1 }
      idleReports += trial.idleReports
      if let delay = trial.delay { delays.append(max(delay, 0)) }
    }
  }

  var medianDelay: Double? { delays.quantile(50) }
  var worstDelay: Double? { delays.max() }

  /// Whether nothing is wrong.
  var isPerfect: Bool {
    general.correct == general.all && targets.correct == targets.all && seen == changes && idleReports == 0
      && failures == 0
  }
}

extension Trial {
  /// What was wrong, in words; empty if nothing was, or the trial failed.
  var faults: [String] {
    guard failure == nil else { return [] }
    var faults = verdicts.filter { !$0.isCorrect && ($0.target == nil || $0.answer != nil) }.map { verdict in
      let answer = verdict.answer.map { $0 ? "usable" : "unusable" } ?? "no answer"
      return
        "\(verdict.target ?? "the network") \(verdict.isAfterChange ? "after" : "before") the change: \(answer)"
    }
    if isWatching, hasChange, !isSeen { faults.append("change not reported") }
    if idleReports > 0 { faults.append("\(idleReports) reports without a change") }
    return faults
  }
}
