// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol
import LiveSupport
import ReachabilityKit
import Testing

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

extension LiveExplanationTests {
  /// Each advice to remove a rule or a route is followed, after which the target is reachable.
  @Suite("Advice")
  struct AdviceTests {
    /// A network in which a rule or a route refuses packets, and innocent ones look alike.
    struct Case: CustomTestStringConvertible, Sendable {
      var testDescription: String
      var commands: [String]
      var target: ReachabilityTarget
      /// The fact, or `nil` if no rule and no route may be named.
      var fact: String?

      init(_ description: String, _ commands: [String], _ target: ReachabilityTarget, _ fact: String?) {
        testDescription = description
        self.commands = commands
        self.target = target
        self.fact = fact
      }

      /// Whether the kernel accepts the commands here: a user namespace maps the users that rules name only if root makes it.
      var isPossible: Bool { getuid() == 0 || !commands.contains { $0.contains("uidrange") } }
    }

    private static let one = ReachabilityTarget.address("10.66.1.1")
    private static let six = ReachabilityTarget.address("fd00:66::1")

    private static func one(
      mark: UInt32? = nil, transport: ReachabilityTarget.Transport? = nil, port: UInt16? = nil
    ) -> ReachabilityTarget {
      ReachabilityTarget(.address("10.66.1.1"), mark: mark, transport: transport, port: port)
    }

    static let rules = [
      Case(
        "a rule with tos",
        ["rule add tos 0x10 to 10.66.0.0/16 prohibit pref 50", "rule add to 10.66.1.0/24 prohibit pref 60"],
        one, "rule 60 (to 10.66.1.0/24): prohibit"),
      Case(
        "not tos",
        ["rule add tos 0x10 prohibit pref 40", "rule add not tos 0x10 prohibit pref 50"],
        one, "rule 50 (not tos 0x10): prohibit"),
      Case(
        "goto over a rule",
        [
          "rule add prohibit pref 50", "rule add to 10.67.0.0/16 lookup main pref 100",
          "rule add to 10.66.1.0/24 prohibit pref 100", "rule add pref 10 goto 100",
        ], one, "rule 100 (to 10.66.1.0/24): prohibit"),
      Case(
        "goto for others",
        [
          "rule add to 10.66.0.0/16 blackhole pref 50", "rule add to 10.67.0.0/16 pref 10 goto 32766",
        ], one, "rule 50 (to 10.66.0.0/16): blackhole"),
      Case(
        "goto without a target", ["rule add pref 10 goto 100", "rule add to 10.66.0.0/16 blackhole pref 50"],
        one, "rule 50 (to 10.66.0.0/16): blackhole"),
      Case(
        "fwmark",
        [
          "rule add fwmark 0x41 prohibit pref 50", "rule add fwmark 0x2/0xf prohibit pref 60",
          "rule add fwmark 0/0xff prohibit pref 40",
        ], one(mark: 0x42), "rule 60 (mark 0x2): prohibit"),
      Case(
        "fwmark 0", ["rule add fwmark 0x4/0xff prohibit pref 40", "rule add fwmark 0/0xff prohibit pref 41"],
        one, "rule 41 (mark 0x0): prohibit"),
      Case(
        "iif", ["rule add iif v0 blackhole pref 50", "rule add iif lo blackhole pref 60"], one,
        "rule 60 (from lo): blackhole"),
      Case(
        "uidrange", ["rule add uidrange 1-99 prohibit pref 50", "rule add uidrange 0-0 prohibit pref 60"],
        one,
        "rule 60 (user 0-0): prohibit"),
      Case(
        "ipproto and port",
        [
          "rule add ipproto udp dport 443 prohibit pref 50", "rule add ipproto tcp dport 80 prohibit pref 51",
          "rule add ipproto tcp dport 440-444 prohibit pref 60",
        ], one(transport: .tcp, port: 443), "rule 60 (ipproto tcp dport 440-444): prohibit"),
      Case(
        "a port that is not known",
        ["rule add dport 443 prohibit pref 50", "rule add to 10.66.0.0/16 prohibit pref 60"], one, nil),
      Case(
        "a port that matters not",
        ["rule add dport 443 lookup main pref 50", "rule add to 10.66.0.0/16 prohibit pref 60"], one,
        "rule 60 (to 10.66.0.0/16): prohibit"),
      Case(
        "several of one priority",
        [
          "rule add from 10.9.0.0/16 to 10.66.0.0/16 prohibit pref 50",
          "rule add to 10.66.0.0/16 prohibit pref 51",
          "rule add to 10.66.0.0/16 uidrange 5-9 prohibit pref 51",
        ], one, "rule 51 (to 10.66.0.0/16): prohibit"),
      Case(
        "an unreachable rule", ["rule add to 10.66.0.0/16 unreachable pref 50"], one,
        "rule 50 (to 10.66.0.0/16): unreachable"),
      Case(
        "IPv6 rules",
        [
          "-6 rule add tos 0x10 to fd00:66::/32 prohibit pref 50",
          "-6 rule add to fd00:66::/64 prohibit pref 60",
        ], six, "rule 60 (to fd00:66::/64): prohibit"),
      Case(
        "an unreachable IPv6 rule", ["-6 rule add to fd00:66::/64 unreachable pref 50"], six,
        "rule 50 (to fd00:66::/64): unreachable"),
    ]

