// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import SearchSupport

/// Walks through networks, as the command line says.
struct WalkSearch: Search {
  var seed: UInt64 = 1
  /// Whether a seed was given.
  private var hasSeed = false
  /// The first lab; each lab has a separate walk of the same seed.
  var lab = 0
  private var steps: Int?
  private var seconds: Double?
  var isVerbose = false
  /// Whether packets alone judge, in a network with two uplinks.
  private var isOfUplinks = false
  /// Whether each step is rehearsed before.
  private var isRehearsed = false
  /// Whether to go on with the next lab after a disagreement.
  var keepsGoing = false

  static let description = CommandDescription(
    of: "scripts/search walk",
    """
    Walks at random through network namespaces, and compares the library with iproute2, with sockets and with packets. A \
    disagreement prints the commands that reproduce it.
    """,
    success: "no disagreement", failure: "a disagreement",
    examples: [
      "--seed 7 --seconds 600": "Ten minutes of the walk of this seed.",
      "--uplinks": "A minute between two uplinks.",
    ])

  static var options: [SearchOption<WalkSearch>] {
    [
      .number("seed", "the walk; otherwise that of seed 1, then one of a random seed, for half the time each")
      {
        $0.seed = $1
        $0.hasSeed = true
      },
      .number("lab", "the first lab", default: "0") { $0.lab = $1 },
      .number("steps", "the number of steps") { $0.steps = $1 },
      .number("seconds", "the duration; 60 without a number of steps") { $0.seconds = Double($1 as Int) },
      .flag(
        "uplinks",
        "another walk: two uplinks whose routers fall silent, a tunnel, IPsec policies; packets alone judge"
      ) { $0.isOfUplinks = true },
      .flag("rehearse", "another walk: each step is rehearsed in a copy first, and both are compared") {
        $0.isRehearsed = true
      },
      .flag("keep-going", "print disagreements immediately, and continue with the next lab") {
        $0.keepsGoing = true
      },
      .flag("verbose", "print each command, and intermediate events of observers") { $0.isVerbose = true },
    ]
  }

  func run() throws -> Bool { try parts.allSatisfy { try $0.walk() } }

  /// The requested walks.
  private var parts: [WalkSearch] {
    var options = self
    if steps == nil, seconds == nil { options.seconds = 60 }
    guard !hasSeed else { return [options] }
    options.seconds = options.seconds.map { $0 / 2 }
    options.steps = steps.map { ($0 + 1) / 2 }
    var other = options
    other.seed = .random(in: 2..<1_000_000_000)
    return [options, other]
  }

  /// Whether a walk that began at a moment has taken its steps or its time.
  func isOver(_ steps: Int, since start: SuspendingClock.Instant) -> Bool {
    steps >= self.steps ?? .max
      || seconds.map { SuspendingClock.now >= start.advanced(by: .seconds($0)) } ?? false
  }

  /// The seed of a lab's steps.
  func seed(ofLab lab: Int) -> UInt64 { seed &* 1_000_003 &+ UInt64(lab) &* 7919 }

  /// Walks once and prints the result; returns whether there was no disagreement.
  private func walk() throws -> Bool {
    say("seed \(seed)")
    let start = SuspendingClock.now
    if isRehearsed {
      var walk = RehearsedWalk(self)
      let finding = try walk.run()
      say(walk.text(since: start))
      if let finding { say("\n\(finding)") }
      return finding == nil && walk.tally.disagreements == 0
    }
    if isOfUplinks {
      var walk = UplinkWalk(self)
      let finding = try walk.run()
      say(walk.tally.text(since: start, isOfUplinks: true))
      if let finding { say("\n\(finding)") }
      return finding == nil && walk.tally.disagreements == 0
    }
    var walk = Walk(self)
    let finding = try walk.run()
    say(walk.tally.text(since: start))
    guard let finding else { return walk.tally.disagreements == 0 }
    say("\n\(finding.text(seed: seed))\n\nShrinking …")
    var shrinker = Shrinker(finding, within: .seconds(60))
    if try shrinker.run() {
      say("To reproduce:\n\n\(shrinker.script())\n")
    } else {
      say("Not reproducible by itself. All commands:\n\n\(shrinker.script())\n")
    }
    say(Self.again("--seed \(seed) --lab \(finding.lab) --steps \(finding.steps.count)"))
    return false
  }
}
