// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import SearchSupport

/// Plays traffic, as the command line says.
@main struct TrafficSearch: Search {
  var seed: UInt64 = 1
  var scenarios = 2000
  var worlds = 150
  var seconds = Int.max
  var kind: Scenario.Kind?
  var printsJSON = false
  var isVerbose = false

  static let description = CommandDescription(
    of: "scripts/search traffic",
    """
    Plays random TCP traffic over a relay that delays, loses and drops packets, and compares the evidence with the \
    packets. A wrong answer prints the seed that repeats its scenario.
    """,
    success: "no answer contradicted the packets, and no strong stall was false", failure: "one did or was",
    examples: [
      "": "2000 scenarios, about a minute.",
      "--scenarios 100000": "Under an hour.",
    ])

  static var options: [SearchOption<TrafficSearch>] {
    [
      .flag("short", "about a minute: 1500 scenarios in 150 worlds, for at most 60 seconds") {
        ($0.scenarios, $0.worlds, $0.seconds) = (1500, 150, 60)
      },
      .number("seed", "the first scenario; the following ones have the next seeds", default: "1") {
        $0.seed = $1
      },
      .number("scenarios", "how many scenarios", default: "2000", from: 1) { $0.scenarios = $1 },
      .number("worlds", "how many scenarios at a time", default: "150", from: 1, to: 500) { $0.worlds = $1 },
      .number("seconds", "begin no scenario after this time") { $0.seconds = $1 },
      .choice("kind", "KIND", "only scenarios of a kind, as the table names it; they keep their seeds") {
        $0.kind = $1
      },
      .flag("json", "print the numbers as JSON, and everything else to standard error") {
        $0.printsJSON = true
      },
      .flag("verbose", "print every finding; otherwise 20 of each kind") { $0.isVerbose = true },
    ]
  }

  func run() throws -> Bool { try Run(self).run() }
}
