// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import CommandSupport
import DeadlineSupport
import LiveSupport
import RequirementSupport
import Testing

@Suite(.needsFirewalls, .deadline) struct `Rules of nftables` {
  /// A firewall, and what is expected of its decision about TCP to port 443 and UDP to port 53.
  struct Firewall: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var rules: String
    var outcome = TraceReport.Outcome.dropped
    /// The family, table and chain of the rule.
    var place = "inet site out"
    var hook = "output"
    var isPolicy = false
    var comment: String?
    var rejection: String?
    var isUDP = false

    /// A chain of the output hook with one rule.
    static func out(_ rule: String) -> String {
      """
      table inet site {
      chain out {
      type filter hook output priority 0; policy accept;
      \(rule)
      }
      }
      """
    }

    static let all = [
      Firewall(
        testDescription: "output", rules: out("tcp dport 443 drop comment \"site policy 7\""),
        comment: "site policy 7"),
      Firewall(
        testDescription: "output before all others",
        rules: out("tcp dport 443 drop").replacing("priority 0", with: "priority -2147483648")),
      Firewall(
        testDescription: "postrouting",
        rules: out("tcp dport 443 drop").replacing("hook output", with: "hook postrouting"),
        hook: "postrouting"),
      Firewall(
        testDescription: "egress of an interface",
        rules: """
          table netdev dev {
          chain out {
          type filter hook egress device eth0 priority 0; policy accept;
          tcp dport 443 drop comment "no way"
          }
          }
          """, place: "netdev dev out", hook: "egress", comment: "no way"),
      Firewall(
        testDescription: "the answer in input",
        rules: out("tcp sport 443 drop").replacing("hook output", with: "hook input"),
        outcome: .answerDropped, hook: "input"),
      Firewall(
        testDescription: "the answer in prerouting",
        rules: out("tcp sport 443 drop").replacing("hook output", with: "hook prerouting"),
        outcome: .answerDropped, hook: "prerouting"),
      Firewall(
        testDescription: "a policy",
        rules: out("meta l4proto { icmp, ipv6-icmp } accept").replacing("accept;", with: "drop;"),
        isPolicy: true),
      Firewall(
        testDescription: "another chain",
        rules: out("tcp dport 443 jump deep").replacing("\n}\n}", with: "\n}\nchain deep {\ndrop\n}\n}"),
        place: "inet site deep"),
      Firewall(
        testDescription: "another chain for good",
        rules: out("tcp dport 443 goto deep").replacing("\n}\n}", with: "\n}\nchain deep {\ndrop\n}\n}"),
        place: "inet site deep"),
      Firewall(
        testDescription: "a map of verdicts", rules: out("tcp dport vmap { 22 : accept, 443 : drop }")),
      Firewall(
        testDescription: "a set",
        rules: out("tcp dport @blocked drop").replacing(
          "site {", with: "site {\nset blocked {\ntype inet_service\nelements = { 443 }\n}")),
      Firewall(
        testDescription: "a set's map to a chain",
        rules: out("tcp dport vmap { 443 : jump deep }").replacing(
          "\n}\n}", with: "\n}\nchain deep {\ndrop comment \"deep\"\n}\n}"),
        place: "inet site deep", comment: "deep"),
      Firewall(
        testDescription: "port unreachable", rules: out("tcp dport 443 reject with icmpx port-unreachable"),
        outcome: .rejected, rejection: "icmpx port-unreachable"),
      Firewall(
        testDescription: "admin prohibited",
        rules: out("tcp dport 443 reject with icmpx admin-prohibited comment \"ask IT\""),
        outcome: .rejected, comment: "ask IT", rejection: "icmpx admin-prohibited"),
      Firewall(
        testDescription: "host unreachable", rules: out("tcp dport 443 reject with icmpx host-unreachable"),
        outcome: .rejected, rejection: "icmpx host-unreachable"),
      Firewall(
        testDescription: "TCP reset", rules: out("tcp dport 443 reject with tcp reset"),
        outcome: .rejected, rejection: "tcp reset"),
      Firewall(testDescription: "UDP", rules: out("udp dport 53 drop"), isUDP: true),
      Firewall(
        testDescription: "UDP rejected", rules: out("udp dport 53 reject with icmpx port-unreachable"),
        outcome: .rejected, rejection: "icmpx port-unreachable", isUDP: true),
      Firewall(
        testDescription: "UDP in postrouting",
        rules: out("udp dport 53 drop").replacing("hook output", with: "hook postrouting"),
        hook: "postrouting", isUDP: true),
    ]
  }

  @Test(arguments: Firewall.all, Family.all)
  func `the rule that drops or rejects is named`(_ firewall: Firewall, _ family: Family) throws {
    let lab = try FirewallLab(firewall.rules)
    let listener = try Listener(in: lab.peer, port: 443)
    defer { withExtendedLifetime(listener) {} }
    let target = firewall.isUDP ? "udp://\(family.peer):53" : "tcp://\(family.peer):443"
    let report = try lab.trace(target)
    #expect(report.outcome == firewall.outcome, "\(report)")
    let rule = try #require(report.rule)
    #expect("\(rule.family) \(rule.table) \(rule.chain)" == firewall.place)
    #expect(rule.hook == firewall.hook)
    #expect((rule.handle == nil) == firewall.isPolicy)
    #expect(rule.verdict == "drop" && rule.comment == firewall.comment)
    #expect(rule.rejection == firewall.rejection && !rule.isOfIPTables)
    #expect(report.words.verdict == .failed && !report.hasLosses)
    // The advice is a command that shows the rule.
    let advice = try #require(report.words.advice)
    let command = try #require(advice.firstMatch(of: /: (nft .*)\.$/)).1
    let shown = try lab.host.sh(String(command))
    #expect(shown.contains(rule.handle.map { "# handle \($0)\n" } ?? "policy drop"), "\(shown)")
  }

  @Test(arguments: [("ip", "10.1.0.9", "icmp host-prohibited"), ("ip6", "[fd00:1::9]", "icmpv6 no-route")])
  func `a rejection with a message of one family is named`(
    table: String, peer: String, message: String
  ) throws {
    let rules = Firewall.out("tcp dport 443 reject with \(message)").replacing("inet", with: table)
    let report = try FirewallLab(rules).trace("tcp://\(peer):443")
    #expect(report.outcome == .rejected && report.rule?.rejection == message && report.rule?.family == table)
  }

  @Test(arguments: Family.all)
  func `without a rule that drops, the answer is named, and so is silence`(_ family: Family) throws {
    let lab = try FirewallLab(Firewall.out("tcp dport 444 accept"))
    let listener = try Listener(in: lab.peer, port: 443)
    let answered = try lab.trace("tcp://\(family.peer):443")
    #expect(answered.outcome == .answered && answered.rule == nil && answered.error == nil)
    #expect(answered.words.fact.hasPrefix("no rule of nf_tables dropped the packet: "))
    #expect(listener.hasConnection)
    for target in ["tcp://\(family.peer):9", "udp://\(family.peer):9"] {
      let refused = try lab.trace(target)
      #expect(refused.outcome == .refused && refused.error == "Connection refused", "\(target)")
    }
    try lab.silencePeer()
    for target in ["tcp://\(family.peer):443", "udp://\(family.peer):53"] {
      let silent = try lab.trace(target, "--timeout", "300ms")
      #expect(silent.outcome == .unanswered && silent.rule == nil && silent.error == nil, "\(target)")
      #expect(silent.words.verdict == .unknown && silent.milliseconds >= 300)
      #expect(silent.steps.map(\.verdict).allSatisfy { $0 == "accept" })
    }
  }

  @Test func `packets to this machine itself are followed to its input`() throws {
    let rules = Firewall.out("tcp dport 443 drop").replacing("hook output", with: "hook input")
    let lab = try FirewallLab(rules)
    for target in ["tcp://10.1.0.1:443", "tcp://[fd00:1::1]:443"] {
      let report = try lab.trace(target)
      #expect(report.outcome == .dropped && report.rule?.hook == "input", "\(report)")
    }
  }

  @Test func `source, mark, interface and zone of the packet are as given`() throws {
    let lab = try FirewallLab(
      Firewall.out(
        """
        ip saddr 10.1.0.7 drop comment "source"
        meta mark 0x42 drop comment "mark"
        oifname "eth0" ip6 daddr fe80::9 drop comment "zone"
        oifname "lo" drop comment "interface"
        """)
        + "\n"
        + Firewall.out("ip daddr 10.1.0.8 tcp sport 443 drop comment \"answer to source\"")
        .replacing("hook output", with: "hook input").replacing("site", with: "other"))
    for address in ["10.1.0.7", "10.1.0.8"] { try lab.host.ip("address add \(address)/24 dev eth0") }
    for (arguments, comment) in [
      (["tcp://10.1.0.9:443", "--from", "10.1.0.7"], "source"),
      (["tcp://10.1.0.9:443", "--from", "10.1.0.8"], "answer to source"),
      (["tcp://10.1.0.9:443", "--mark", "0x42"], "mark"),
      (["tcp://[fe80::9%eth0]:443"], "zone"),
      (["udp://[fe80::9]:53", "--interface", "eth0"], "zone"),
      (["tcp://127.0.0.1:443", "--interface", "1"], "interface"),
    ] {
      let outcome = try lab.start(arguments).finish()
      #expect(outcome.status == 1 && outcome.output.contains(", comment \"\(comment)\"\n"), "\(outcome)")
    }
  }

  @Test func `a packet that cannot be sent is distinguished from one that is dropped`() throws {
    let report = try FirewallLab().trace("tcp://10.77.0.1:443")
    #expect(report.outcome == .notSent && report.error == "Network is unreachable")
  }

  @Test(.needsQueues) func `a queue that no program reads is named`() throws {
    let lab = try FirewallLab(Firewall.out("tcp dport 443 queue num 7"))
    let report = try lab.trace("tcp://10.1.0.9:443", "--timeout", "300ms")
    #expect(report.outcome == .handedOver && report.rule?.verdict == "queue")
  }

  @Test(.needsNAT) func `rules behind the replacement of addresses are named`() throws {
    let lab = try FirewallLab(
      """
      table ip nat {
      chain out {
      type nat hook output priority -100;
      ip daddr 10.99.0.1 tcp dport 80 dnat to 10.1.0.9:443
      }
      chain post {
      type nat hook postrouting priority 100;
      ip daddr 10.1.0.9 meta l4proto tcp masquerade to :1024-2000
      }
      }
      table inet site {
      chain post {
      type filter hook postrouting priority 200;
      tcp dport 444 drop comment "after masquerading"
      }
      chain in {
      type filter hook input priority 200;
      tcp sport 80 drop comment "restored answer"
      }
      }
      """)
    try lab.host.ip("route add 10.99.0.0/24 via 10.1.0.9")
    let listener = try Listener(in: lab.peer, port: 443)
    defer { withExtendedLifetime(listener) {} }
    let answer = try lab.trace("tcp://10.99.0.1:80")
    #expect(answer.outcome == .answerDropped && answer.rule?.comment == "restored answer", "\(answer)")
    let sent = try lab.trace("tcp://10.1.0.9:444")
    #expect(sent.outcome == .dropped && sent.rule?.comment == "after masquerading", "\(sent)")
  }
}

extension Trait where Self == Requirement {
  fileprivate static var needsQueues: Self {
    Self(
      .withoutNamespaces ?? .withoutPrograms("nft")
        ?? .unless(
          "nft add table inet t && nft add chain inet t c && nft add rule inet t c queue num 7",
          "the kernel has no queues of packets"))
  }

  fileprivate static var needsNAT: Self {
    Self(
      .withoutNamespaces ?? .withoutPrograms("nft")
        ?? .unless(
          "nft add table ip t && nft 'add chain ip t c { type nat hook postrouting priority 100; }'"
            + " && nft add rule ip t c masquerade", "the kernel replaces no addresses"))
  }
}
