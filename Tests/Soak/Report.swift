// SPDX-License-Identifier: Apache-2.0
import Foundation
import LiveSupport
import ReachabilityKit
import SearchSupport

/// The printed progress and the final verdict.
struct Report {
  private struct Sample {
    var time: ContinuousClock.Instant
    var usage: Usage
  }

  private let options: SoakSearch
  private let start = ContinuousClock.now
  private var fences = 0
  private var wrongs = 0
  private var slowestFence = Duration.zero
  private var samples: [Sample] = []
  private var nextLine: ContinuousClock.Instant
  private var lastChanges = 0

  /// The highest allowed growth from the first to the last part of the run.
  private static let (latencyBound, memoryBound, descriptorBound) = (3.0, 1.25, 4)
  private static let wrongLimit = 20

  init(_ options: SoakSearch, _ targets: Int) {
    self.options = options
    nextLine = start
    say("seed \(options.seed), \(targets) targets, \(Self.seconds(options.duration)) s")
  }

  /// Whether the limit of wrong statuses is not reached.
  var canGoOn: Bool { wrongs < Self.wrongLimit }

  /// The length of the first and the last part that are compared: a minute, or a quarter of a short run.
  private var part: Duration { min(.seconds(60), options.duration / 4) }

  mutating func note(fence wrong: [String], took time: Duration) {
    fences += 1
    wrongs += wrong.count
    slowestFence = max(slowestFence, time)
    for text in wrong.prefix(Self.wrongLimit) { say("WRONG  \(text)") }
  }

  mutating func progress(_ totals: Totals, _ probe: Probe) {
    let now = ContinuousClock.now
    let usage = Usage()
    samples.append(Sample(time: now, usage: usage))
    guard now >= nextLine else { return }
    nextLine = now + .seconds(10)
    let (latency, _) = probe.median(from: now - .seconds(10), to: now)
    say(
      """
      \(Self.seconds(start.duration(to: now))) s  changes \(totals.changes) (refused \(totals.refusals))  \
      events \(totals.events)  visitors \(totals.visitors)  fences \(fences)  overruns \(totals.diagnostics.overruns)  \
      wrong \(wrongs)  latency \(Self.microseconds(latency)) µs  memory \(usage.resident >> 10) KiB  \
      descriptors \(usage.descriptors)
      """)
  }

  /// Prints the totals, and returns whether the run passed.
  func finish(_ totals: Totals, _ probe: Probe) -> Bool {
    let end = ContinuousClock.now
    let taken = start.duration(to: end)
    let usage = Usage()
    let (first, firstCount) = probe.median(from: start, to: start + part)
    let (last, lastCount) = probe.median(from: end - part, to: end)
    let early = samples.filter { $0.time <= start + part }.map(\.usage)
    let late = samples.filter { $0.time >= end - part }.map(\.usage)
    let memory = (early.map(\.resident).max() ?? usage.resident, late.map(\.resident).max() ?? usage.resident)
    let descriptors = (
      early.map(\.descriptors).max() ?? usage.descriptors, late.map(\.descriptors).max() ?? usage.descriptors
    )
    let latencyRatio = first > .zero ? last / first : 1
    let memoryRatio = Double(memory.1) / Double(memory.0)

    for problem in totals.problems.prefix(Self.wrongLimit) { say("PROBLEM  \(problem)") }
    say(
      """

      in \(Self.seconds(taken)) s, \(Self.seconds(usage.time)) s of them processor time
      changes      \(totals.changes), \(Int(Double(totals.changes) / (taken / .seconds(1)))) a second; refused \(totals.refusals)
      events       \(totals.events), visitors \(totals.visitors)
      fences       \(fences), the slowest \(Self.microseconds(slowestFence) / 1000) ms
      lost         \(totals.diagnostics.overruns) overruns, tables read \(totals.diagnostics.tableReads) times, \
      unreadable \(totals.diagnostics.unreadableMessages), foreign \(totals.diagnostics.foreignMessages)
      latency      \(Self.microseconds(first)) µs at first (\(firstCount)), \(Self.microseconds(last)) µs at last \
      (\(lastCount)), ratio \(Self.rounded(latencyRatio)), bound \(Self.latencyBound)
      memory       \(memory.0 >> 10) KiB at first, \(memory.1 >> 10) KiB at last, ratio \(Self.rounded(memoryRatio)), \
      bound \(Self.memoryBound)
      descriptors  \(descriptors.0) at first, \(descriptors.1) at last, bound +\(Self.descriptorBound)
      undelivered  \(probe.missed)
      problems     \(totals.problems.count)
      wrong        \(wrongs)
      """)
    // A short run has few measurements, and .ci/run runs it beside the tests.
    let isLatencyGood = latencyRatio <= Self.latencyBound || taken < .seconds(60)
    let isGood =
      wrongs == 0 && totals.problems.isEmpty && probe.missed == 0 && isLatencyGood
      && memoryRatio <= Self.memoryBound && descriptors.1 <= descriptors.0 + Self.descriptorBound
    say(isGood ? "passed" : "FAILED, seed \(options.seed)")
    return isGood
  }

  private static func seconds(_ time: Duration) -> Int { Int(time / .seconds(1)) }
  private static func microseconds(_ time: Duration) -> Int { Int(time / .microseconds(1)) }
  private static func rounded(_ ratio: Double) -> Double { (ratio * 100).rounded() / 100 }
}
