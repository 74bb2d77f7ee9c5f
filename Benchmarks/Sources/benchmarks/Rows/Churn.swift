// SPDX-License-Identifier: Apache-2.0
import CRaw
import Dispatch
import Glibc
import ReachabilityKit

extension Row {
  static let churn = Row(
    name: "churn", summary: "10,000 unrelated route changes a second, in a table of 1,000,000"
  ) { bench in
    let network = bench.network(routes: 1_000_000)
    let seconds = bench.amount(4, quick: 1)
    // A new table of this size reorganises itself during its first changes.
    _ = network.inside { ChurnRun(.filteredReceiver, seconds: 1) }
    var overruns: Int64 = 0
    var (processor, makers, latency) = ([Series(), Series()], [Series(), Series()], [Series(), Series()])
    let roles = [Child.Role.follower, .filteredReceiver]
    for round in 0..<bench.amount(5, quick: 1) {
      for index in round % 2 == 0 ? [0, 1] : [1, 0] {
        let run = network.inside { ChurnRun(roles[index], seconds: seconds) }
        processor[index].add([run.processor])
        makers[index].add([run.maker])
        latency[index].add(run.latencies)
        overruns += run.overruns
      }
    }
    return [
      Line(
        "processor time a second, and of recv with a filter", .milliseconds, processor[0], processor[1],
        goal: 2),
      Line("processor time a second of the process that changes", .milliseconds, makers[0], makers[1]),
      Line("a relevant change to its handler, and to recv", .microseconds, latency[0], latency[1], goal: 2),
      Line("overruns", .count, Double(overruns), goal: 0),
    ]
  }
}

/// The results of one contender while unrelated routes change.
private struct ChurnRun {
  /// The processor time a second, in nanoseconds, of the listener and of the process that makes the changes.
  let processor: Int64
  let maker: Int64
  /// The times from each relevant change to the listener.
  let latencies: [Int64]
  let overruns: Int64

  init(_ role: Child.Role, seconds: Int) {
    let listener = Child(role)
    _ = listener.numbers()
    let before = listener.ask()
    let churn = Child(.churn, ["10000", String(seconds)])
    _ = churn.numbers()
    let changer = raw_open_changer()
    latencies = (0..<10).map { index in
      usleep(useconds_t(seconds * 80_000))
      let sent = raw_change(changer, index % 2 == 0 ? 1 : 0)
      guard listener.hasMore(within: 5000) else { fail("\(role) did not receive a relevant change") }
      return listener.numbers()[0] - sent
    }
    close(changer)
    maker = churn.numbers()[0] / Int64(seconds)
    churn.stop()
    guard !listener.hasMore(within: 50) else { fail("\(role) received an unrelated change") }
    let after = listener.ask()
    listener.stop()
    processor = (after[0] - before[0]) / Int64(seconds)
    overruns = after[1] - before[1]
  }
}

extension Child {
  static func playChurn(_ rate: Int, _ seconds: Int) {
    tell(0)
    let before = processorTime
    raw_churn(rate, Double(seconds))
    tell(processorTime - before)
    waitForQuestion()
  }

  /// Observes the default route and one address, and reports changes of the latter.
  static func playFollower() {
    let monitor = openMonitor()
    let queue = DispatchQueue(label: "follower")
    let first = Tally()
    let observations = [
      monitor.observe(.defaultRoute, on: queue) { _ in first.add() },
      monitor.observe(target(Network.changing), on: queue) { event in
        if event.isInitial { first.add() } else { Child.tell(raw_now()) }
      },
    ]
    wait(for: "the first statuses") { first.count >= 2 }
    tell(0)
    while !observations.isEmpty {
      waitForQuestion()
      tell(processorTime, Int64(monitor.diagnostics.overruns))
    }
  }

  static func playFilteredReceiver() {
    let events = raw_open_filtered_events(Address.changing)
    DispatchQueue.global().async {
      while true {
        raw_receive(events)
        tell(raw_now())
      }
    }
    tell(0)
    while true {
      waitForQuestion()
      tell(processorTime, 0)
    }
  }
}
