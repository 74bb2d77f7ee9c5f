// SPDX-License-Identifier: Apache-2.0
import CRaw
import Dispatch
import Glibc
import ReachabilityKit

extension Row {
  static let storm = Row(
    name: "storm",
    summary:
      "100,000 routes change as fast as the kernel accepts it: from the last change to the right status"
  ) { bench in
    Network().inside {
      let monitor = openMonitor()
      let events = Tally()
      let observation = monitor.observe(target(Network.changing), on: DispatchQueue(label: "storm")) {
        event in
        if event.status.reason == .prohibited { events.add() }
      }
      defer { observation.cancel() }
      let changer = raw_open_changer()
      defer { close(changer) }
      var times: [Double] = []
      var rates: [Double] = []
      var overruns: [Double] = []
      for round in 0..<bench.amount(9, quick: 2) {
        let before = (time: raw_now(), overruns: monitor.diagnostics.overruns)
        let last = raw_storm(100_000)
        wait(for: "the status after the storm") { events.count > round }
        times.append(Double(events.time - last) / 1e6)
        rates.append(100_000 / (Double(last - before.time) / 1e9))
        overruns.append(Double(monitor.diagnostics.overruns - before.overruns))
        _ = raw_change_route(changer, Address.changing, 32, prohibit, 0)
        wait(for: "rest") { monitor.currentStatus(of: target(Network.changing)).isReachable }
        usleep(100_000)
      }
      return [
        Line("the right status after the last change", .milliseconds, median(times), goal: 50),
        Line("the same, the slowest round", .milliseconds, times.max(), goal: 50),
        Line("overruns in a storm", .count, median(overruns)),
        Line("changes a second that the kernel accepted", .count, median(rates)),
      ]
    }
  }
}
