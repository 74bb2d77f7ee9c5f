#if os(Linux)
import InternetProtocol
import LiveSupport
import Reachability

/// Where our word and another one differ.
struct Disagreement: Error {
  enum Kind: Equatable {
    /// What we say when asked is not what iproute2 says.
    case oracle
    /// What we say when asked is not what the kernel makes of a socket.
    case socket
    /// What an observer was told last is not what we say when asked.
    case observer
    /// The events of an observer don't follow from each other.
    case events
  }

  var kind: Kind
  var target: Target
  /// What each side says, and what it was asked.
  var lines: [String]

  /// Whether this is about the same as another one.
  func isLike(_ other: Disagreement) -> Bool { kind == other.kind && target == other.target }
}

/// A lab with observers, in which steps are made and statuses compared.
final class Session {
  let lab: Lab
  private let watchers: Watchers
  var tally: Tally
  /// Whether to print what happens.
  let isVerbose: Bool

  /// How long the sides may differ at most.
  private let patience: Duration

  /// - Parameter number: The lab's number: in every other one, observers hear at once only of routes that matter.
  init(
    _ number: Int, setup: [Step] = Lab.setup, tally: Tally = Tally(), patience: Duration = .seconds(3),
    isVerbose: Bool = false
  ) throws {
    lab = try Lab(setup, strayLimit: number % 2 == 0 ? 0 : .max)
    self.tally = tally
    self.patience = patience
    self.isVerbose = isVerbose
    watchers = Watchers(lab.monitor, Targets.watched)
  }

  deinit {
    watchers.cancel()
  }

  func perform(_ step: Step) throws {
    let refusals = try lab.perform(step)
    tally.steps += 1
    tally.commands += step.commands.count
    tally.refusals += refusals.count
    guard isVerbose else { return }
    for command in step.commands {
      let refusal = refusals.first { $0.command == command }.map { "   # \($0.refusal)" } ?? ""
      say("  \(command.line)\(refusal)")
    }
  }

  // MARK: Observers

  /// Waits until all observers know what is so now.
  func settle() throws {
    let start = SuspendingClock.now
    let delays = watchers.settle(within: patience)
    tally.longestDelay = max(tally.longestDelay, start.duration(to: .now))
    if let delay = delays.first {
      throw Disagreement(
        kind: .observer, target: delay.target,
        lines: [
          "told last:     \(delay.told.map(Self.describe) ?? "nothing")",
          "asked freshly: \(Self.describe(delay.present))",
        ])
    }
    if let problem = watchers.problems.first {
      throw Disagreement(kind: .events, target: problem.target, lines: [problem.text])
    }
    let told = watchers.takeTold()
    for (target, statuses) in told where statuses.count > 1 {
      tally.events += statuses.count - 1
      if isVerbose, statuses.count > 2 {
        say("    \(target): \(statuses.map(Self.describe).joined(separator: " -> "))")
      }
    }
  }

  // MARK: Questions

  /// Compares what we say of targets with what iproute2 and sockets say.
  func compare(_ targets: [Target]) throws {
    tally.comparisons += targets.count
    let start = SuspendingClock.now
    var differing = try differences(targets)
    guard !differing.isEmpty else { return }
    tally.late += differing.count
    if isVerbose {
      for difference in differing {
        say("    late? \(difference.target): \(difference.lines.joined(separator: "; "))")
      }
    }
    while !differing.isEmpty {
      if start.duration(to: .now) > patience { throw differing[0] }
      watchers.waitForNews()
      differing = try differences(differing.map(\.target))
    }
    tally.longestDelay = max(tally.longestDelay, start.duration(to: .now))
  }

  private func differences(_ targets: [Target]) throws -> [Disagreement] {
    let before = targets.map(lab.monitor.status(of:))
    let evidence = try Evidence(about: targets, in: lab)
    let after = targets.map(lab.monitor.status(of:))
    let oracle = Oracle(evidence)
    var found: [Disagreement] = []
    for (position, target) in targets.enumerated() {
      let ours = after[position]
      var other = oracle.status(of: target)
      // One way or the other, when there are several: which of both look-ups tells depends on rules.
      if ours != other, oracle.hasSeveralWays(target) {
        other = Oracle(evidence, looksTwice: true).status(of: target)
      }
      tally.states[ours.reason?.rawValue ?? ours.state.rawValue, default: 0] += 1
      let socket = evidence.socket(target)
      let lines = [
        "ours:     \(Self.describe(ours))", "iproute2: \(Self.describe(other))",
        "socket:   \(socket?.text ?? "not asked")",
      ]
      // When the network changed meanwhile, neither side is wrong.
      if before[position] != ours || ours != other {
        let lines = lines + evidence.transcript(target)
        found.append(Disagreement(kind: .oracle, target: target, lines: lines))
      } else if let socket {
        tally.sockets += 1
        guard let complaint = socket.complaint(about: ours, of: target, oracle.hasSeveralWays(target)),
          ours.isReachable || !oracle.isBeyondAsking(target)
        else { continue }
        let lines = lines + [complaint] + evidence.transcript(target)
        found.append(Disagreement(kind: .socket, target: target, lines: lines))
      }
    }
    return found
  }

  static func describe(_ status: Status) -> String {
    let names = status.flags.names
    return "\(status)" + (names.isEmpty ? "" : " [\(names.joined(separator: " "))]")
      + (status.interface.map { " #\($0.index)" } ?? "")
  }
}
#endif
