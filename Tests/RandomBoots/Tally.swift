// SPDX-License-Identifier: Apache-2.0
import SearchSupport

/// The result of a boot.
struct Outcome {
  enum Fault: String {
    case early = "early: the gate opened, and packets did not arrive"
    case late = "late: packets arrived for more than 10 ms before the gate opened"
    case hanging = "hanging: the gate did not open"
  }

  var fault: Fault?
  /// Whether a step took something away, or put something in the way, in the moment in which the gate opened.
  var isOverlapping = false
  /// The time from the arrival of the first packet to the opening.
  var delay: Duration?
}

/// The results of all boots so far.
struct Tally {
  private(set) var boots = 0
  private var counts: [Outcome.Fault: Int] = [:]
  private var overlapping = 0
  private var delays: [Duration] = []

  var faults: Int { counts.values.reduce(0, +) }

  mutating func add(_ outcome: Outcome) {
    boots += 1
    if let fault = outcome.fault { counts[fault, default: 0] += 1 }
    if outcome.isOverlapping { overlapping += 1 }
    if let delay = outcome.delay { delays.append(delay) }
  }

  var text: String {
    let median = delays.quantile(50).map(Self.milliseconds) ?? "none"
    let worst = delays.max().map(Self.milliseconds) ?? "none"
    return """
      \(boots) boots: \(counts[.early] ?? 0) early, \(counts[.late] ?? 0) late, \(counts[.hanging] ?? 0) hanging, \
      \(overlapping) with a withdrawal in that moment; delay after the first packet: median \(median), worst \(worst)
      """
  }

  private static func milliseconds(_ duration: Duration) -> String {
    let tenths = Int((duration / .milliseconds(1) * 10).rounded())
    return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10) ms"
  }
}
