// SPDX-License-Identifier: Apache-2.0
import CRaw
import Glibc

extension Row {
  static let touched = Row(
    name: "touched",
    summary:
      "a route changes for 1, 10 or 100 of 100 to 100,000 observed addresses: from the request to the last handler"
  ) { bench in
    let sizes = [100, 1000, 10_000, 100_000]
    let networks = sizes.map { _ in Network() }
    let crowds = zip(networks, sizes).map { network, size in network.inside { Crowd(of: size) } }
    // The prefix lengths that contain so many of the targets.
    let prefixes = [(1, 32), (10, 28), (100, 24)]
    var lines: [Line] = []
    for (touched, length) in prefixes {
      let series = bench.contest(
        rounds: bench.amount(11, quick: 3),
        zip(networks, crowds).map { network, crowd in
          { network.inside { timeRoutes(crowd, touched, length, bench.amount(40, quick: 10)) } }
        })
      for index in 1..<sizes.count {
        let isLast = index == sizes.count - 1
        lines.append(
          Line(
            "\(touched) of \(sizes[index]) addresses, and of \(sizes[0])", .microseconds, series[index],
            series[0],
            goal: touched == 1 && isLast ? 2 : nil))
      }
    }
    return lines
  }
}

/// Times changes of a route that affects the given number of targets.
private func timeRoutes(_ crowd: Crowd, _ touched: Int, _ length: Int, _ count: Int) -> [Int64] {
  let changer = raw_open_changer()
  defer { close(changer) }
  return (0..<count).map { index in
    usleep(500)
    let before = crowd.tally.count
    let sent = raw_change_route(changer, Crowd.address(0), CInt(length), blackhole, index % 2 == 0 ? 1 : 0)
    wait(for: "the last handler") { crowd.tally.count >= before + touched }
    return crowd.tally.time - sent
  }
}
