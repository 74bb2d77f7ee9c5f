#if os(Linux)
import ReachabilityKit

/// Finds out which of many steps a disagreement takes.
///
/// Leaves out parts of the way, in fresh labs, the large ones first, for as long as the same disagreement comes of it.
struct Shrinker {
  /// The steps that make the lab, and those that were made in it.
  private(set) var setup: [Step]
  private(set) var steps: [Step]
  private let disagreement: Disagreement
  private let lab: Int
  private let end: SuspendingClock.Instant
  /// Whether statuses are compared after each step, which some disagreements take, or at the end only.
  private var isThorough = false

  init(_ finding: Walk.Finding, within limit: Duration) {
    disagreement = finding.disagreement
    lab = finding.lab
    setup = Lab.setup.flatMap(\.commands).map { Step($0) }
    steps = finding.steps
    end = .now + limit
  }

  /// Leaves out what can be left out; returns whether the disagreement comes again at all.
  mutating func run() throws -> Bool {
    if try !isRepeated(setup, steps) {
      isThorough = true
      guard try isRepeated(setup, steps) else { return false }
    }
    try shorten(\.steps)
    try shorten(\.setup)
    // Of each step only a command or two may be needed.
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
    let session = try Session(lab, setup: setup, patience: .milliseconds(1500))
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

  // MARK: For people

  /// A shell script that repeats the way to the disagreement.
  func script() -> String {
    let commands = (setup + steps).flatMap(\.commands)
    var lines = ["#!/bin/sh", "# Leaves network namespaces behind: ip -all netns del"]
    lines += Place.allCases.map { "ip netns add \($0)" }
    if let tunnel = Lab.names[7], commands.contains(where: { $0.text.contains(tunnel) }) {
      lines.append("# The walk has a program behind this one, so that it has a carrier.")
      lines.append("ip -n host tuntap add \(tunnel) mode tun")
    }
    lines += commands.map(\.line)
    lines += Set(Question.all(about: disagreement.inquiry).flatMap { [$0.plain, $0.exact] }).sorted().map {
      "ip -n host -details \($0)"
    }
    return lines.joined(separator: "\n")
  }
}
#endif
