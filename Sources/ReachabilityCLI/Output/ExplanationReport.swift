// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import ReachabilityKit

/// The output of explanations: text, or JSON with `--json`.
struct ExplanationReport: Sendable {
  let isJSON: Bool
  let output: StandardOutput

  /// Writes one explanation.
  ///
  /// - Parameter repairs: The commands that were tried in copies of the network; `nil` if none was to be tried.
  func write(
    _ text: String, _ explanation: ReachabilityExplanation, repairs: [RepairReport.Repair]? = nil
  ) -> WriteResult {
    output.write(
      isJSON
        ? JSONObject(text, explanation, repairs: repairs, at: .now).text + "\n"
        : lines(text, explanation, repairs: repairs))
  }

  /// The summary, then one line per step, with problem and advice below a step that has them.
  private func lines(
    _ name: String, _ explanation: ReachabilityExplanation, repairs: [RepairReport.Repair]?
  ) -> String {
    let columns = TerminalSize.ofOutput?.columns ?? .max
    let head = "\(name.escapedForTerminal)  \(explanation.summary.escapedForTerminal)"
    var lines = [head.wrapped(to: columns, indent: 2)]
    let verdicts = ReachabilityExplanation.Step.Verdict.allCases.map(\.rawValue.count).max() ?? 0
    let kinds = explanation.steps.map { $0.kind.words.count }.max() ?? 0
    let families = explanation.steps.map { family(of: $0).count }.max() ?? 0
    let indent = families + verdicts + kinds + 6
    // A narrower terminal wraps by itself.
    let width = max(columns, indent + 32)
    func text(_ title: String, _ text: String, keepingCommand keeps: Bool = false) -> String {
      let text = text.escapedForTerminal
      return title
        + text.wrapped(to: width, indent: indent + title.count, whole: keeps ? text.command : "")
    }
    for step in explanation.steps {
      let cells = [
        family(of: step).padded(to: families), coloured(step.verdict, to: verdicts),
        step.kind.words.padded(to: kinds),
        text("", step.fact + (step.duration.map { " (\($0.inWords))" } ?? "")),
      ]
      lines.append(cells.joined(separator: "  "))
      let margin = String(repeating: " ", count: indent)
      if let problem = step.problem { lines.append(margin + text("problem: ", problem)) }
      if let advice = step.advice {
        // Advice is a promise: what has not helped in a copy is not printed.
        let tried = repairs?.first { $0.isAdvice && step.advisedCommands.contains($0.command) }
        if let tried, tried.outcome == .doesNotHelp {
          lines.append(margin + "not proven: " + tried.command.escapedForTerminal)
          lines.append(margin + "  " + text("", tried.sentence))
        } else {
          lines.append(margin + text("advice: ", advice, keepingCommand: true))
          if let tried {
            lines.append(margin + text(tried.outcome == .helps ? "proven: " : "not proven: ", tried.sentence))
          }
        }
      }
    }
    lines += proofLines(repairs, to: columns)
    return lines.map { $0 + "\n" }.joined()
  }

  /// The commands that help and are no advice; or that none of those that were tried does.
  private func proofLines(_ repairs: [RepairReport.Repair]?, to columns: Int) -> [String] {
    guard let repairs else { return [] }
    guard repairs.contains(where: { $0.outcome == .helps }) else {
      let unknown = repairs.count { $0.outcome == .unknown }
      let rest = unknown > 0 ? "; of \(unknown) it is not known" : ""
      return [
        repairs.isEmpty
          ? "no repair is known for this"
          : "no repair: of \(repairs.count) commands that were tried in copies of this network, none helps"
            + rest
      ]
    }
    return repairs.filter { $0.outcome == .helps && !$0.isAdvice }.flatMap { repair in
      [
        "repair: " + repair.command.escapedForTerminal,
        "        " + repair.sentence.escapedForTerminal.wrapped(to: columns, indent: 8),
      ]
    }
  }

  private func family(of step: ReachabilityExplanation.Step) -> String { step.family?.description ?? "" }

  private func coloured(_ verdict: ReachabilityExplanation.Step.Verdict, to width: Int) -> String {
    let colour: TerminalColour =
      switch verdict {
      case .passed: .green
      case .failed: .red
      case .unknown: .yellow
      }
    return output.coloured(verdict.rawValue.padded(to: width), colour)
  }
}

extension String {
  /// The command at the end of advice, which stays on one line so that it can be copied; empty if there is none.
  fileprivate var command: String {
    let words = split(separator: " ", omittingEmptySubsequences: false)
    let programs: Set<Substring> = [
      "ip", "ss", "rfkill", "sysctl", "nft", "iptables-nft", "ip6tables-nft", "iptables-legacy",
      "ip6tables-legacy",
    ]
    let start = words.indices.dropFirst().last {
      words[$0 - 1].hasSuffix(":") && programs.contains(words[$0])
    }
    return start.map { words[$0...].joined(separator: " ") } ?? ""
  }
}
