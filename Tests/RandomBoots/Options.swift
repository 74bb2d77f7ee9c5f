#if os(Linux)
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

  struct Mistake: Error {
    var text: String
  }

  /// Parses the arguments; throws a message about an invalid one.
  init(_ words: some Sequence<String>) throws(Mistake) {
    var rest = words.makeIterator()
    while let word = rest.next() {
      switch word {
      case "--seed": seed = UInt64(try Self.number(rest.next(), word))
      case "--first": first = try Self.number(rest.next(), word)
      case "--boots": boots = try Self.number(rest.next(), word)
      default: throw Mistake(text: "unknown option '\(word)'")
      }
    }
  }

  private static func number(_ text: String?, _ option: String) throws(Mistake) -> Int {
    guard let text, let number = Int(text), number >= 0 else {
      throw Mistake(text: "\(option) takes a whole number")
    }
    return number
  }
}
#endif
