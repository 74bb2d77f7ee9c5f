// SPDX-License-Identifier: Apache-2.0
import CommandSupport
import Foundation
import LiveSupport
import SearchSupport

/// What a competitor costs.
struct Cost: Codable, Sendable {
  /// What it takes until the first answer, in a table of a certain size.
  struct Start: Codable, Sendable {
    var routes: Int
    /// Milliseconds; `nil` if there was no answer within two minutes.
    var time: Double?
    /// KiB, of the program and of the daemons that it asks; for programs that watch.
    var memory: Int?
  }

  /// What 1,000 unrelated changes of routes a second take, for a program that watches.
  struct Churn: Codable, Sendable {
    /// Milliseconds of processor time a second.
    var processorTime: Double
    /// Wakeups of its threads a second.
    var wakeups: Double
    /// Reports in ten seconds; none is due.
    var reports: Int
  }

  var competitor: String
  var starts: [Start] = []
  var churn: Churn?

  /// Measures some competitors, one after the other.
  static func measure(_ competitors: [Competitor]) throws -> [Cost] {
    var costs = competitors.map { Cost(competitor: $0.name) }
    for count in [10, 1_000_000] {
      let lab = try Lab()
      defer { lab.close() }
      try lab.perform(Network.v4)
      let batch = try CommandBatch(in: lab.machine)
      for first in stride(from: 0, to: count, by: 10_000) {
        _ = try batch.run(
          (first..<min(first + 10_000, count)).map { number in
            "route add \(20 + number / 65536).\(number / 256 % 256).\(number % 256).0/24 via 10.1.0.254 dev eth0"
          })
      }
      for (position, competitor) in competitors.enumerated() {
        say("cost of \(competitor.name) with \(count) routes")
        costs[position].starts.append(try start(competitor, lab.machine, routes: count))
        if count == 10 { costs[position].churn = try churn(competitor, lab.machine) }
      }
    }
    return costs
  }

  private static func start(_ competitor: Competitor, _ machine: NetworkNamespace, routes: Int) throws
    -> Start
  {
    var times: [Double] = []
    var memory: Int?
    // The median of five; of one where it takes seconds.
    while times.count < 5, (times.max() ?? 0) < 2000 {
      let begin = ContinuousClock.now
      let watcher = try Watcher(competitor, on: machine)
      defer { watcher.stop() }
      if watcher.begins(within: 120), let first = watcher.reports.first {
        times.append(begin.duration(to: first.time) / .milliseconds(1))
        usleep(200_000)
        memory = ProcessTree(of: watcher.program.process).memory
        continue
      }
      guard (try? watcher.program.finish(within: 0.1))?.status == 2 else { break }
      let again = ContinuousClock.now
      guard (try? Program(competitor.check(nil), in: machine).finish(within: 120)) != nil else { break }
      times.append(again.duration(to: .now) / .milliseconds(1))
    }
    return Start(routes: routes, time: times.quantile(50), memory: memory)
  }

  private static func churn(_ competitor: Competitor, _ machine: NetworkNamespace) throws -> Churn? {
    let watcher = try Watcher(competitor, on: machine)
    defer { watcher.stop() }
    guard watcher.begins(within: 60) else { return nil }
    usleep(useconds_t(competitor.settling + 1000) * 1000)
    let batch = try CommandBatch(in: machine)
    let tree = ProcessTree(of: watcher.program.process)
    let before = (tree.processorTime, tree.wakeups, watcher.reports.count)
    let begin = ContinuousClock.now
    for round in 0..<500 {
      let verb = round % 2 == 0 ? "add" : "del"
      _ = try batch.run((1...20).map { "route \(verb) 10.200.\($0).0/24 via 10.1.0.254 dev eth0" })
      let next = begin + .milliseconds(20 * (round + 1))
      while ContinuousClock.now < next { usleep(500) }
    }
    let seconds = begin.duration(to: .now) / .seconds(1)
    let after = (tree.processorTime, tree.wakeups, watcher.reports.count)
    return Churn(
      processorTime: Double(after.0 - before.0) / 1e6 / seconds,
      wakeups: Double(after.1 - before.1) / seconds,
      reports: after.2 - before.2)
  }
}
