import Foundation

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

  /// Parses the arguments after the program's name; throws a message about an invalid one.
  init(_ words: some Collection<String>) throws(Mistake) {
    var rest = words[...]
    while let name = rest.popFirst() {
      guard ["--minutes", "--seconds", "--seed"].contains(name) else {
        throw Mistake(text: "unknown option '\(name)'")
      }
      guard let text = rest.popFirst(), let number = UInt64(text), number > 0, number < 1_000_000_000 else {
        throw Mistake(text: "\(name) requires a whole number from 1 to 999999999")
      }
      switch name {
      case "--minutes": duration = .seconds(number * 60)
      case "--seconds": duration = .seconds(number)
      default: seed = number
      }
    }
  }

  struct Mistake: Error {
    var text: String
  }
}
