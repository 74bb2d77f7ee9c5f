import Foundation

/// What the user asked for.
struct Arguments {
  var duration = Duration.seconds(600)
  var seed = UInt64.random(in: 1...999_999)

  static let usage = """
    Changes a network of its own several hundred times a second, watches 1,000 targets in it, and compares what was told
    with what is so whenever it holds still.

    Usage: scripts/soak [--minutes N | --seconds N] [--seed N]

    Exit status: 0 nothing was wrong, 1 a wrong status, a late event or growth beyond the bounds, 2 wrong usage or trouble,
    77 not tried, since there can be no network namespaces.

    """

  /// Reads the arguments after the program's name; throws a text that says what is wrong with them.
  init(_ words: some Collection<String>) throws(Mistake) {
    var rest = words[...]
    while let name = rest.popFirst() {
      guard ["--minutes", "--seconds", "--seed"].contains(name) else {
        throw Mistake(text: "'\(name)' is no option")
      }
      guard let text = rest.popFirst(), let number = UInt64(text), number > 0, number < 1_000_000_000 else {
        throw Mistake(text: "\(name) takes a whole number, from 1 to 999999999")
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
