// SPDX-License-Identifier: Apache-2.0
import CRaw
import ReachabilityKit

extension Row {
  static let startup = Row(
    name: "startup", summary: "from the start to the first status, with 10, 10,000 and 1,000,000 routes"
  ) { bench in
    let sizes = [10, 10_000, 1_000_000]
    let networks = sizes.map { bench.network(routes: $0) }
    let names = ["10", "10,000", "1,000,000"]
    var lines: [Line] = []

    func compare(
      _ what: String, _ unit: Line.Unit, goal: Double?, rounds: Int, _ time: @escaping () -> [Int64]
    ) {
      let series = bench.contest(rounds: rounds, networks.map { network in { network.inside(time) } })
      for index in 1..<sizes.count {
        lines.append(
          Line("\(what), \(names[index]) routes, and \(names[0])", unit, series[index], series[0], goal: goal)
        )
      }
    }

    compare("monitor and status", .microseconds, goal: 1.1, rounds: bench.amount(21, quick: 3)) {
      (0..<20).map { _ in
        let before = raw_now()
        let monitor = openMonitor()
        let status = monitor.currentStatus(of: target(Network.address))
        let after = raw_now()
        precondition(status.isReachable)
        return after - before
      }
    }
    if let command = bench.command {
      compare("check, whole process", .milliseconds, goal: 1.1, rounds: bench.amount(21, quick: 3)) {
        runs([command, "check", Network.address], 20)
      }
    } else {
      lines.append(.missing("check, whole process"))
    }
    if let gio = bench.gio {
      compare("GNetworkMonitor, whole process", .milliseconds, goal: nil, rounds: bench.amount(3, quick: 1)) {
        runs([gio, "check", Network.address], 1)
      }
    } else {
      lines.append(.missing("GNetworkMonitor, whole process"))
    }
    return lines
  }
}
