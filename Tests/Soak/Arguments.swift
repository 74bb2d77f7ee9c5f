import LiveSupport

/// The command line arguments.
struct Arguments {
  var duration = Duration.seconds(600)
  var seed = UInt64.random(in: 1...999_999)

  static let usage = """
    Changes a separate network several hundred times a second, observes 1,000 targets in it, and compares the delivered
    statuses with the present ones whenever the network is quiet.

    Usage: scripts/soak [--minutes N | --seconds N] [--seed N]

    Exit status: 0 no fault, 1 a wrong status, a late event or growth beyond the bounds, 2 invalid arguments or failed
    setup, 77 skipped, since no network namespace can be created.
    """

  /// Parses the arguments.
  init(_ words: inout NetworkProgram.Words) throws(NetworkProgram.Mistake) {
    while let word = words.next() {
      switch word {
      case "--minutes": duration = .seconds(try words.number(after: word, from: 1) * 60)
      case "--seconds": duration = .seconds(try words.number(after: word, from: 1))
      case "--seed": seed = try words.number(after: word, from: 1)
      default: throw NetworkProgram.Mistake("unknown option '\(word)'")
      }
    }
  }
}
