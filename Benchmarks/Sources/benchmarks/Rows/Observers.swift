import CRaw
import Dispatch
import Glibc
import ReachabilityKit
import Synchronization

private let observerCount = 1000
private let oneQueue = DispatchQueue(label: "one")
private let manyQueues = (0..<observerCount).map { DispatchQueue(label: "many \($0)") }
private let left = Atomic(0)

/// Calls closures on queues, and notes the time of the last one.
private func handOver(to queue: (Int) -> DispatchQueue) {
  left.store(observerCount, ordering: .relaxed)
  for index in 0..<observerCount {
    queue(index).async {
      if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { raw_handed_over() }
    }
  }
}

extension Row {
  static let observers = Row(
    name: "observers",
    summary: "1,000 observers of one address: from the change to the last handler, and the lookups"
  ) { bench in
    Network().inside {
      let monitor = openMonitor()
      let count = bench.amount(50, quick: 10)
      let rounds = bench.amount(9, quick: 3)
      let oneByOne = (0..<observerCount).map { _ in oneQueue }
      let together = bench.contest(
        rounds: rounds,
        [
          { timeHandlers(monitor, on: oneByOne, count) },
          { samples(count) { raw_events(count, $0) { handOver { _ in oneQueue } } } },
        ])
      let apart = bench.contest(
        rounds: rounds,
        [
          { timeHandlers(monitor, on: manyQueues, count) },
          { samples(count) { raw_events(count, $0) { handOver { manyQueues[$0] } } } },
        ])
      return [
        Line("the last of 1,000 handlers, on one queue", .microseconds, together[0], together[1], goal: 2),
        Line(
          "the last of 1,000 handlers, each on its queue", .microseconds, apart[0], apart[1], goal: 2),
        Line("lookups for one change", .count, lookups(monitor), goal: 1),
      ]
    }
  }
}

/// Returns the number of lookups for one change.
private func lookups(_ monitor: ReachabilityMonitor) -> Double {
  let tally = Tally()
  let observations = (0..<observerCount).map { _ in
    monitor.observe(target(Network.changing), on: oneQueue) { _ in tally.add() }
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
