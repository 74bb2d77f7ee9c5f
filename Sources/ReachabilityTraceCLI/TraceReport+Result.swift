// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import PacketTrace

extension TraceReport {
  /// Describes what became of a probe.
  init(_ result: PacketTracer.Result, of invocation: TraceInvocation, legacyTables: [String]?) {
    self.init(
      Outcome(result), of: invocation.addressText, port: Int(invocation.port),
      transport: invocation.transport.word)
    if outcome.isOwnFilter {
      rule = result.decision.map { Rule($0, result.rule, hook: result.hook, isIPv6: isIPv6) }
    }
    error = result.failure?.description
    hasLosses = result.hasLosses
    milliseconds = Int(result.duration / .milliseconds(1))
    steps = result.log.decisions.map(Step.init)
    self.legacyTables = legacyTables
  }

  /// The report in lines: the outcome, then fact, problem and advice, then each decision.
  var lines: String {
    let words = words
    var lines = ["\(address) port \(port) (\(transport))  \(words.fact)"]
    if let problem = words.problem { lines.append("  problem: \(problem)") }
    if let advice = words.advice { lines.append("  advice: \(advice)") }
    lines += steps.map { step in
      let place = step.handle.map { "rule \($0)" } ?? "policy"
      return
        "  \(step.isOfAnswer ? "answer" : "packet")  \(step.family) \(step.table) \(step.chain)  \(place)  \(step.verdict)"
    }
    return lines.map { $0.escapedForTerminal + "\n" }.joined()
  }
}

extension TraceReport.Outcome {
  /// The first thing that explains the result: a rule, then what arrived, then how far the probe came.
  fileprivate init(_ result: PacketTracer.Result) {
    if result.log.drop != nil {
      self = result.rule?.rejection == nil ? .dropped : .rejected
    } else if result.log.answerDrop != nil {
      self = .answerDropped
    } else if result.isAnswered {
      self = result.failure == nil ? .answered : .refused
    } else if result.failure != nil {
      self = result.log.hasSeenProbe ? .failed : .notSent
    } else if result.log.handover != nil {
      self = .handedOver
    } else {
      self = result.log.hasSeenProbe ? .unanswered : .notTraced
    }
  }
}

extension TraceReport.Step {
  fileprivate init(_ decision: DecisionLog.Decision) {
    self.init(
      family: decision.family.word, table: String(decoding: decision.table, as: UTF8.self),
      chain: String(decoding: decision.chain, as: UTF8.self), handle: decision.rule.map(Int.init(clamping:)),
      verdict: decision.verdict.words, isOfAnswer: !decision.isOutgoing)
  }
}

extension FilterVerdict {
  /// The words of `nft`, for example `jump deep`.
  fileprivate var words: String {
    let word = kind?.word ?? "verdict \(code)"
    return chain.map { "\(word) \(String(decoding: $0, as: UTF8.self))" } ?? word
  }
}

extension TraceReport.Rule {
  /// Describes a decision, with what is known about its rule.
  fileprivate init(
    _ decision: DecisionLog.Decision, _ rule: FilterRule?, hook: String?, isIPv6: Bool
  ) {
    let table = String(decoding: decision.table, as: UTF8.self)
    let firstChain = String(decoding: decision.firstChain, as: UTF8.self)
    self.init(
      family: decision.family.word, table: table, chain: String(decoding: decision.chain, as: UTF8.self),
      hook: hook, handle: decision.rule.map(Int.init(clamping:)),
      comment: rule?.comment.map { String(decoding: $0, as: UTF8.self) }, verdict: decision.verdict.words,
      rejection: rule?.rejection?.words(isIPv6: isIPv6),
      isOfIPTables: [.ipv4, .ipv6].contains(decision.family) && Self.tablesOfIPTables.contains(table)
        && Self.chainsOfIPTables.contains(firstChain)
        // Each rule of iptables-nft counts, or has an extension.
        && (rule.map { $0.hasCounter || $0.hasExtensions } ?? (decision.rule == nil)))
  }

  /// The names that iptables gives to its tables, and to the chains that hooks call.
  private static var tablesOfIPTables: Set<String> { ["filter", "nat", "mangle", "raw", "security"] }
  private static var chainsOfIPTables: Set<String> {
    ["PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"]
  }
}
