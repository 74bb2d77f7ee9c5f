// SPDX-License-Identifier: Apache-2.0
import Foundation
import LiveSupport
import ReachabilityKit
import ReachabilityRehearsal
import SearchSupport

/// A random walk in which each step is rehearsed first: its predictions are compared with what the real step does.
///
/// Compared are the statuses of targets, the path, and about 20 TCP connections, by the places where their packets arrive. In
/// every third lab the command itself is asked, as an ordinary user.
struct RehearsedWalk {
  let options: WalkSearch
  private(set) var tally = Tally()
  /// The predictions that were unknown, by their reasons.
  private(set) var doubts: [String: Int] = [:]
  private var doubtedPaths = 0
  /// The predictions for connections.
  private var outcomes: [String: Int] = [:]
  /// The number of them whose packets arrived before.
  private var observed = 0
  private var unrehearsed = 0
  /// The steps with a command that failed in the copy alone, or in the real network alone.
  private var failures = 0
  private var longest = Duration.zero

  /// The longest time until the real network and its copy agree: the kernel performs some changes with a delay.
  private static let limit = Duration.seconds(3)

  init(_ options: WalkSearch) { self.options = options }

  /// Walks; returns the text of a disagreement, or `nil`.
  mutating func run() throws -> String? {
    let start = SuspendingClock.now
    var progress = Pace(every: .seconds(60))
    var number = options.lab
    while !options.isOver(tally.steps, since: start) {
      let lab = try Lab(unrelatedRouteLimit: .max)
      let user = number % 3 == 2 && Abilities.here.hasUsers ? Perspective.mappedUser : 0
      let seed = options.seed(ofLab: number)
      var generator = Generator(seed: seed, links: lab.links)
      var random = SeededGenerator(seed: seed &+ 1)
      var script = Lab.setup.flatMap(\.commands).map(\.line)
      for step in 1...Walk.stepsPerLab where !options.isOver(tally.steps, since: start) {
        let change = generator.next()
        // A rehearsal is about a moment, and what ends by itself is different a moment later.
        if change.endsByItself { continue }
        tally.steps += 1
        let targets = Targets.watched + (0..<6).map { _ in Targets.next(&random, links: lab.links).target }
        let complaint = try check(change, targets, as: user, in: lab)
        script += change.commands.map(\.line)
        if let complaint {
          tally.disagreements += 1
          let text =
            "\(complaint)\n\nseed \(options.seed), lab \(number), step \(step). All commands:\n\n"
            + script.joined(separator: "\n") + "\n"
          guard options.keepsGoing else { return text }
          say(
            "\(complaint)\n  after \(change.commands.map(\.line).joined(separator: "; ")), lab \(number) step \(step)"
          )
        }
        if progress.isDue() {
          say("\(tally.steps) steps in \(start.duration(to: .now).components.seconds) s")
        }
      }
      number += 1
    }
    return nil
  }

  /// Rehearses a step, performs it, and returns a difference that stays.
  private mutating func check(
    _ step: Step, _ targets: [ReachabilityTarget], as user: UInt32, in lab: Lab
  ) throws -> String? {
    // What happens at the other ends cannot be rehearsed here, nor what takes a link away.
    guard step.commands.allSatisfy({ $0.place == .host && !$0.text.contains("@") }) else {
      unrehearsed += 1
      _ = try lab.perform(step)
      return nil
    }
    let connections = try OpenConnections(in: lab)
    let began = SuspendingClock.now
    let rehearsal = try Rehearsal(of: targets, step.script, as: user, in: lab)
    longest = max(longest, began.duration(to: .now))
    let refusals = try lab.perform(step).count
    tally.commands += step.commands.count
    tally.refusals += refusals
    // A command that fails in the copy is not judged, for example one about a range of users with the user 0.
    guard rehearsal.output.matches(of: #/(?m)^REFUSED$/#).count == refusals else {
      failures += 1
      return nil
    }
    let start = SuspendingClock.now
    var first = true
    while true {
      let prediction = try rehearsal.prediction()
      var complaint = try self.complaint(about: prediction, rehearsal, in: lab)
      if complaint == nil { complaint = try connections.complaint(about: prediction, in: lab) }
      guard let complaint else {
        if !first { tally.late += 1 }
        count(prediction, rehearsal, connections, step)
        tally.longestDelay = max(tally.longestDelay, start.duration(to: .now))
        return nil
      }
      if start.duration(to: .now) > Self.limit {
        return complaint + (prediction.missing.isEmpty ? "" : "; missing: \(prediction.missing)")
          + (try Self.tables(rehearsal, lab))
      }
      first = false
      Thread.sleep(forTimeInterval: 0.02)
      connections.reopen()
    }
  }

