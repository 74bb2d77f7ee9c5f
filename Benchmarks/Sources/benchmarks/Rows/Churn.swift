import CRaw
import Dispatch
import Glibc
import Reachability
import Synchronization

extension Row {
  static let churn = Row(
    name: "churn", summary: "10,000 routes a second change that concern nobody, in a table of 1,000,000"
  ) { bench in
    let network = Network(routes: 1_000_000)
    let seconds = bench.amount(4, quick: 1)
    var (overruns, generator): (Int64, [[Double]]) = (0, [[], []])
    var (processor, latency) = ([Series(), Series()], [Series(), Series()])
    for _ in 0..<bench.amount(5, quick: 1) {
      for (index, role) in [Child.Role.follower, .filteredReceiver].enumerated() {
        let run = network.inside { ChurnRun(role, seconds: seconds) }
        processor[index].add([run.processor])
        latency[index].add(run.latencies)
        generator[index].append(run.generator)
        overruns += run.overruns
      }
    }
    let makers = generator.map { values in
      var series = Series()
      values.forEach { series.add([Int64($0)]) }
      return series
    }
    return [
      Line(
        "processor time a second, and of recv with a filter", .milliseconds, processor[0], processor[1],
        goal: 1.2),
      Line("processor time a second of who makes the changes", .milliseconds, makers[0], makers[1]),
      Line("a change that matters to its handler, and to recv", .microseconds, latency[0], latency[1]),
      Line("overruns", .count, Double(overruns), goal: 0),
    ]
  }
}

/// When something was heard that matters, in this process.
private let heard = Mutex<[Int64]>([])

/// What happened while routes changed that concern nobody.
private struct ChurnRun {
  /// Nanoseconds a second.
  var processor: Int64
  var generator: Double
  var latencies: [Int64] = []
  var overruns: Int64

  init(_ role: Child.Role, seconds: Int) {
    let listener = Child(role)
    _ = listener.numbers()
    let before = listener.ask()
    let churn = Child(.churn, ["10000", String(seconds)])
    _ = churn.numbers()
    let changer = raw_open_changer()
    // In the middle, with time to be heard.
    for index in 0..<10 {
      usleep(useconds_t(seconds * 80_000))
      let sent = raw_change(changer, index % 2 == 0 ? 1 : 0)
      usleep(10_000)
      latencies.append(sent)
    }
    close(changer)
    generator = Double(churn.numbers()[0]) / Double(seconds)
    churn.stop()
    let after = listener.ask()
    listener.stop()
    processor = (after[0] - before[0]) / Int64(seconds)
    overruns = after[1] - before[1]
    let heard = after[2...].suffix(latencies.count)
    guard heard.count == latencies.count else { fail("a change that matters was not heard") }
    latencies = zip(heard, latencies).map { $0 - $1 }
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

  /// Watches the default route and one address.
  static func playFollower() {
    let monitor = openMonitor()
    let queue = DispatchQueue(label: "follower")
    let tally = Tally()
    let observations = [
      monitor.observe(.defaultRoute, on: queue) { _ in tally.add() },
      monitor.observe(target(Network.changing), on: queue) { _ in
        tally.add()
        heard.withLock { $0.append(raw_now()) }
      },
    ]
    wait(for: "the first statuses") { tally.count >= 2 }
    tell(0)
    while true {
      waitForQuestion()
      let times = heard.withLock { $0 }.dropFirst()
      tell(numbers: [processorTime, Int64(monitor.diagnostics.overruns)] + times)
      if observations.isEmpty { return }
    }
  }

  static func playFilteredReceiver() {
    DispatchQueue.global().async {
      raw_receive_filtered(Address.changing) { heard.withLock { $0.append(raw_now()) } }
    }
    usleep(100_000)
    tell(0)
    while true {
      waitForQuestion()
      tell(numbers: [processorTime, 0] + heard.withLock { $0 })
    }
  }
}
