// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import DeadlineSupport
import Testing

@Suite(.deadline) struct TraceReportTests {
  private static let rule = TraceReport.Rule(
    family: "inet", table: "site", chain: "out", hook: "output", handle: 7, comment: "site policy 7",
    verdict: "drop")

  private func report(
    _ outcome: TraceReport.Outcome, _ rule: TraceReport.Rule? = nil,
    _ change: (inout TraceReport) -> Void = { _ in }
  ) -> TraceReport {
    var report = TraceReport(outcome, of: "10.9.0.1", port: 443, transport: "tcp")
    report.rule = rule
    report.legacyTables = []
    change(&report)
    return report
  }

  private func line(_ report: TraceReport) -> [UInt8] { Array(report.jsonObject(at: .now).text.utf8) }

  @Test func `a report survives its line of JSON`() {
    var hostile = Self.rule
    hostile.comment = "\u{1b}[31m\"\\\n\u{202e}ä😀\u{0}"
    let reports =
      TraceReport.Outcome.allCases.map { report($0) } + [
        report(.dropped, hostile) {
          $0.error = "Operation not permitted"
          $0.legacyTables = nil
          $0.hasLosses = true
          $0.milliseconds = 17
          $0.steps = [
            TraceReport.Step(
              family: "ip", table: "\"", chain: "\\", handle: nil, verdict: "jump \u{7}", isOfAnswer: true),
            TraceReport.Step(
              family: "inet", table: "site", chain: "out", handle: 7, verdict: "drop", isOfAnswer: false),
          ]
        },
        report(.rejected, Self.rule) { $0.legacyTables = ["filter", "nat"] },
      ]
    for report in reports { #expect(TraceReport(line: line(report)) == report) }
  }

  @Test func `a line that is cut, changed or another's is refused`() {
    let line = line(report(.dropped, Self.rule))
    for count in 0..<line.count { #expect(TraceReport(line: Array(line.prefix(count))) == nil) }
    let text = String(decoding: line, as: UTF8.self)
    for (part, other) in [
      ("\"version\":1", "\"version\":2"), ("\"event\":\"trace\"", "\"event\":\"check\""),
      ("\"dropped\"", "\"eaten\""), ("\"port\":443", "\"port\":\"443\""),
      ("\"table\":\"site\"", "\"table\":7"),
    ] {
      #expect(text.contains(part))
      #expect(TraceReport(line: Array(text.replacing(part, with: other).utf8)) == nil, "\(other)")
    }
  }

  @Test func `words name the rule, the problem and a command that shows it`() {
    let words = report(.dropped, Self.rule).words
    #expect(words.verdict == .failed)
    #expect(
      words.fact == "rule 7 of nftables, inet site out (hook output): drop, comment \"site policy 7\"")
    #expect(words.problem == "This machine's own firewall drops packets to 10.9.0.1 port 443.")
    #expect(
      words.advice
        == "If this is not intended, change the rule. To see it as root: nft -a list chain inet site out.")
  }

  @Test func `a name that nft or a shell might take apart is in no command`() {
    for name in ["a b", "a;id", "7", "", "-x", "$(id)", "a\u{1b}", "handle\n"] {
      var rule = Self.rule
      rule.chain = name
      #expect(rule.advice.hasSuffix(": nft -a list ruleset."), "\(name)")
    }
  }

  @Test func `what a trace cannot show is said only where nothing arrived`() {
    let legacy = report(.unanswered) { $0.legacyTables = ["filter", "nat"] }.words
    #expect(
      legacy.problem == "Rules of iptables-legacy exist, which no trace shows: table filter and nat.")
    #expect(report(.answered) { $0.legacyTables = ["filter"] }.words.problem == nil)
    #expect(report(.dropped, Self.rule) { $0.legacyTables = nil }.words.fact.contains("legacy") == false)
    let unknown = report(.unanswered) { $0.legacyTables = nil }.words
    #expect(unknown.fact.hasSuffix("; whether iptables-legacy has rules is not known"))
    let lost = report(.unanswered) { $0.hasLosses = true }.words
    #expect(lost.fact.hasSuffix("; more was traced than could be received"))
  }

  @Test(arguments: TraceReport.Outcome.allCases)
  func `each outcome has words, with advice if and only if there is a problem`(
    _ outcome: TraceReport.Outcome
  ) {
    let words = report(outcome, outcome.isOwnFilter ? Self.rule : nil) { $0.error = "No route to host" }.words
    #expect((words.problem == nil) == (words.advice == nil))
    #expect((words.verdict == .failed) == outcome.isOwnFilter)
    #expect(!words.fact.isEmpty)
  }
}
