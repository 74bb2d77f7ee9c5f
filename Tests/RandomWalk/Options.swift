#if os(Linux)
/// What the command line asks for.
struct Options {
  var seed: UInt64 = Options.fixedSeed
  /// Whether a seed was named.
  private var hasSeed = false
  /// The first lab; of the same seed each lab has its own walk.
  var lab = 0
  var steps: Int?
  var seconds: Double?
  var isVerbose = false
  /// Whether to go on with the next lab after a disagreement.
  var keepsGoing = false

  static let usage = """
    Usage: scripts/random-walk [--seed N] [--lab N] [--steps N] [--seconds N] [--keep-going] [--verbose]

      --seed N     which walk; without this the walk of seed 1, then one of a random seed, for half the time each
      --lab N      begin with this lab of it (default 0)
      --steps N    end after so many steps
      --seconds N  end after so many seconds (default 60 if there is no number of steps)
      --keep-going print disagreements as they are, and go on with the next lab
      --verbose    print each command, and what observers are told in between

    Exit status: 0 all agreed, 1 a disagreement, 2 wrong usage or trouble, 77 not tried, since there can be no network
    namespaces.
    """

  /// Reads the words of the command line; throws a text that says what is wrong with them.
  init(_ words: some Sequence<String>) throws(Mistake) {
    var rest = words.makeIterator()
    while let word = rest.next() {
      switch word {
      case "--seed":
        seed = try Self.number(rest.next(), word)
        hasSeed = true
      case "--lab": lab = try Self.number(rest.next(), word)
      case "--steps": steps = try Self.number(rest.next(), word)
      case "--seconds": seconds = Double(try Self.number(rest.next(), word) as Int)
      case "--keep-going": keepsGoing = true
      case "--verbose": isVerbose = true
      default: throw Mistake(text: "'\(word)' is no option")
      }
    }
    if steps == nil, seconds == nil { seconds = 60 }
  }

  private static var fixedSeed: UInt64 { 1 }

  /// The walks that are asked for.
  var parts: [Options] {
    guard !hasSeed else { return [self] }
    var half = self
    half.seconds = seconds.map { $0 / 2 }
    half.steps = steps.map { ($0 + 1) / 2 }
    var other = half
    other.seed = .random(in: 2..<1_000_000_000)
    return [half, other]
  }

  struct Mistake: Error {
    var text: String
  }

  private static func number<Number: FixedWidthInteger>(
    _ text: String?, _ option: String
  ) throws(Mistake) -> Number {
    guard let text, let number = Number(text) else { throw Mistake(text: "\(option) takes a number") }
    return number
  }
}
#endif
