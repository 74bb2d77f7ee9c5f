// SPDX-License-Identifier: Apache-2.0
import CRaw
import ReachabilityKit

extension Row {
  static let lookup = Row(
    name: "lookup",
    summary:
      "status(of:) of one address and of the default route, against the same queries sent raw; sequentially"
  ) { bench in
    Network().inside {
      let monitor = openMonitor()
      func compare(_ name: String, _ target: ReachabilityTarget) -> [Line] {
        let count = bench.amount(20_000, quick: 2000)
        raw_count_lookups(1)
        precondition(monitor.currentStatus(of: target).isReachable)
        raw_count_lookups(0)
        let series = bench.contest(
          rounds: bench.amount(15, quick: 3),
          [
            {
              (0..<count).map { _ in
                let before = raw_now()
                let status = monitor.currentStatus(of: target)
                let after = raw_now()
                precondition(status.isReachable)
                return after - before
              }
            },
            { samples(count) { raw_repeat_lookups(count, $0) } },
          ])
        let remark = "queries: \(raw_counted_lookups())"
        return [
          Line("status(of:) of \(name)", .microseconds, series[0], series[1], goal: 1.15, remark: remark),
          Line("the same, 99th percentile", .microseconds, series[0], series[1], by: \.slow),
        ]
      }
      return compare("one address", target(Network.address)) + compare("the default route", .defaultRoute)
    }
  }
}
