// SPDX-License-Identifier: Apache-2.0
import Foundation
import LiveSupport
import ReachabilityKit
import ReachabilityRehearsal
import SearchSupport

/// A random walk in which each step is rehearsed first: the copy's answers are compared with those after the real step.
struct RehearsedWalk {
  let options: WalkSearch
  private(set) var tally = Tally()
  /// The predictions that were unknown, by their reasons.
  private(set) var doubts: [String: Int] = [:]
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
      let seed = options.seed(ofLab: number)
      var generator = Generator(seed: seed, links: lab.links)
      var random = SeededGenerator(seed: seed &+ 1)
      var script = Lab.setup.flatMap(\.commands).map(\.line)
      for step in 1...Walk.stepsPerLab where !options.isOver(tally.steps, since: start) {
        let change = generator.next()
        tally.steps += 1
        let targets = Targets.watched + (0..<6).map { _ in Targets.next(&random, links: lab.links).target }
        let complaint = try check(change, targets, in: lab)
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
  private mutating func check(_ step: Step, _ targets: [ReachabilityTarget], in lab: Lab) throws -> String? {
    // What happens at the other ends cannot be rehearsed here, nor what takes a link away.
    guard step.commands.allSatisfy({ $0.place == .host && !$0.text.contains("@") }) else {
      unrehearsed += 1
      _ = try lab.perform(step)
      return nil
    }
    let monitor = lab.monitor
    let began = SuspendingClock.now
    let rehearsal = try lab.inside {
      try NetworkRehearsal(of: targets, targets.map(monitor.currentStatus(of:)), monitor: monitor)
    }
    longest = max(longest, began.duration(to: .now))
    var output: [UInt8] = []
    let end = try rehearsal.run(["sh", "-c", step.script]) { output += $0 }
    guard end == .exited(0) else { return "the command ended with \(end)" }
    let refusals = try lab.perform(step).count
    tally.commands += step.commands.count
    tally.refusals += refusals
    // A command that fails in the copy is not judged, for example one about a range of users with the user 0.
    guard String(decoding: output, as: UTF8.self).matches(of: #/(?m)^REFUSED$/#).count == refusals else {
      failures += 1
      return nil
    }
    let start = SuspendingClock.now
    var first = true
    while true {
      let differences = rehearsal.differences()
      let wrong = differences.targets.first { !Self.agrees($0, monitor.currentStatus(of: $0.target)) }
      guard let wrong else {
        tally.comparisons += targets.count
        if !first { tally.late += 1 }
        for target in differences.targets {
          if let doubt = target.doubt {
            let kind = doubt.split(separator: ":")[0].description
            doubts[kind, default: 0] += 1
            if options.isVerbose, doubts[kind, default: 0] < 5 {
              say(
                "\(target.target): \(Session.describe(target.before)): \(doubt), after \(step.commands.map(\.line))"
              )
            }
          }
          tally.states[target.after.reason?.rawValue ?? target.after.state.rawValue, default: 0] += 1
        }
        tally.longestDelay = max(tally.longestDelay, start.duration(to: .now))
        return nil
      }
      if start.duration(to: .now) > Self.limit {
        return
          "\(wrong.target): \(Session.describe(wrong.before)) → predicted \(Session.describe(wrong.after)), found "
          + "\(Session.describe(monitor.currentStatus(of: wrong.target)))"
          + (rehearsal.missingParts.isEmpty ? "" : "; missing: \(rehearsal.missingParts)")
          + (try Self.tables(rehearsal, lab))
      }
      first = false
      Thread.sleep(forTimeInterval: 0.02)
    }
  }

  /// The lines of the tables that only the copy or only the real network has.
  private static func tables(_ rehearsal: NetworkRehearsal, _ lab: Lab) throws -> String {
    let questions = [
      "-4 rule", "-6 rule", "nexthop", "-4 route show table all", "-6 route show table all", "-br address",
    ]
    var output: [UInt8] = []
    _ = try rehearsal.run(["sh", "-c", questions.map { "ip -N \($0)" }.joined(separator: "; ")]) {
      output += $0
    }
    func lines(_ text: String) -> Set<String> {
      Set(
        text.split(separator: "\n").map {
          String($0).replacing(#/@[a-z0-9]+ | linkdown| dead| onlink|\s+$/#, with: " ")
        })
    }
    let copy = lines(String(decoding: output, as: UTF8.self))
    let real = lines(try lab.list(questions))
    return copy.subtracting(real).sorted().map { "\n  only in the copy: \($0)" }.joined()
      + real.subtracting(copy).sorted().map { "\n  not in the copy:  \($0)" }.joined()
  }

  private static func agrees(_ target: RehearsalDifferences.Target, _ status: ReachabilityStatus) -> Bool {
    let predicted = target.after
    return target.doubt != nil
      || predicted.state == status.state && predicted.reason == status.reason
        && predicted.interface?.name == status.interface?.name && predicted.gateway == status.gateway
        && predicted.source == status.source
  }

  /// The results in lines.
  func text(since start: SuspendingClock.Instant) -> String {
    let unknown = doubts.values.reduce(0, +)
    let reasons = doubts.sorted { $0.value > $1.value }.prefix(10).map { "\($0.key) \($0.value)" }
    return """
      \(tally.steps) steps in \(Int(start.duration(to: .now) / .seconds(1))) s, \(unrehearsed) of them cannot be rehearsed, \
      \(failures) fail on one side only
      \(tally.commands) commands, \(tally.refusals) refused; \(tally.comparisons) predictions, \(unknown) unknown
      \(tally.late) agreed after a delay; longest delay \(Int(tally.longestDelay / .milliseconds(1))) ms, \
      longest copy \(Int(longest / .milliseconds(1))) ms
      \(tally.disagreements) disagreements
      \(reasons.joined(separator: ", "))
      \(tally.states.sorted { $0.value > $1.value }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
      """
  }
}

extension Step {
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
