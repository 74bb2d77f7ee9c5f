// SPDX-License-Identifier: Apache-2.0
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
import CommandLineSupport
import SearchSupport

/// Boots one machine after the other, as the command line says.
@main struct BootSearch: Search {
  var seed: UInt64 = 1
  var first = 0
  var boots = 100

  static let description = CommandDescription(
    of: "scripts/search boots",
    """
    Boots machines at random, and compares the moment at which 'reachability wait' opens with the arrival of packets. A \
    gate that is early, late or hanging prints the commands of its boot.
    """,
    success: "no gate was early, late or hanging", failure: "one was",
    examples: ["--boots 2000": "Some minutes."])

  static var options: [SearchOption<BootSearch>] {
    [
      .number("seed", "the boots", default: "1") { $0.seed = $1 },
      .number("first", "the number of the first boot", default: "0") { $0.first = $1 },
      .number("boots", "how many boots", default: "100") { $0.boots = $1 },
    ]
  }

  func run() throws -> Bool {
    say("seed \(seed), \(boots) boots")
    var tally = Tally()
    for number in first..<first + boots {
      let boot = try Boot(seed: seed, number: number)
      let outcome = try boot.run()
      tally.add(outcome)
      if let fault = outcome.fault {
        say("boot \(number): \(fault)\n\(boot.transcript)")
        say(Self.again("--seed \(seed) --first \(number) --boots 1"))
      }
      if tally.boots % 100 == 0 { say(tally.text) }
    }
    say(tally.text)
    return tally.faults == 0
  }
}
