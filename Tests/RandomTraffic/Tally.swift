// SPDX-License-Identifier: Apache-2.0
import Foundation
import SearchSupport

/// The results of all scenarios so far.
struct Tally {
  private struct Row {
    var scenarios = 0
    var answers = 0
    var stalls = 0
    var cuts = 0
    var counts: [Finding: Int] = [:]
    var detections: [Int64] = []
  }

  private var rows: [Scenario.Kind: Row] = [:]
  private var causes: [Finding: [String: Int]] = [:]
  private var quick: [Int64] = []
  private var lossy: [Int64] = []
  private var ends: [Int64] = []
  private var lags: [Int64] = []
  private var packets = 0
  private var blackHoles = 0
  private var namedBlackHoles = 0

  private(set) var scenarios = 0
  /// The number of scenarios that were not judged.
  private var disturbed = 0

  mutating func addDisturbed() { disturbed += 1 }

  mutating func add(_ result: Judge.Result) {
    scenarios += 1
    var row = rows[result.kind] ?? Row()
    row.scenarios += 1
    row.answers += result.answers
    row.stalls += result.stalls
    row.cuts += result.cuts
    row.detections += result.detections
    for (finding, _, cause) in result.findings {
      row.counts[finding, default: 0] += 1
      causes[finding, default: [:]][cause, default: 0] += 1
    }
    rows[result.kind] = row
    quick += result.quickDetections
    lossy += result.lossyDetections
    ends += result.ends
    lags.append(result.lag)
    packets += result.packets
    if result.hadBlackHole {
      blackHoles += 1
      if result.namedBlackHole { namedBlackHoles += 1 }
    }
  }

  private func count(_ finding: Finding) -> Int { rows.values.reduce(0) { $0 + ($1.counts[finding] ?? 0) } }

  var failures: Int { Finding.allCases.filter(\.isFailure).reduce(0) { $0 + count($1) } }

  private var answers: Int { rows.values.reduce(0) { $0 + $1.answers } }
  private var cuts: Int { rows.values.reduce(0) { $0 + $1.cuts } }

  /// One line.
  var progress: String {
    "\(scenarios) scenarios (\(disturbed) more not judged), \(answers) answers: \(count(.contradiction)) contradictions, \(count(.falseStrong)) strong and "
      + "\(count(.falseWeak)) weak false stalls; \(cuts) cuts: \(count(.missed)) missed, \(count(.late)) late"
  }

  private static let columns: [(String, Finding)] = [
    ("contra.", .contradiction), ("strong", .falseStrong), ("weak", .falseWeak), ("fault", .wrongFault),
    ("MTU", .wrongMTU), ("missed", .missed), ("late", .late), ("end", .lateEnd), ("interr.", .interruption),
    ("closed", .closed),
    ("repeat.", .repeated), ("silent", .silentServer),
  ]

  /// The table, and what follows from it.
  var text: String {
    var lines = [
      Self.pad("", 18) + Self.line(["scen.", "answers", "stalled", "cuts"] + Self.columns.map(\.0))
    ]
    for kind in Scenario.Kind.allCases {
      guard let row = rows[kind] else { continue }
      lines.append(
        Self.pad(kind.rawValue, 18)
          + Self.line(
            [row.scenarios, row.answers, row.stalls, row.cuts].map(String.init)
              + Self.columns.map { row.counts[$0.1].map(String.init) ?? "·" }))
    }
    lines.append("")
    for finding in Finding.allCases {
      let causes = (causes[finding] ?? [:]).sorted { ($0.value, $1.key) > ($1.value, $0.key) }
      let parts = causes.filter { !$0.key.isEmpty }.map { "\($0.value) \($0.key)" }
      if count(finding) > 0 {
        lines.append(
          "\(finding.rawValue): \(count(finding))"
            + (parts.isEmpty ? "" : " (\(parts.joined(separator: "; ")))"))
      }
    }
    let false_ = count(.falseStrong) + count(.falseWeak)
    lines += [
      "",
      "false stalls: \(false_) of \(answers) answers (\(Self.share(false_, answers)))",
      "cuts not reported: \(count(.missed)) of \(cuts) (\(Self.share(count(.missed), cuts))), "
        + "late: \(count(.late)) (\(Self.share(count(.late), cuts)))",
      "detection: \(Self.distribution(rows.values.flatMap(\.detections)))",
      "  where two timeouts take less than a second: \(Self.distribution(quick))",
      "  where losses were not known to be rare: \(Self.distribution(lossy))",
      "end: \(Self.distribution(ends))",
      "not judged, since this machine was too busy: \(disturbed) scenarios",
      "black holes named: \(namedBlackHoles) of \(blackHoles)",
      "\(packets) packets; latest packet of each scenario: \(Self.distribution(lags))",
    ]
    return lines.joined(separator: "\n")
  }

  /// The numbers as JSON.
  var json: String {
    var object: [String: Any] = [
      "scenarios": scenarios, "disturbed": disturbed, "answers": answers, "cuts": cuts,
      "blackHoles": blackHoles,
      "namedBlackHoles": namedBlackHoles,
    ]
    for finding in Finding.allCases { object["\(finding)"] = count(finding) }
    for (name, times) in [
      ("detection", rows.values.flatMap(\.detections)), ("quickDetection", quick), ("lossyDetection", lossy),
      ("end", ends),
    ] {
      object["\(name)Milliseconds"] = Self.quantiles(times).map { $0.map { $0 / 1_000_000 } }
    }
    let data = try? JSONSerialization.data(withJSONObject: object, options: [.prettyPrinted, .sortedKeys])
    return data.map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }

  private static func share(_ part: Int, _ whole: Int) -> String {
    whole == 0 ? "-" : String(format: "%.4f %%", 100 * Double(part) / Double(whole))
  }

  private static func quantiles(_ times: [Int64]) -> [Int64]? {
    let quantiles = [50, 95, 100].compactMap(times.quantile)
    return quantiles.isEmpty ? nil : quantiles
  }

  private static func distribution(_ times: [Int64]) -> String {
    guard let quantiles = quantiles(times) else { return "none" }
    let texts = quantiles.map { String(format: "%.3f s", Double($0) / 1e9) }
    return "median \(texts[0]), 95 % \(texts[1]), at most \(texts[2]) (\(times.count))"
  }

  private static func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(width - text.count, 0))
  }

  private static func line(_ cells: [String]) -> String {
    cells.map { String(repeating: " ", count: max(9 - $0.count, 1)) + $0 }.joined()
  }
}
