// SPDX-License-Identifier: Apache-2.0
import InternetProtocol

extension TraceReport {
  /// A fact in words, with a problem and advice if there is one.
  package struct Words: Equatable, Sendable {
    package enum Verdict: Sendable {
      case passed, failed, unknown
    }

    package var verdict: Verdict
    package var fact: String
    /// A sentence, present if and only if there is advice.
    package var problem: String?
    package var advice: String?
  }

  /// The report in words, for people.
  package var words: Words {
    let place = "\(address) port \(port)"
    var words: Words
    if let rule, outcome.isOwnFilter {
      words = Words(verdict: .failed, fact: rule.fact, problem: problem(place), advice: rule.advice)
    } else {
      words = Words(verdict: .passed, fact: "no rule of nf_tables dropped the packet")
      switch outcome {
      case .answered: words.fact += ": \(place) answered"
      case .refused: words.fact += ": \(place) refused it"
      case .failed:
        words.fact += ": \(error ?? "an error")"
        words.verdict = .unknown
      case .notSent:
        words = Words(verdict: .unknown, fact: "the packet was not sent: \(error ?? "an error")")
      case .notTraced:
        words = Words(verdict: .unknown, fact: "the packet did not come to nf_tables, and nothing arrived")
      default:
        words.fact += ", and nothing arrived for \((milliseconds / 100).decimal(places: 1)) s"
        words.verdict = .unknown
      }
      addLimits(to: &words)
    }
    if hasLosses { words.fact += "; more was traced than could be received" }
    return words
  }

  private func problem(_ place: String) -> String {
    switch outcome {
    case .rejected:
      let sent = rule?.rejection.map { " (\($0))" } ?? ""
      return "This machine's own firewall rejects packets to \(place)\(sent)."
    case .answerDropped: return "This machine's own firewall drops the answers of \(place)."
    case .handedOver:
      return "A rule of this machine gives packets to \(place) to something that has not sent them on."
    default: return "This machine's own firewall drops packets to \(place)."
    }
  }

  /// Adds what a trace cannot show, if nothing arrived.
  private func addLimits(to words: inout Words) {
    guard words.verdict == .unknown, outcome != .notSent else { return }
    guard let legacyTables else {
      words.fact += "; whether iptables-legacy has rules is not known"
      return
    }
    guard let table = legacyTables.first else { return }
    let tool = isIPv6 ? "ip6tables-legacy" : "iptables-legacy"
    words.problem = "Rules of \(tool) exist, which no trace shows: table \(legacyTables.inWords("and"))."
    words.advice = "Look for a rule that drops the packet: \(tool) -t \(table.shellWord) -S."
  }
}

extension TraceReport.Rule {
  /// The rule in words, for example `rule 7 of inet site out (output): drop, "site policy 7"`.
  package var fact: String {
    var fact = handle.map { "rule \($0)" } ?? "the policy"
    fact += " of \(isOfIPTables ? "iptables-nft" : "nftables"), \(family) \(table) \(chain)"
    if let hook { fact += " (hook \(hook))" }
    fact += ": \(rejection.map { "reject with \($0)" } ?? verdict)"
    if let comment { fact += ", comment \"\(comment)\"" }
    return fact
  }

  /// What to type to see the rule.
  package var advice: String {
    "If this is not intended, change \(handle == nil ? "the policy" : "the rule"). To see it as root: \(command)."
  }

  /// The command that prints the chain; the whole ruleset, if a name is one that `nft` might read as something else.
  private var command: String {
    let isPlain = [family, table, chain].allSatisfy { word in
      let first = word.utf8.first.map { Character(Unicode.Scalar($0)) }
      return first?.isLetter == true && word.unicodeScalars.allSatisfy(\.isPlain)
    }
    guard isPlain else { return "nft -a list ruleset" }
    guard isOfIPTables else { return "nft -a list chain \(family) \(table) \(chain)" }
    return "\(family == "ip6" ? "ip6tables-nft" : "iptables-nft") -t \(table) -S \(chain)"
  }
}

extension Unicode.Scalar {
  /// Whether the character stands in names that neither a shell nor `nft` takes apart.
  fileprivate var isPlain: Bool {
    switch self {
    case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
    default: false
    }
  }
}