    static let routes = [
      Case(
        "a route with tos",
        ["route add blackhole 10.66.1.0/24 tos 0x10", "route add blackhole 10.66.0.0/16"], one,
        "blackhole 10.66.0.0/16: table main, rule 32766"),
      Case(
        "tos beside the same prefix",
        ["route add blackhole 10.66.1.0/24 tos 0x10", "route add blackhole 10.66.1.0/24"], one,
        "blackhole 10.66.1.0/24: table main, rule 32766"),
      Case(
        "throw",
        [
          "route add throw 10.66.1.0/24 table 77", "route add blackhole 10.66.0.0/16 table 77",
          "route add blackhole 10.66.0.0/17", "rule add lookup 77 pref 77",
        ], one, "blackhole 10.66.0.0/17: table main, rule 32766"),
      Case(
        "suppress_prefixlength",
        [
          "route add 10.66.0.0/16 via 10.1.0.254 table 77", "route add blackhole default table 77",
          "rule add lookup 77 suppress_prefixlength 16 pref 77", "route add blackhole 10.66.1.0/24",
        ], one, "blackhole 10.66.1.0/24: table main, rule 32766"),
      Case(
        "a refusal is not suppressed",
        [
          "route add blackhole 10.66.0.0/16 table 77", "rule add lookup 77 suppress_prefixlength 16 pref 77",
        ], one, "blackhole 10.66.0.0/16: table 77, rule 77"),
      Case(
        "suppress_ifgroup",
        [
          "link set v0 group 5", "route add 10.66.0.0/16 via 10.1.0.254 table 77",
          "route add blackhole default table 77", "rule add lookup 77 suppress_ifgroup 5 pref 77",
          "route add prohibit 10.66.1.0/24",
        ], one, "prohibit 10.66.1.0/24: table main, rule 32766"),
      Case(
        "a dead route of a longer prefix",
        [
          "link add v1 type veth peer name p1", "link set v1 up", "addr add 10.3.0.1/24 dev v1",
          "sysctl net/ipv4/conf/v1/ignore_routes_with_linkdown=1", "route add 10.66.1.0/24 via 10.3.0.2",
          "route add unreachable 10.66.0.0/16",
        ], one, "unreachable 10.66.0.0/16: table main, rule 32766"),
      Case(
        "metrics",
        ["route add prohibit 10.66.0.0/16 metric 5", "route add 10.66.0.0/16 via 10.1.0.254 metric 9"],
        one, "prohibit 10.66.0.0/16: table main, rule 32766"),
      Case(
        "a next-hop object", ["nexthop add id 5 blackhole", "route add 10.66.0.0/16 nhid 5"], one,
        "blackhole 10.66.0.0/16: table main, rule 32766"),
      Case(
        "an IPv6 next-hop object", ["-6 nexthop add id 6 blackhole", "-6 route add fd00:66::/64 nhid 6"], six,
        "blackhole fd00:66::/64: table main, rule 32766"),
      Case(
        "IPv6 metrics",
        [
          "-6 route add blackhole fd00:66::/64 metric 5", "-6 route add fd00:66::/64 via fd00:1::fe metric 9",
        ], six, "blackhole fd00:66::/64: table main, rule 32766"),
      Case(
        "an IPv6 throw",
        [
          "-6 route add throw fd00:66::/64 table 77", "-6 route add prohibit fd00:66::/32 table 77",
          "-6 route add prohibit fd00:66::/48", "-6 rule add lookup 77 pref 77",
        ], six, "prohibit fd00:66::/48: table main, rule 32766"),
      Case(
        "an IPv6 suppression",
        [
          "-6 rule add lookup main suppress_prefixlength 0 pref 76", "-6 rule add lookup 77 pref 77",
          "-6 route add unreachable default table 77",
        ], six, "unreachable default: table 77, rule 77"),
    ]

