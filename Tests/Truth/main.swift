// The league table: programs that say whether the network is usable, compared with packets.
//
// Each trial is one competitor in one scenario: a network namespace (the machine), whose cables end in another one (the
// world). All the time a sender connects new sockets to addresses that only default routes lead to, and sends a numbered
// packet from each, as users' programs do. The network is usable if these packets arrive in the world (`Truth`). The
// competitor is asked before and after a change, and its reports are timed (`Trial`).
//
// What no program can know without sending does not occur: a gateway that is up and forwards nothing, a server that is
// down, a firewall.
#if os(Linux)
import Foundation
import LiveSupport
import Synchronization

/// Runs all trials, several at once, and prints a line about each that went wrong.
private func compete(_ competitors: [Competitor], in scenarios: [Scenario], jobs: Int) -> [Trial] {
  let pairs = scenarios.flatMap { scenario in competitors.map { (scenario, $0) } }
  let state = Mutex<(next: Int, trials: [Int: Trial])>((0, [:]))
  let ended = DispatchSemaphore(value: 0)
  // Trials mostly wait, so there may be more of them than processors.
  for _ in 0..<jobs {
    Thread.detachNewThread {
      while let position = state.withLock({ state in
        state.next += 1
        return state.next <= pairs.count ? state.next - 1 : nil
      }) {
        let (scenario, competitor) = pairs[position]
        let trial = Trial(competitor, scenario)
        let count = state.withLock { state in
          state.trials[position] = trial
          return state.trials.count
        }
        for fault in trial.failure.map({ ["not measured: \($0)"] }) ?? trial.faults {
          say("\(scenario.name): \(competitor.name): \(fault)")
        }
        if count % 50 == 0 { say("\(count) of \(pairs.count) trials") }
      }
      ended.signal()
    }
  }
  for _ in 0..<jobs { ended.wait() }
  return state.withLock { state in pairs.indices.compactMap { state.trials[$0] } }
}

private func read(_ path: String) throws -> League {
  try JSONDecoder().decode(League.self, from: Data(contentsOf: URL(filePath: path)))
}

private func write(_ league: League, _ options: Options) throws {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  if let path = options.json { try encoder.encode(league).write(to: URL(filePath: path)) }
  if let path = options.page { try Page(league).text.write(toFile: path, atomically: true, encoding: .utf8) }
  if let path = options.picture {
    try Picture(league).text.write(toFile: path, atomically: true, encoding: .utf8)
  }
}

NetworkProgram.main(usage: Options.usage) { words in
  let options = try Options(&words)
  let scenarios = try options.selection()
  if options.isListing {
    scenarios.forEach { say($0.name) }
    return true
  }
  if options.printsCommands {
    scenarios.forEach { say(Page.commands(for: $0) + "\n") }
    return true
  }
  if let path = options.results {
    try write(read(path), options)
    return true
  }
  NetworkProgram.requireNamespaces()
  let competitors = try options.competitors()
  say("\(competitors.count) competitors, \(scenarios.count) scenarios")
  var league = League(competitors, absent: options.absent, scenarios, trialsAtOnce: options.jobs)
  league.trials = compete(competitors, in: scenarios, jobs: options.jobs)
  if options.measuresCosts { league.costs = try Cost.measure(competitors) }
  for competitor in competitors {
    say("\(competitor.title): \(Page.line(league.summary(of: competitor.name)))")
  }
  try write(options.update.map { try read($0).updated(by: league) } ?? league, options)
  return league.summary(of: "reachability").isPerfect
}
#endif
