#if os(Linux)
import LiveSupport

/// The command line options.
struct Options {
  var seed: UInt64 = 1
  var first = 0
  var boots = 100

  static let usage = """
    Usage: scripts/random-boots [--seed N] [--first N] [--boots N]

      --seed N   the boots; by default those of seed 1
      --first N  the number of the first boot (default 0)
      --boots N  how many boots (default 100)

    Exit status: 0 no gate was early, late or hanging; 1 one was; 2 invalid arguments or failed setup; 77 skipped, since no
    network namespace can be created.
    """

  /// Parses the arguments.
  init(_ words: inout NetworkProgram.Words) throws(NetworkProgram.Mistake) {
    while let word = words.next() {
      switch word {
      case "--seed": seed = try words.number(after: word)
      case "--first": first = try words.number(after: word)
      case "--boots": boots = try words.number(after: word)
      default: throw NetworkProgram.Mistake("unknown option '\(word)'")
      }
    }
  }
}
#endif
