// SPDX-License-Identifier: Apache-2.0
import CRaw

extension Row {
  static let watch = Row(
    name: "watch",
    summary:
      "a route of 1,000 addresses changes: the lines of `reachability watch`, against as many of `ip monitor`"
  ) { bench in
    let label = "1,000 lines of watch, and of ip monitor"
    guard let command = bench.command else { return [.missing(label)] }
    // 10.5.0.0.
    let (first, count): (UInt32, _) = (0x0a05_0000, 1000)
    let addresses = (0..<count).map { Address.text(first + UInt32($0)) }
    let contenders = [
      Contender(printsTime: false, lines: count, change: { raw_change_route($0, first, 16, blackhole, $1) }) {
        Child([command, "watch"] + addresses)
      },
      Contender(
        printsTime: false, isSilent: true, lines: count, change: { raw_change_routes($0, first, count, $1) }
      ) { Child(["ip", "monitor", "route"]) },
    ]
    let series = bench.contest(
      rounds: bench.amount(9, quick: 3),
      contenders.map { one in { one.time(bench.amount(20, quick: 4), rest: 20) } })
    return [Line(label, .milliseconds, series[0], series[1], goal: 2)]
  }
}
