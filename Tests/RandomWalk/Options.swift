#if os(Linux)
import LiveSupport

/// The command line options.
struct Options {
  var seed: UInt64 = Options.fixedSeed
  /// Whether a seed was given.
  private var hasSeed = false
  /// The first lab; each lab has a separate walk of the same seed.
  var lab = 0
  var steps: Int?
  var seconds: Double?
  var isVerbose = false
  /// Whether packets alone judge, in a network with two uplinks.
  var isOfUplinks = false
  /// Whether to go on with the next lab after a disagreement.
  var keepsGoing = false

  static let usage = """
    Usage: scripts/random-walk [--seed N] [--lab N] [--steps N] [--seconds N] [--uplinks] [--keep-going] [--verbose]

      --seed N     the walk; by default the walk of seed 1, then one of a random seed, for half the time each
      --lab N      the first lab (default 0)
      --steps N    the number of steps
      --seconds N  the duration (default 60 without a number of steps)
      --uplinks    another walk: two uplinks whose routers fall silent, a tunnel, IPsec policies; packets alone judge
      --keep-going print disagreements immediately, and continue with the next lab
      --verbose    print each command, and intermediate events of observers

    Exit status: 0 no disagreement, 1 a disagreement, 2 invalid arguments or failed setup, 77 skipped, since no network
    namespace can be created.
    """

  /// Parses the arguments.
  init(_ words: inout NetworkProgram.Words) throws(NetworkProgram.Mistake) {
    while let word = words.next() {
      switch word {
      case "--seed":
        seed = try words.number(after: word)
        hasSeed = true
      case "--lab": lab = try words.number(after: word)
      case "--steps": steps = try words.number(after: word)
      case "--seconds": seconds = Double(try words.number(after: word) as Int)
      case "--uplinks": isOfUplinks = true
      case "--keep-going": keepsGoing = true
      case "--verbose": isVerbose = true
      default: throw NetworkProgram.Mistake("unknown option '\(word)'")
      }
    }
    if steps == nil, seconds == nil { seconds = 60 }
  }

  private static var fixedSeed: UInt64 { 1 }

  /// Whether a walk that began at a moment has taken its steps or its time.
  func isOver(_ steps: Int, since start: SuspendingClock.Instant) -> Bool {
    steps >= self.steps ?? .max
      || seconds.map { SuspendingClock.now >= start.advanced(by: .seconds($0)) } ?? false
  }

  /// The seed of a lab's steps.
  func seed(ofLab lab: Int) -> UInt64 { seed &* 1_000_003 &+ UInt64(lab) &* 7919 }

  /// The requested walks.
  var parts: [Options] {
    guard !hasSeed else { return [self] }
    var half = self
    half.seconds = seconds.map { $0 / 2 }
    half.steps = steps.map { ($0 + 1) / 2 }
    var other = half
    other.seed = .random(in: 2..<1_000_000_000)
    return [half, other]
  }
}
#endif
