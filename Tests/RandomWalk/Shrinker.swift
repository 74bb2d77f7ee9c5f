// SPDX-License-Identifier: Apache-2.0
import ReachabilityKit

/// Finds the steps that a disagreement needs.
///
/// Repeats the walk in new labs without some of the steps, the large parts first, while the disagreement remains.
struct Shrinker {
  /// The steps that create the lab, and those performed in it.
  private(set) var setup: [Step]
  private(set) var steps: [Step]
  private let disagreement: Disagreement
  private let lab: Int
  private let end: SuspendingClock.Instant
  /// Whether statuses are compared after each step, which some disagreements need, or only at the end.
  private var isThorough = false

  init(_ finding: Walk.Finding, within limit: Duration) {
    disagreement = finding.disagreement
    lab = finding.lab
    setup = Lab.setup.flatMap(\.commands).map { Step($0) }
    steps = finding.steps
    end = .now + limit
  }

  /// Removes superfluous steps; returns whether the disagreement is reproducible at all.
  mutating func run() throws -> Bool {
    if try !isRepeated(setup, steps) {
      isThorough = true
      guard try isRepeated(setup, steps) else { return false }
    }
    try shorten(\.steps)
    try shorten(\.setup)
    // A step may need only one or two of its commands.
    let commands = steps.flatMap(\.commands).map { Step($0) }
    if try isRepeated(setup, commands) { steps = commands }
    try shorten(\.steps)
    return true
  }

  private mutating func shorten(_ part: WritableKeyPath<Shrinker, [Step]>) throws {
    var size = (self[keyPath: part].count + 1) / 2
    while size > 0 {
      var start = 0
      while start < self[keyPath: part].count, SuspendingClock.now < end {
        var shorter = self
        let range = start..<min(start + size, self[keyPath: part].count)
        shorter[keyPath: part].removeSubrange(range)
        if try isRepeated(shorter.setup, shorter.steps) { self = shorter } else { start += size }
      }
      size /= 2
    }
  }

  private func isRepeated(_ setup: [Step], _ steps: [Step]) throws -> Bool {
    let session = try Session(lab, setup: setup, settlingLimit: .milliseconds(1500))
    do {
      for step in steps {
        try session.perform(step)
        guard isThorough else { continue }
        try session.settle()
        try session.compare([disagreement.inquiry])
      }
      try session.settle()
      try session.compare([disagreement.inquiry])
      return false
    } catch let found as Disagreement {
      return found.isLike(disagreement)
    }
  }

  // MARK: Output

  /// Returns a shell script that reproduces the disagreement.
  func script() -> String {
    let commands = (setup + steps).flatMap(\.commands)
    var lines = ["#!/bin/sh", "# Leaves network namespaces behind: ip -all netns del"]
    lines += Place.allCases.map { "ip netns add \($0)" }
    if let tunnel = Lab.names[7], commands.contains(where: { $0.text.contains(tunnel) }) {
      lines.append("# In the walk a program reads from this device, so that it has a carrier.")
      lines.append("ip -n host tuntap add \(tunnel) mode tun")
    }
    lines += commands.map(\.line)
    lines += Set(Question.all(about: disagreement.inquiry).flatMap { [$0.plain, $0.exact] }).sorted().map {
      "ip -n host -details \($0)"
    }
    return lines.joined(separator: "\n")
  }
}
