// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import LiveSupport
import Testing

@testable import ReachabilityKit

extension LiveExplanationTests {
  /// Explanations of next hops that are dead or unresolved, and of hosts with several addresses.
  @Suite("Explanations of next hops and hosts")
  struct NeighbourExplanationTests {
    @Test func `a next hop whose address is being resolved is reported`() throws {
      let lab = try Lab(.ipv4Only)
      let all = try ExplanationLab(lab)
      defer { all.cleanUp() }
      // Long enough to observe the state.
      try lab.host.writeSysctl("net/ipv4/neigh/v0/retrans_time_ms", "60000")
      try lab.host.ip("neigh add 10.1.0.7 dev v0 use")
      try all.wait(until: "neigh show 10.1.0.7 dev v0", says: "INCOMPLETE")
      let step = all.step(.nextHop, of: .address("10.1.0.7"))
      #expect(step?.fact == "10.1.0.7 on v0: address resolution is in progress")
      #expect(step?.verdict == .unknown)
      #expect(all.explain(.address("10.1.0.7")).status.isReachable)
    }

    @Test(arguments: [
      ("10.9.0.1", "10.1.0.254", "net/ipv4/neigh/v0", "ARP request"),
      ("fd00:9::1", "fd00:1::fe", "net/ipv6/neigh/v0", "neighbour solicitation"),
    ])
    func `a dead gateway is reported, but changes no status`(
      _ address: String, _ gateway: String, _ settings: String, _ request: String
    ) throws {
      let lab = try Lab()
      let all = try ExplanationLab(lab)
      defer { all.cleanUp() }
      try lab.host.writeSysctl("\(settings)/retrans_time_ms", "50")
      try lab.host.ip("neigh add \(gateway) dev v0 use")
      try all.wait(until: "neigh show \(gateway) dev v0", says: "FAILED")
      let target = try ReachabilityTarget(address)
      let explanation = all.explain(target)
      #expect(explanation.status.isReachable)
      let step = try #require(explanation.steps.first { $0.kind == .nextHop })
      #expect(step.fact == "router \(gateway) on v0 did not answer the last \(request)")
      #expect(step.verdict == .unknown)
      #expect(step.problem != nil && step.advice != nil)
      #expect(explanation.summary.contains("; but router \(gateway) on v0 did not answer"))
    }

    @Test func `a host with several addresses is explained by the best of each family`() async {
      await #expect(processExitsWith: .success) {
        let all = try ConnectionLab(
          hosts: """
            fd00:5::1 many.test
            10.5.0.1 many.test
            10.9.0.1 many.test
            fd00:9::1 many.test
            10.5.0.2 none.test
            fd00:5::2 none.test
            """)
        for prefix in ["10.5.0.0/16", "fd00:5::/64"] {
          try all.lab.host.ip("route add unreachable \(prefix)")
        }
        let many = try await all.monitor.explain(ReachabilityTarget("many.test"))
        #expect(many.status.isReachable)
        #expect(many.status.addresses.count == 4)
        #expect(many.steps[0].kind == .name)
        #expect(many.steps[0].duration != nil)
        for address in ["10.5.0.1", "10.9.0.1", "fd00:5::1", "fd00:9::1"] {
          #expect(many.steps[0].fact.contains(address), "\(many.steps[0].fact)")
        }
        let routes = many.steps.filter { $0.kind == .route }
        #expect(routes.count == 2 && routes.allSatisfy { $0.verdict == .passed }, "\(routes)")

        let none = try await all.monitor.explain(ReachabilityTarget("none.test"))
        #expect(none.status.reason == .unreachableRoute)
        #expect(none.steps.filter { $0.kind == .route && $0.verdict == .failed }.count == 2)
        #expect(none.firstFailure?.fact.contains("unreachable ") == true)

        try all.lab.host.ip("-6 route del default")
        let half = all.monitor.currentExplanation(of: try ReachabilityTarget("many.test"))
        #expect(half.status.isReachable)
        #expect(half.summary.hasPrefix("IPv6 "), "\(half.summary)")
        #expect(half.summary.contains("IPv4 is routed"), "\(half.summary)")
      }
    }

    // Slow: a probe waits for an answer that does not come.
    @Test func `a family without an answer is reported when the other one answers`() async {
      await #expect(processExitsWith: .success) {
        let all = try ConnectionLab(hosts: "fd00:66::1 half.test\n10.9.0.1 half.test")
        let listener = try Listener(in: all.lab.peer)
        let explanation = try await all.monitor.explain(
          ReachabilityTarget("half.test"), probing: listener.port)
        let steps = explanation.steps.filter { $0.kind == .connection }
        #expect(steps.map(\.family) == [.v6, .v4])
        #expect(steps.map(\.verdict) == [.unknown, .passed])
        #expect(steps[0].problem?.hasPrefix("fd00:66::1 had not answered after ") == true)
        #expect(explanation.connection?.address == "10.9.0.1")
        #expect(
          explanation.summary.hasPrefix("IPv6 did not answer in time; IPv4 answered on port \(listener.port)")
        )
      }
    }

    @Test func `an explanation sends nothing unless a probe is requested`() async throws {
      let lab = try Lab(.ipv4Only)
      let monitor = try lab.makeMonitor()
      // Counts only packets that this machine sent; the peer sends its own.
      func traffic() throws -> String { try lab.host.sh("ip -s link show v0 | grep -A1 TX:") }
      let before = try traffic()
      for target in [.address("10.1.0.7"), .address("10.9.0.1"), .defaultRoute] as [ReachabilityTarget] {
        _ = monitor.currentExplanation(of: target)
        _ = try await monitor.explain(target)
      }
      #expect(try traffic() == before)
      _ = try await monitor.explain(.address("10.1.0.7"), probing: 9, timeout: .milliseconds(100))
      #expect(try traffic() != before)
    }

    @Test func `a router that reports the end of the path is named`() async throws {
      let all = try ConnectionLab()
      let explanation = try await all.monitor.explain(.address("10.67.0.1"), probing: 80)
      let step = try #require(explanation.steps.last)
      #expect(step.kind == .connection && step.verdict == .failed)
      #expect(step.fact == "10.67.0.1 port 80: host unreachable (EHOSTUNREACH), reported by 10.1.0.254")
      #expect(step.problem?.hasPrefix("10.1.0.254 reports that it cannot reach 10.67.0.1: ") == true)
      #expect(explanation.status.isReachable)
    }
  }
}
#endif
