// Random boots: machines whose links, carriers, addresses, routes and rules appear in random order, and partly
// disappear again, while `reachability wait` holds a gate closed.
//
// Each boot is a network namespace (the machine) with cables to another one (the world). The gate is the command, started
// before the machine has a link, with a socket of a service manager: its `READY=1` is the moment at which it opens. All the
// time a sender connects new sockets to two addresses of the world, one of each family, that only default routes lead to,
// and sends a numbered packet from each. Receivers in the world note which packets arrive.
//
// - A gate is early if the first packets that are sent after it has opened do not arrive.
// - A gate is late if all packets had arrived for more than 10 ms when it opened.
// - A gate hangs if it does not open within 5 s after the last step, by which the network is usable.
//
// A step that takes something away, or puts something in the way, may do so in the moment in which the gate opens. Such a
// gate is neither early nor late, and counted apart.
#if os(Linux)
import LiveSupport

NetworkProgram.main(usage: Options.usage) { words in
  let options = try Options(&words)
  NetworkProgram.requireNamespaces()
  say("seed \(options.seed), \(options.boots) boots")
  var tally = Tally()
  for number in options.first..<options.first + options.boots {
    let boot = try Boot(seed: options.seed, number: number)
    let outcome = try boot.run()
    tally.add(outcome)
    if let fault = outcome.fault {
      say("boot \(number): \(fault)\n\(boot.transcript)")
      say("Again: scripts/random-boots --seed \(options.seed) --first \(number) --boots 1")
    }
    if tally.boots % 100 == 0 { say(tally.text) }
  }
  say(tally.text)
  return tally.faults == 0
}
#endif
