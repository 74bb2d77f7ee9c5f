// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LiveSupport
import ReachabilityKit
import Testing

extension LiveExplanationTests {
  /// Explanations of routes, next hops and name servers.
  @Suite("Explanations of routes")
  struct RouteExplanationTests {
    @Test func `an explanation covers the whole path of a packet`() throws {
      let all = try ExplanationLab(try Lab(.ipv4Only))
      defer { all.cleanUp() }
      let explanation = all.explain(.address("10.9.0.1"))
      #expect(
        explanation.steps.map(\.fact) == [
          "v0 (wired) is up", "v0 has 10.1.0.1/24",
          "default via 10.1.0.254 over v0 (wired): table main, metric 100, rule 32766",
          "router 10.1.0.254 on v0: no recent neighbour entry", "10.1.0.1 of v0",
          "no TCP traffic to judge by",
        ])
      #expect(
        explanation.steps.map(\.verdict) == [.passed, .passed, .passed, .unknown, .passed, .unknown])
      #expect(explanation.summary == "reachable over v0 (wired)")
      let own = all.explain(.address("10.1.0.1"))
      #expect(own.steps[2].fact == "local 10.1.0.1/32: table local, rule 0")
      #expect(own.evidence == nil)
      #expect(own.summary == "this machine itself over v0 (wired)")
    }

    @Test func `an explanation does not show another route with the same next hop`() throws {
      let lab = try Lab()
      try lab.host.ip("route del default")
      try lab.host.ip("-6 route del default")
      try lab.host.ip("-6 nexthop add id 1 via fd00:1::fe dev v0")
      try lab.host.ip("-6 nexthop add id 2 dev lo")
      for id in 1...2 { try lab.host.ip("-6 route add 2001:db8:\(id)::/48 nhid \(id)") }
      try lab.host.ip("-6 route add default nhid 1")
      try lab.host.ip("-6 route add 2001:db8:3::/48 nhid 2")
      try lab.cacheRoutes(to: ["2001:db8:1::1", "2001:db8:2::1"])
      let all = try ExplanationLab(lab)
      defer { all.cleanUp() }
      let words = "the kernel names only another route with its next-hop object"
      for target in [.defaultRoute, .address("2001:db8:9::1")] as [ReachabilityTarget] {
        #expect(
          all.explain(target).steps.first { $0.kind == .route && $0.family == .v6 }?.fact
            == "a route via fd00:1::fe over v0 (wired): \(words)")
      }
      let discarded = all.explain(.address("2001:db8:3::1"))
      #expect(
        discarded.firstFailure?.problem == "A route over lo silently discards packets to 2001:db8:3::1.")
      #expect(discarded.firstFailure?.advice == "Find it: ip -6 route show table all dev lo.")
      #expect(try lab.host.ip("-6 route show table all dev lo").contains("2001:db8:3::/48"))
    }

    @Test func `an explanation distinguishes address families`() throws {
      let lab = try Lab()
      try lab.host.ip("-6 route del default")
      let all = try ExplanationLab(lab)
      defer { all.cleanUp() }
      let explanation = all.explain(.defaultRoute)
      #expect(explanation.summary.hasPrefix("IPv6 has no default route; IPv4 is routed"))
      #expect(explanation.steps.first?.family == .v4)
      #expect(explanation.firstFailure?.family == .v6)
      #expect(explanation.firstFailure?.problem == "There is no IPv6 default route.")
      try lab.host.ip("route del default")
      try lab.host.ip("-6 route add default via fd00:1::fe")
      let other = all.explain(.defaultRoute)
      #expect(other.summary.hasPrefix("IPv4 has no default route; IPv6 is routed"))
      #expect(other.steps.first?.family == .v6)
    }

    @Test func `a missing route is reported with the tables that the rules look up`() throws {
      let lab = try Lab(defaultRoutes: false)
      let all = try ExplanationLab(lab)
      defer { all.cleanUp() }
      all.expect(
        .address("10.9.0.1"), failsAt: .route,
        "no route for 10.9.0.1 in tables local, main, default, which the rules look up", reason: .noRoute)
      all.expect(
        .address("fd00:9::1"), failsAt: .route,
        "no route for fd00:9::1 in tables local, main, which the rules look up", reason: .noRoute)
    }

    @Test func `a target bound to an interface that works lacks only a route`() throws {
      let lab = try Lab(defaultRoutes: false)
      let all = try ExplanationLab(lab)
      defer { all.cleanUp() }
      try lab.host.ip("-6 addr del fd00:1::1/64 dev v0")
      try all.wait(until: "-6 route show dev v0", says: "fe80::/64")
      // The kernel ends the check of the link-local address in a work queue, although there is none to make.
      try all.wait(until: "-6 address show dev v0 scope link -tentative", says: "fe80::")
      try lab.host.ip("-6 route del fe80::/64 dev v0")
      let explanation = all.explain(.address("fe80::7", zone: .name("v0")))
      // The status names no interface, and a link-local address is a sufficient source.
      #expect(explanation.status == .notReachable(.noRoute))
      #expect(explanation.steps.first?.fact == "v0 (wired) is up")
      #expect(explanation.steps.prefix(3).map(\.verdict) == [.passed, .passed, .failed], "\(explanation)")
    }

    @Test func `a rule that looks up an empty table is reported`() throws {
      let lab = try Lab(.ipv4Only)
      try lab.host.ip("rule add from all lookup 100 pref 100")
      try lab.host.ip("rule del pref 32766")
      let all = try ExplanationLab(lab)
      defer { all.cleanUp() }
      all.expect(
        .address("10.9.0.1"), failsAt: .route,
        "no route for 10.9.0.1 in tables local, 100, default, which the rules look up", reason: .noRoute)
      #expect(
        all.explain(.address("10.9.0.1")).firstFailure?.advice
          == "Add a route to one of these tables, or a rule that looks up another one: see 'ip rule'.")
      try lab.host.ip("route add default via 10.1.0.254 dev v0 onlink table 100")
      #expect(
        all.step(.route, of: .address("10.9.0.1"))?.fact
          == "default via 10.1.0.254 over v0 (wired): table 100, rule 100")
    }

    @Test(arguments: [
      ("blackhole", ReachabilityStatus.Reason.blackhole), ("unreachable", .unreachableRoute),
      ("prohibit", .prohibited),
    ])
    func `a route that refuses is named`(_ kind: String, _ reason: ReachabilityStatus.Reason) throws {
      let lab = try Lab()
      try lab.host.ip("route add \(kind) 10.66.0.0/16")
      try lab.host.ip("-6 route add \(kind) fd00:66::/64")
      try lab.host.ip("route add \(kind) 10.67.0.0/16 table 77")
      try lab.host.ip("rule add fwmark 0x42 lookup 77 pref 80")
      let all = try ExplanationLab(lab)
      defer { all.cleanUp() }
      all.expect(
        .address("10.66.1.1"), failsAt: .route, "\(kind) 10.66.0.0/16: table main, rule 32766",
        reason: reason)
      all.expect(
        .address("fd00:66::1"), failsAt: .route, "\(kind) fd00:66::/64: table main, rule 32766",
        reason: reason)
      all.expect(
        ReachabilityTarget(.address("10.67.1.1"), mark: 0x42), failsAt: .route,
        "\(kind) 10.67.0.0/16: table 77, rule 80 (mark 0x42)", reason: reason)
      #expect(
        all.explain(.address("fd00:66::1")).firstFailure?.advice
          == "If this is not intended, remove it: ip -6 route del \(kind) fd00:66::/64 dev lo metric 1024 table main."
      )
    }

    @Test func `a rule that refuses is named`() throws {
      let lab = try Lab(.ipv4Only)
      try lab.host.ip("rule add to 10.55.0.0/16 prohibit pref 90")
      try lab.host.ip("rule add to 10.56.0.0/16 unreachable pref 91")
      try lab.host.ip("rule add to 10.57.0.0/16 blackhole pref 92")
      let all = try ExplanationLab(lab)
      defer { all.cleanUp() }
      all.expect(
        .address("10.55.1.1"), failsAt: .route, "rule 90 (to 10.55.0.0/16): prohibit", reason: .prohibited)
      all.expect(
        .address("10.56.1.1"), failsAt: .route, "rule 91 (to 10.56.0.0/16): unreachable", reason: .noRoute)
      all.expect(
        .address("10.57.1.1"), failsAt: .route, "rule 92 (to 10.57.0.0/16): blackhole", reason: .blackhole)
    }

    @Test func `the half routes of a VPN are identified`() throws {
      let lab = try Lab(.ipv4Only)
      try lab.host.ip("route add 0.0.0.0/1 via 10.1.0.253")
      let all = try ExplanationLab(lab)
      defer { all.cleanUp() }
      let half = "0.0.0.0/1 via 10.1.0.253 over v0 (wired): table main, rule 32766; "
      #expect(
        all.step(.route, of: .defaultRoute)?.fact
          == half
          + "this half overrides the default route, and no route covers the other half, 128.0.0.0/1"
      )
      try lab.host.ip("route add 128.0.0.0/1 via 10.1.0.253")
      #expect(
        all.step(.route, of: .defaultRoute)?.fact
          == half + "with the other half, 128.0.0.0/1, it replaces the default route, as VPNs do")
      #expect(
        all.step(.route, of: .address("203.0.113.1"))?.fact.hasSuffix(
          "with the other half, 0.0.0.0/1, it replaces the default route, as VPNs do") == true)
    }

    @Test func `the neighbour state of the next hop is reported`() throws {
      let lab = try Lab(.ipv4Only)
      let all = try ExplanationLab(lab)
      defer { all.cleanUp() }
      let far = ReachabilityTarget.address("10.9.0.1")
      #expect(all.step(.nextHop, of: far)?.fact == "router 10.1.0.254 on v0: no recent neighbour entry")
      try lab.host.ip("neigh replace 10.1.0.254 lladdr 02:00:00:00:00:fe dev v0 nud reachable")
      #expect(
        all.step(.nextHop, of: far)
          == .init(.nextHop, family: .v4, .passed, fact: "router 10.1.0.254 on v0 answered a moment ago"))
      try lab.host.ip("neigh replace 10.1.0.254 lladdr 02:00:00:00:00:fe dev v0 nud stale")
      #expect(all.step(.nextHop, of: far)?.fact == "router 10.1.0.254 on v0 answered some time ago")
      try lab.host.ip("neigh replace 10.1.0.254 lladdr 02:00:00:00:00:fe dev v0 nud permanent")
      #expect(all.step(.nextHop, of: far)?.fact == "router 10.1.0.254 on v0 needs no address resolution")

      // No machine has this address.
      try lab.host.writeSysctl("net/ipv4/neigh/v0/retrans_time_ms", "50")
      try lab.host.ip("neigh add 10.1.0.7 dev v0 use")
      try all.wait(until: "neigh show 10.1.0.7 dev v0", says: "FAILED")
      let failed = all.step(.nextHop, of: .address("10.1.0.7"))
      #expect(failed?.fact == "10.1.0.7 on v0 did not answer the last ARP request")
      #expect(failed?.verdict == .unknown)
      #expect(
        failed?.problem == "10.1.0.7 did not answer on v0, so packets may get no further.")
    }

    @Test func `name servers are reported with the paths to them`() throws {
      let lab = try Lab(.ipv4Only)
      let none = try ExplanationLab(lab)
      let two = try ExplanationLab(lab, nameServers: "nameserver 10.9.0.53\nnameserver fd00:9::53\n")
      defer {
        none.cleanUp()
        two.cleanUp()
      }
      // Without a name server, the C library queries this machine.
      let own = none.step(.nameServer, of: .defaultRoute)
      #expect(own?.verdict == .passed)
      #expect(own?.fact == "127.0.0.1 over lo (loopback), since none is configured")
      #expect(none.step(.nameServer, of: .address("10.9.0.1")) == nil)

      let servers = two.explain(.defaultRoute).steps.filter { $0.kind == .nameServer }
      #expect(
        servers.map(\.fact) == ["10.9.0.53 via 10.1.0.254 over v0 (wired)", "fd00:9::53: no route"])
      #expect(servers.map(\.verdict) == [.passed, .unknown])
      try lab.host.ip("route add prohibit 10.9.0.53/32")
      let dead = two.explain(.defaultRoute).steps.filter { $0.kind == .nameServer }
      #expect(dead.map(\.verdict) == [.failed, .failed])
      #expect(dead[0].problem?.contains("a route or rule prohibits it") == true)
    }
  }
}
#endif
