// SPDX-License-Identifier: Apache-2.0
import LiveSupport
import ReachabilityKit
import SearchSupport

/// A walk through one lab after the other, until the time is over or a disagreement is found.
struct Walk {
  let options: WalkSearch
  private(set) var tally = Tally()

  /// The number of steps in one lab, small enough to repeat the steps before a disagreement.
  static let stepsPerLab = 400
  /// The number of targets that are compared after each step.
  private static let targetsPerStep = 10

  /// A disagreement with the steps that led to it.
  struct Finding {
    var disagreement: Disagreement
    var lab: Int
    var steps: [Step]

    /// Describes the disagreement in a few lines.
    func text(seed: UInt64) -> String {
      let title =
        "\(disagreement.kind): \(disagreement.inquiry.text), seed \(seed), lab \(lab), step \(steps.count)"
      let last = (steps.last?.commands ?? []).map { "  after \($0.line)" }
      return ([title] + last + disagreement.lines.map { "  \($0)" }).joined(separator: "\n")
    }
  }

  init(_ options: WalkSearch) {
    self.options = options
  }

  /// Walks; returns a disagreement, or `nil`.
  mutating func run() throws -> Finding? {
    let start = SuspendingClock.now
    var progress = Pace(every: .seconds(60))
    var number = options.lab
    while !options.isOver(tally.steps, since: start) {
      let session = try Session(number, tally: tally, isVerbose: options.isVerbose)
      defer { number += 1 }
      var generator = Generator(seed: options.seed(ofLab: number), links: session.lab.links)
      var random = SeededGenerator(seed: options.seed(ofLab: number) &+ 1)
      var steps: [Step] = []
      do {
        while steps.count < Self.stepsPerLab, !options.isOver(session.tally.steps, since: start) {
          let step = generator.next()
          steps.append(step)
          if options.isVerbose { say("lab \(number) step \(steps.count)") }
          try session.perform(step)
          try session.settle()
          let count = Self.targetsPerStep
          try session.compare((0..<count).map { _ in Targets.next(&random, links: session.lab.links) })
        }
      } catch let disagreement as Disagreement {
        session.tally.disagreements += 1
        tally = session.tally
        let finding = Finding(disagreement: disagreement, lab: number, steps: steps)
        guard options.keepsGoing else { return finding }
        say(finding.text(seed: options.seed))
      }
      tally = session.tally
      if progress.isDue() { say("\(tally.steps) steps in \(start.duration(to: .now).components.seconds) s") }
    }
    return nil
  }
}
