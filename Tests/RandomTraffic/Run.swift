// SPDX-License-Identifier: Apache-2.0
import CRandomTraffic
import LiveSupport
import SearchSupport

/// A run of the program.
final class Run {
  private let options: TrafficSearch
  private var tally = Tally()
  private var counts: [Finding: Int] = [:]
  private var next: UInt64
  private var begun = 0
  private let start = traffic_now()
  private var progress = Pace(every: .seconds(15))

  init(_ options: TrafficSearch) {
    self.options = options
    next = options.seed
  }

  /// Returns whether the product made no mistake.
  func run() throws -> Bool {
    traffic_raise_limit()
    let parent = try NetworkNamespace()
    // Each world lists its own connections, as a machine does, and not those of all worlds.
    try? parent.writeSysctl("net/ipv4/tcp_child_ehash_entries", "1024")
    let server = try NetworkNamespace()
    try server.sh(
      """
      ip -batch - <<END
      link set lo up
      route add local 10.0.0.0/8 dev lo
      route add local fd09::/16 dev lo
      END
      """)
    try server.writeSysctl("net/ipv6/ip_nonlocal_bind", "1")
    for parameter in ["core/somaxconn", "ipv4/tcp_max_syn_backlog"] {
      try server.writeSysctl("net/\(parameter)", "8192")
    }
    // One world in eight shares the table of the system, with the connections of all others that do.
    let worlds = try (0..<min(options.worlds, options.scenarios)).map { number in
      try World(number, server: server, parent: number % 8 == 7 ? nil : parent)
    }
    remark("seed \(options.seed), \(options.scenarios) scenarios in \(worlds.count) worlds")
    try play(worlds, traffic_open_namespace(server.threadID))
    for world in worlds { world.close() }
    server.close()
    parent.close()
    say(options.printsJSON ? tally.json : tally.text)
    return tally.failures == 0
  }

  private func play(_ worlds: [World], _ server: Int32) throws {
    let poller = Poller(worlds.map(\.desk), threads: 2)
    defer { poller.stop() }
    // This thread moves between network namespaces from here on.
    let stage = try Stage(
      worlds, server: server, next: { _ in self.nextScenario() }, judge: { self.judge($0, $1, $2) })
    stage.run()
    if stage.failures > 0 { remark("\(stage.failures) sockets could not be opened") }
  }

  private func nextScenario() -> Scenario? {
    guard begun < options.scenarios, (traffic_now() - start) / 1_000_000_000 < options.seconds else {
      return nil
    }
    begun += 1
    var scenario = Scenario(seed: next)
    while let kind = options.kind, scenario.kind != kind {
      next += 1
      scenario = Scenario(seed: next)
    }
    next += 1
    return scenario
  }

  private func judge(_ world: World, _ player: Player, _ polls: [Desk.Poll]) {
    if world.record.isDisturbed || world.record.lag > 120_000_000 { return tally.addDisturbed() }
    let judge = Judge(world, player, polls)
    tally.add(judge.result)
    for (finding, text, cause) in judge.result.findings {
      counts[finding, default: 0] += 1
      guard options.isVerbose || counts[finding] ?? 0 <= 20 else { continue }
      remark(
        """
        \(finding.rawValue)\(cause.isEmpty ? "" : " [\(cause)]"): \(player.scenario.summary)
            \(text)
            \(TrafficSearch.again("--seed \(player.scenario.seed) --scenarios 1"))
        """)
    }
    if progress.isDue() { remark(tally.progress) }
  }
}
