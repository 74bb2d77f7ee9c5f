// SPDX-License-Identifier: Apache-2.0
import Glibc

extension Row {
  static let check = Row(
    name: "check", summary: "the whole process `reachability check ADDRESS`, against `ip route get ADDRESS`"
  ) { bench in
    guard let command = bench.command else { return [.missing("check ADDRESS, whole process")] }
    let (ours, peer) = ([command, "check", Network.address], ["ip", "route", "get", Network.address])
    return Network().inside {
      let count = bench.amount(100, quick: 20)
      let series = bench.contest(
        rounds: bench.amount(9, quick: 3), [{ runs(ours, count) }, { runs(peer, count) }])
      let sizes = bench.contest(
        rounds: bench.amount(5, quick: 2), [{ [peak(of: ours)] }, { [peak(of: peer)] }])
      var size = Line("the same, peak memory", .kibibytes, sizes[0], sizes[1])
      size.goal = .value(8192)
      return [
        Line("check ADDRESS, and ip route get ADDRESS", .milliseconds, series[0], series[1], goal: 1.3), size,
      ]
    }
  }
}

/// Returns the peak memory of a command, in bytes.
private func peak(of words: [String]) -> Int64 {
  let child = Child([Child.folder + "/peak"] + words)
  defer { child.stop() }
  return child.numbers()[0] * 1024
}
