import CRaw
import Dispatch
import Glibc
import ReachabilityKit

/// Times changes of a route from the request until all given observers received them.
func timeHandlers(_ monitor: ReachabilityMonitor, on queues: [DispatchQueue], _ count: Int) -> [Int64] {
  let tally = Tally()
  let handler: @Sendable (ReachabilityEvent) -> Void = { _ in tally.add() }
  let observations = queues.map { monitor.observe(target(Network.changing), on: $0, handler: handler) }
  defer { observations.forEach { $0.cancel() } }
  wait(for: "the first status") { tally.count == queues.count }
  let changer = raw_open_changer()
  defer { close(changer) }
  return (0..<count).map { index in
    usleep(200)
    let sent = raw_change(changer, index % 2 == 0 ? 1 : 0)
    wait(for: "a handler") { tally.count == queues.count * (index + 2) }
    return tally.time - sent
  }
}

private let handOverQueue = DispatchQueue(label: "yardstick")

/// Times changes of a route until another program has reported them.
///
/// - Parameter printsTime: Whether it prints the time of receipt; otherwise the arrival of its line counts.
private func timeLines(of child: Child, printsTime: Bool, _ count: Int) -> [Int64] {
  let changer = raw_open_changer()
  defer { close(changer) }
  return (0..<count).map { index in
    usleep(500)
    while child.hasMore(within: 0) { _ = child.line() }
    let sent = raw_change(changer, index % 2 == 0 ? 1 : 0)
    let line = child.line()
    let now = raw_now()
    return (printsTime ? Int64(line) ?? now : now) - sent
  }
}

extension Row {
  static let latency = Row(
    name: "latency", summary: "a route changes: from the request to the handler on a queue"
  ) { bench in
    Network().inside {
      let monitor = openMonitor()
      let queue = DispatchQueue(label: "benchmark")
      let count = bench.amount(1000, quick: 200)
      let rounds = bench.amount(9, quick: 3)
      func ours() -> [Int64] { timeHandlers(monitor, on: [queue], count) }
      let series = bench.contest(
        rounds: rounds,
        [
          ours,
          { samples(count) { raw_events(count, $0) { handOverQueue.async { raw_handed_over() } } } },
          { samples(count) { raw_events(count, $0, nil) } },
        ])
      var lines = [
        Line("change to handler, and recv with a queue", .microseconds, series[0], series[1], goal: 1.3),
        Line("the same, 99th percentile", .microseconds, series[0], series[1], by: \.slow, goal: 1.3),
        Line("the same, and recv that hands over to none", .microseconds, series[0], series[2]),
      ]
      func compare(_ what: String, _ child: Child, printsTime: Bool) {
        let peers = bench.contest(
          rounds: bench.amount(5, quick: 2),
          [
            { timeHandlers(monitor, on: [queue], count / 4) },
            { timeLines(of: child, printsTime: printsTime, count / 4) },
          ])
        child.stop()
        lines.append(Line("the same, and \(what)", .microseconds, peers[0], peers[1]))
      }
      let ip = Child(["ip", "-o", "monitor", "route"])
      waitForFirstLine(of: ip)
      compare("a line of ip monitor route", ip, printsTime: false)
      guard let gio = bench.gio else { return lines + [.missing("GNetworkMonitor's network-changed")] }
      let follower = Child([gio, "follow"])
      _ = follower.line()
      compare("GNetworkMonitor's network-changed", follower, printsTime: true)
      return lines
    }
  }
}

/// It does not announce when it begins to listen.
private func waitForFirstLine(of child: Child) {
  let changer = raw_open_changer()
  defer { close(changer) }
  repeat {
    _ = raw_change(changer, 1)
    _ = raw_change(changer, 0)
  } while !child.hasMore(within: 20)
}