  /// Returns what a prediction says that the network under test does not do.
  private func complaint(about prediction: Prediction, _ rehearsal: Rehearsal, in lab: Lab) throws -> String?
  {
    let (statuses, path) = try rehearsal.reality(in: lab)
    for (place, status) in statuses.enumerated() {
      guard let answer = prediction.answers[place], !answer.agrees(with: Prediction.Answer(status)) else {
        continue
      }
      let target = rehearsal.targets[place]
      // The kernel shares a next hop between a route to a group and another one, and may keep the first one's answer for both.
      if status.reason == .notUnicast || target.isMulticast { continue }
      var text = "\(target): predicted \(answer), found \(Session.describe(status))"
      if case .address(let address) = target.destination {
        let question = "route get \(address)" + (target.source.map { " from \($0)" } ?? "")
        text += "\n  \(question): \(try lab.ask([question]))"
      }
      return text
    }
    guard let predicted = prediction.path, predicted != Prediction.Path(path) else { return nil }
    return "path: predicted \(predicted), found \(Prediction.Path(path))"
  }

  private mutating func count(
    _ prediction: Prediction, _ rehearsal: Rehearsal, _ connections: OpenConnections, _ step: Step
  ) {
    tally.comparisons += prediction.answers.count + 1
    for answer in prediction.answers.compactMap(\.self) {
      tally.states[answer.reason ?? answer.state, default: 0] += 1
    }
    for doubt in prediction.doubts {
      let kind = doubt.split(separator: ":")[0].description
      doubts[kind, default: 0] += 1
      if options.isVerbose, doubts[kind, default: 0] < 5 {
        say("\(doubt), after \(step.commands.map(\.line))")
      }
    }
    if prediction.path == nil { doubtedPaths += 1 }
    for item in connections.items {
      outcomes[prediction.outcomes[item.name]?.kind ?? "?", default: 0] += 1
      if !item.before.isEmpty { observed += 1 }
    }
  }

  /// The lines of the tables that only the copy or only the real network has.
  private static func tables(_ rehearsal: Rehearsal, _ lab: Lab) throws -> String {
    guard let copy = rehearsal.copy else { return "" }
    let questions = [
      "-4 rule", "-6 rule", "nexthop", "-4 route show table all", "-6 route show table all", "-br address",
    ]
    var output: [UInt8] = []
    _ = try copy.run(["sh", "-c", questions.map { "ip -N \($0)" }.joined(separator: "; ")]) {
      output += $0
    }
    func lines(_ text: String) -> Set<String> {
      Set(
        text.split(separator: "\n").map {
          String($0).replacing(#/@[a-z0-9]+ | linkdown| dead| onlink|\s+$/#, with: " ")
        })
    }
    let copied = lines(String(decoding: output, as: UTF8.self))
    let real = lines(try lab.list(questions))
    return copied.subtracting(real).sorted().map { "\n  only in the copy: \($0)" }.joined()
      + real.subtracting(copied).sorted().map { "\n  not in the copy:  \($0)" }.joined()
  }

  /// The results in lines.
  func text(since start: SuspendingClock.Instant) -> String {
    let unknown = doubts.values.reduce(0, +)
    let reasons = doubts.sorted { $0.value > $1.value }.prefix(10).map { "\($0.key) \($0.value)" }
    return """
      \(tally.steps) steps in \(Int(start.duration(to: .now) / .seconds(1))) s, \(unrehearsed) of them cannot be rehearsed, \
      \(failures) fail on one side only
      \(tally.commands) commands, \(tally.refusals) refused; \(tally.comparisons) predictions, \(unknown) unknown, \
      \(doubtedPaths) unknown paths
      connections: \(outcomes.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")); \
      \(observed) with packets
      \(tally.late) agreed after a delay; longest delay \(Int(tally.longestDelay / .milliseconds(1))) ms, \
      longest copy \(Int(longest / .milliseconds(1))) ms
      \(tally.disagreements) disagreements
      \(reasons.joined(separator: ", "))
      \(tally.states.sorted { $0.value > $1.value }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
      """
  }
}

extension ReachabilityTarget {
  fileprivate var isMulticast: Bool {
    if case .address(let address) = destination { address.isMulticast } else { false }
  }
}

extension Step {
  /// Whether it makes something that has a lifetime.
  fileprivate var endsByItself: Bool {
    commands.contains { $0.text.contains(#/_lft [0-9]|expires/#) }
  }

  /// The commands as a script of the namespace under test; what the kernel refuses is no failure.
  fileprivate var script: String {
    commands.map { command in
      switch command.tool {
      case .ip: return "ip \(command.text) || echo REFUSED"
      case .ipv6: return "ip -6 \(command.text) || echo REFUSED"
      case .parameter:
        let parts = command.text.split(separator: " ")
        return "echo \(parts[1]) > /proc/sys/\(parts[0]) || echo REFUSED"
      }
    }.joined(separator: "\n")
  }
}
