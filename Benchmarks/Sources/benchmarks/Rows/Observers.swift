// SPDX-License-Identifier: Apache-2.0
import CRaw
import Dispatch
import Glibc
import ReachabilityKit

private let observerCount = 1000

extension Row {
  static let observers = Row(
    name: "observers",
    summary: "1,000 observers of one address: from the change to the last handler, and the lookups"
  ) { bench in
    func compare(_ what: String, queues: Int) -> Line {
      let numbers = [String(observerCount), String(queues)]
      let contenders = [Child.Role.queueHandlers, .queueReceiver].map { role in
        Contender(printsTime: true) { Child(role, numbers) }
      }
      let series = bench.contest(
        rounds: bench.amount(9, quick: 3),
        contenders.map { one in { one.time(bench.amount(50, quick: 10), rest: 2) } })
      return Line("the last of 1,000 handlers, \(what)", .microseconds, series[0], series[1], goal: 2)
    }
    return [
      compare("on one queue", queues: 1),
      compare("each on its queue", queues: observerCount),
      Line("lookups for one change", .count, Network().inside(countLookups), goal: 1),
    ]
  }
}

/// Returns the number of lookups for one change.
private func countLookups() -> Double {
  let (monitor, queue, tally) = (openMonitor(), DispatchQueue(label: "observers"), Tally())
  let observations = (0..<observerCount).map { _ in
    monitor.observe(target(Network.changing), on: queue) { _ in tally.add() }
  }
  defer { observations.forEach { $0.cancel() } }
  wait(for: "the first statuses") { tally.count == observerCount }
  usleep(50_000)
  let changer = raw_open_changer()
  defer { close(changer) }
  raw_count_lookups(1)
  defer { raw_count_lookups(0) }
  _ = raw_change(changer, 1)
  wait(for: "the last handler") { tally.count == 2 * observerCount }
  usleep(50_000)
  let count = raw_counted_lookups()
  _ = raw_change(changer, 0)
  wait(for: "the last handler") { tally.count == 3 * observerCount }
  return Double(count)
}
