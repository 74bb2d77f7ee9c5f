// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import CommandSupport
import DeadlineSupport
import LiveSupport
import RequirementSupport
import Testing

@Suite(.needsIPTables, .deadline) struct `Rules of iptables` {
  /// The arguments of a rule, and what is expected of it.
  struct Rule: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var arguments: String
    var comment: String?
    /// What the rule sends, for IPv4 and IPv6.
    var rejections: [String] = []

    static let all = [
      Rule(testDescription: "drop", arguments: "-p tcp --dport 443 -j DROP"),
      Rule(
        testDescription: "drop with a comment",
        arguments: "-p tcp --dport 443 -m comment --comment 'kill switch' -j DROP", comment: "kill switch"),
      Rule(
        testDescription: "drop by owner", arguments: "-p tcp -m owner --uid-owner 0-99999 -j DROP"),
      Rule(
        testDescription: "reject", arguments: "-p tcp --dport 443 -j REJECT",
        rejections: ["icmp-port-unreachable", "icmp6-port-unreachable"]),
      Rule(
        testDescription: "reject with a comment",
        arguments: "-p tcp --dport 443 -m comment --comment no -j REJECT --reject-with tcp-reset",
        comment: "no", rejections: ["tcp-reset", "tcp-reset"]),
    ]
  }

  /// The rules of all tables, without counters.
  private func saved(_ lab: FirewallLab) throws -> String {
    try lab.host.sh("nft -s list ruleset; iptables-nft -S; ip6tables-nft -S")
  }

  private func trace(_ lab: FirewallLab, _ target: String) throws -> TraceReport {
    let before = try saved(lab)
    let outcome = try lab.start([target, "--json"]).finish()
    // A rule counts the packet.
    try #expect(saved(lab) == before)
    return try #require(TraceReport(line: Array(outcome.output.dropLast().utf8)), "\(outcome)")
  }

  @Test(arguments: Rule.all, Family.all)
  func `a rule of iptables-nft is named as one`(_ rule: Rule, _ family: Family) throws {
    let lab = try FirewallLab()
    try lab.host.sh("\(family.iptables) -A OUTPUT \(rule.arguments)")
    let report = try trace(lab, "tcp://\(family.peer):443")
    #expect(report.outcome == (rule.rejections.isEmpty ? .dropped : .rejected), "\(report)")
    let found = try #require(report.rule)
    #expect(found.isOfIPTables && found.family == family.word && found.table == "filter")
    #expect(found.chain == "OUTPUT" && found.hook == "output" && found.comment == rule.comment)
    #expect(found.rejection == (family.word == "ip" ? rule.rejections.first : rule.rejections.last))
    let advice = try #require(report.words.advice)
    let command = try #require(advice.firstMatch(of: /: (ip6?tables-nft .*)\.$/)).1
    let verdict = rule.rejections.isEmpty ? "-j DROP" : "-j REJECT"
    try #expect(lab.host.sh(String(command)).contains(verdict))
  }

  @Test(arguments: Family.all)
  func `a policy and a chain of iptables-nft are named`(_ family: Family) throws {
    let lab = try FirewallLab()
    try lab.host.sh("\(family.iptables) -N DEEP; \(family.iptables) -A OUTPUT -p tcp -j DEEP")
    try lab.host.sh("\(family.iptables) -A DEEP -p tcp --dport 443 -j DROP")
    let rule = try trace(lab, "tcp://\(family.peer):443").rule
    #expect(rule?.chain == "DEEP" && rule?.isOfIPTables == true && rule?.handle != nil)
    let icmp = family.word == "ip" ? "icmp" : "ipv6-icmp"
    try lab.host.sh("\(family.iptables) -F; \(family.iptables) -A OUTPUT -p \(icmp) -j ACCEPT")
    try lab.host.sh("\(family.iptables) -P OUTPUT DROP")
    let policy = try trace(lab, "tcp://\(family.peer):443").rule
    #expect(policy?.chain == "OUTPUT" && policy?.isOfIPTables == true && policy?.handle == nil)
  }

  @Test(.needsLegacyRules) func `tables of iptables-legacy are said not to be visible`() throws {
    let lab = try FirewallLab()
    try lab.host.sh("iptables-legacy -A OUTPUT -p tcp --dport 443 -j DROP")
    let report = try lab.trace("tcp://10.1.0.9:443", "--timeout", "300ms")
    #expect(report.outcome != .dropped && report.rule == nil && report.legacyTables == ["filter"])
    let problem = "Rules of iptables-legacy exist, which no trace shows: table filter."
    #expect(report.words.problem == problem && report.words.verdict == .unknown)
    let advice = try #require(report.words.advice)
    let command = try #require(advice.firstMatch(of: /: (iptables-legacy .*)\.$/)).1
    try #expect(lab.host.sh(String(command)).contains("--dport 443 -j DROP"))
    // The other family has none.
    let other = try lab.trace("tcp://[fd00:1::9]:443")
    #expect(other.legacyTables == [] && other.outcome == .refused)
  }
}

extension Trait where Self == Requirement {
  fileprivate static var needsLegacyRules: Self {
    Self(
      .withoutNamespaces ?? .withoutPrograms("iptables-legacy")
        ?? .unless("iptables-legacy -S", "the kernel has no rules of iptables-legacy"))
  }
}