    private static func command(in advice: String?) -> String? {
      guard let advice, let start = advice.firstRange(of: "remove it: ip "), advice.hasSuffix(".") else {
        return nil
      }
      return String(advice[start.upperBound...].dropLast())
    }

    @Test(arguments: (rules + routes).filter(\.isPossible))
    func `the advice removes the rule or route that refuses`(_ test: Case) throws {
      let lab = try Lab()
      for command in test.commands {
        let setting = command.split(separator: "sysctl ").first?.split(separator: "=") ?? []
        if setting.count == 2 {
          try lab.host.writeSysctl(String(setting[0]), String(setting[1]))
        } else {
          try lab.host.ip(command)
        }
      }
      let all = try ExplanationLab(lab)
      defer { all.cleanUp() }
      let failure = try #require(all.explain(test.target).firstFailure)
      #expect(failure.kind == .route)
      guard let fact = test.fact else {
        #expect(failure.problem?.hasPrefix("A route or rule ") == true, "\(failure)")
        #expect(Self.command(in: failure.advice) == nil, "\(failure)")
        return
      }
      #expect(failure.fact == fact)
      let command = try #require(Self.command(in: failure.advice), "\(failure)")
      let before = try self.state(of: lab)
      try lab.host.ip(command)
      let status = all.explain(test.target).status
      #expect(status.isReachable, "after 'ip \(command)': \(status)")
      // The kernel may add IPv6 routes meanwhile.
      let removed = try Set(before).subtracting(self.state(of: lab))
      #expect(removed.count == 1, "'ip \(command)' removed \(removed)")
    }

    /// The rules and routes of both families.
    private func state(of lab: Lab) throws -> [Substring] {
      try ["rule", "route show table all", "-6 rule", "-6 route show table all"].flatMap {
        try lab.host.ip($0).split(separator: "\n")
      }
    }

    @Test func `a lookup that fails for another reason accuses no rule`() throws {
      let lab = try Lab()
      // A source of 127.0.0.1 is invalid on v0, which the kernel reports as it reports a blackhole.
      try lab.host.ip("rule add blackhole pref 40000")
      let all = try ExplanationLab(lab)
      defer { all.cleanUp() }
      let target = ReachabilityTarget(.address("10.66.1.1"), source: "127.0.0.1")
      let explanation = all.explain(target)
      #expect(
        explanation.steps.allSatisfy { $0.advice?.contains("rule del") != true }, "\(explanation)")
    }

    @Test func `the rule that looks up the route is found behind jumps and suppressions`() throws {
      let lab = try Lab()
      for command in [
        "rule add lookup main suppress_prefixlength 0 pref 10", "rule add pref 20 goto 40",
        "rule add lookup main pref 30", "rule add to 10.66.0.0/16 lookup main pref 40",
      ] {
        try lab.host.ip(command)
      }
      let all = try ExplanationLab(lab)
      defer { all.cleanUp() }
      #expect(
        all.step(.route, of: Self.one)?.fact.hasSuffix("metric 100, rule 40 (to 10.66.0.0/16)") == true)
      #expect(all.step(.route, of: .address("10.67.0.1"))?.fact.hasSuffix("metric 100, rule 32766") == true)
    }

    @Test func `tables of rules that a jump passes over are not listed`() throws {
      let lab = try Lab(defaultRoutes: false)
      for command in [
        "rule add pref 20 goto 40", "rule add lookup 77 pref 30", "rule add lookup 78 pref 40",
        "rule add tos 0x10 lookup 79 pref 41",
      ] {
        try lab.host.ip(command)
      }
      let all = try ExplanationLab(lab)
      defer { all.cleanUp() }
      all.expect(
        Self.one, failsAt: .route,
        "no route for 10.66.1.1 in tables local, 78, main, default, which the rules look up", reason: .noRoute
      )
    }
  }
}
#endif
