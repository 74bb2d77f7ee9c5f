import CRaw
import ReachabilityKit

extension Row {
  static let lookup = Row(
    name: "lookup",
    summary: "status(of:) of one address, against one RTM_GETROUTE, send and receive; sequentially"
  ) { bench in
    Network().inside {
      let monitor = openMonitor()
      let target = target(Network.address)
      let count = bench.amount(20_000, quick: 2000)
      let series = bench.contest(
        rounds: bench.amount(15, quick: 3),
        [
          {
            (0..<count).map { _ in
              let before = raw_now()
              let status = monitor.status(of: target)
              let after = raw_now()
              precondition(status.isReachable)
              return after - before
            }
          },
          { samples(count) { raw_lookups(Network.address, count, $0) } },
        ])
      return [
        Line("status(of:), one address", .microseconds, series[0], series[1], goal: 1.15),
        Line("the same, 99th percentile", .microseconds, series[0], series[1], by: \.slow),
      ]
    }
  }
}
