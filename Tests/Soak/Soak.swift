// SPDX-License-Identifier: Apache-2.0
import Foundation
import InternetProtocol
import LiveSupport
import ReachabilityKit
import SearchSupport

/// The complete run.
struct Soak {
  private let options: SoakSearch
  private let network: SoakNetwork
  private let monitor: ReachabilityMonitor
  private let targets: [ReachabilityTarget]
  private let watchers: Watchers
  private let visitors: Visitors
  private let probe: Probe
  private let fence: Fence

  /// The number of changes in a tick, and the length of a tick.
  private static let (changes, tick) = (8, Duration.milliseconds(10))
  private static let fenceInterval = Duration.seconds(3)
  private static let fencesWithoutNames = 5

  init(_ options: SoakSearch) throws {
    self.options = options
    let network = try SoakNetwork()
    self.network = network
    var random = SeededGenerator(seed: options.seed)
    let targets = try Pool.targets(network.cables, &random)
    self.targets = targets
    let monitor = try network.host.run { try ReachabilityMonitor() }
    self.monitor = monitor
    // In the network, so that the monitor's thread reads the network's files.
    watchers = try network.host.run {
      Watchers(monitor, targets, paths: Pool.requirements, keepsHistory: false)
    }
    visitors = Visitors(monitor, targets, seed: options.seed &+ 1)
    probe = Probe(monitor, network, every: min(.seconds(1), options.duration / 100))
    fence = Fence(
      network: network, monitor: monitor, targets: targets, watchers: watchers, visitors: visitors)
  }

  /// Runs, and returns whether it passed.
  func run() throws -> Bool {
    var storm = try Storm(network, seed: options.seed &+ 2)
    try storm.prepare()
    var report = Report(options, targets.count)
    let start = ContinuousClock.now
    let end = start + options.duration
    var fences = 0
    var (nextFence, nextFlood) = (start + Self.fenceInterval, start + .seconds(7))
    while ContinuousClock.now < end, report.canGoOn {
      try storm.blow(Self.changes)
      rest(Self.tick)
      let now = ContinuousClock.now
      if now >= nextFlood {
        try storm.flood()
        nextFlood = now + .seconds(20)
      }
      guard now >= nextFence else { continue }
      fences += 1
      let areNamesDue = fences % Self.fencesWithoutNames == 0
      try check(areNamesDue ? storm.names : nil, &report)
      report.progress(totals(storm.changes, storm.refusals), probe)
      if areNamesDue { try storm.changeNames() }
      try storm.changeSettings()
      nextFence = .now + Self.fenceInterval
    }
    visitors.stop()
    probe.stop()
    try check(storm.names, &report)
    return report.finish(totals(storm.changes, storm.refusals), probe)
  }

  private func check(_ names: [String: [ReachabilityAddress]]?, _ report: inout Report) throws {
    let start = ContinuousClock.now
    report.note(fence: try fence.wrongs(names), took: start.duration(to: .now))
  }

  private func totals(_ changes: Int, _ refusals: Int) -> Totals {
    Totals(
      changes: changes, refusals: refusals, events: watchers.events + visitors.events,
      visitors: visitors.count,
      diagnostics: monitor.diagnostics, problems: watchers.problems.map(\.text) + visitors.problems)
  }
}

/// The counters of the run.
struct Totals {
  var changes: Int
  var refusals: Int
  var events: Int
  var visitors: Int
  var diagnostics: ReachabilityDiagnostics
  /// Events that broke the rules of delivery.
  var problems: [String]
}
