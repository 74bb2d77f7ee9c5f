#if os(Linux)
import LiveSupport

/// The command line options.
struct Options {
  var seed: UInt64 = 1
  var scenarios = 2000
  var worlds = 150
  var seconds = Int.max
  var kind: Scenario.Kind?
  var printsJSON = false
  var isVerbose = false

  static let usage = """
    Usage: scripts/random-traffic [--seed N] [--scenarios N] [--worlds N] [--seconds N] [--kind KIND] [--short] [--json] [--verbose]

      --seed N       the first scenario; the following ones have the next seeds (default 1)
      --scenarios N  how many scenarios (default 2000)
      --worlds N     how many scenarios at a time (default 150, at most 500)
      --seconds N    begin no scenario after this time
      --kind KIND    only scenarios of a kind, as the table names it; they keep their seeds
      --short        about a minute: 1500 scenarios in 150 worlds, for at most 60 seconds
      --json         print the numbers as JSON, and everything else to standard error
      --verbose      print every finding; by default 20 of each kind

    Exit status: 0 no answer contradicted the packets, and no strong stall was false; 1 one did or was; 2 invalid arguments
    or failed setup; 77 skipped, since no network namespace or no tunnel device can be created.
    """

  /// Parses the arguments.
  init(_ words: inout NetworkProgram.Words) throws(NetworkProgram.Mistake) {
    while let word = words.next() {
      switch word {
      case "--seed": seed = try words.number(after: word)
      case "--scenarios": scenarios = try words.number(after: word, from: 1)
      case "--worlds": worlds = min(try words.number(after: word, from: 1), 500)
      case "--seconds": seconds = try words.number(after: word)
      case "--kind":
        kind = Scenario.Kind(rawValue: try words.text(after: word))
        guard kind != nil else {
          let kinds = Scenario.Kind.allCases.map { "'\($0.rawValue)'" }
          throw NetworkProgram.Mistake("--kind takes one of \(kinds.joined(separator: ", "))")
        }
      case "--short": (scenarios, worlds, seconds) = (1500, 150, 60)
      case "--json": printsJSON = true
      case "--verbose": isVerbose = true
      default: throw NetworkProgram.Mistake("unknown option '\(word)'")
      }
    }
    worlds = min(worlds, scenarios)
  }
}
#endif
