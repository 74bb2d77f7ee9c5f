// SPDX-License-Identifier: Apache-2.0
extension Row {
  static let addresses = Row(
    name: "addresses",
    summary:
      "the whole process `reachability check ADDRESS` where a link has 8,000 addresses, against `ip address`"
  ) { bench in
    guard let command = bench.command else { return [.missing("check with 8,000 addresses, whole process")] }
    // Not more: the kernel's time to add them grows with their square, a minute for 32,000.
    let network = Network()
    network.addAddresses(8000)
    let ours = [command, "check", Network.address]
    return network.inside {
      let count = bench.amount(20, quick: 5)
      let series = bench.contest(
        rounds: bench.amount(9, quick: 3),
        [{ runs(ours, count) }, { runs(["ip", "address", "show"], count) }])
      return [
        Line("check, 8,000 addresses, and ip address", .milliseconds, series[0], series[1], goal: 1.3)
      ]
    }
  }
}
