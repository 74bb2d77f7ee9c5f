// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol
import LiveSupport
import ReachabilityKit
import RequirementSupport
import Testing

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

extension LiveTests {
  /// Refusals of this machine's firewall, and those of the far end.
  @Suite("Own refusals", Requirement(.withoutPrograms("iptables", "ip6tables")))
  struct OwnRefusalTests {
    enum Neighbour: CaseIterable {
      /// No packet was sent there yet.
      case unknown
      /// Other packets went there.
      case known
    }

    private static let refusals = [
      ("10.1.0.254", "tcp-reset"), ("10.1.0.254", "icmp-port-unreachable"), ("10.9.0.1", "tcp-reset"),
      ("fd00:1::fe", "tcp-reset"), ("fd00:1::fe", "icmp6-port-unreachable"), ("fd00:9::1", "tcp-reset"),
      // The kernel passes no ICMP error of its own to a socket that is bound to a zone.
      ("fe80::fe%v0", "tcp-reset"),
    ]

    /// Adds a rule for outgoing packets of the near host, from a shell that sees the folder `/etc`.
    private func reject(_ rule: String, isIPv6: Bool = false, in all: ConnectionLab) throws {
      let program = isIPv6 ? "ip6tables" : "iptables"
      try all.lab.peer.sh("nsenter --net=\(all.lab.host.path) \(program) -A OUTPUT \(rule)")
    }

    @Test(arguments: refusals, Neighbour.allCases)
    func `a refusal of the own firewall is not attributed to the target`(
      _ refusal: (address: String, kind: String), _ neighbour: Neighbour
    ) async throws {
      let all = try ConnectionLab()
      let target = try ReachabilityTarget(refusal.address)
      try all.lab.peer.ip("addr add fe80::fe/64 dev p0 nodad")
      let name = refusal.address.replacing("%v0", with: "")
      if neighbour == .known { _ = try await all.connect(refusal.address, port: 81) }
      let isIPv6 = refusal.address.contains(":")
      try reject("-p tcp --dport 80 -j REJECT --reject-with \(refusal.kind)", isIPv6: isIPv6, in: all)
      let explanation = try await all.monitor.explain(target, probing: 80)
      #expect(explanation.connection?.attempts.map(\.outcome) == [.failed(errorNumber: ECONNREFUSED)])
      let step = try #require(explanation.steps.last)
      #expect(step.fact == "\(name) port 80: refused on this machine (ECONNREFUSED)")
      #expect(
        step.problem == "A firewall rule of this machine refuses connections to \(name) port 80.")
      #expect(step.advice?.hasSuffix(isIPv6 ? "ip6tables-save." : "iptables-save.") == true)
    }

    @Test(arguments: ["10.1.0.254", "10.9.0.1", "fd00:1::fe", "fd00:9::1"], Neighbour.allCases)
    func `a refusal of the far end is the target's`(_ address: String, _ neighbour: Neighbour) async throws {
      let all = try ConnectionLab()
      if neighbour == .known { _ = try await all.connect(address, port: 81) }
      let explanation = try await all.monitor.explain(try ReachabilityTarget(address), probing: 80)
      #expect(explanation.connection?.attempts.map(\.outcome) == [.refused])
      #expect(
        explanation.steps.last?.problem
          == "\(address) is up, but nothing listens on port 80, or its firewall refuses.")
    }

    @Test(arguments: ["tcp-reset", "icmp-port-unreachable"])
    func `a firewall of the far end refuses for the target`(_ kind: String) async throws {
      let all = try ConnectionLab()
      try all.lab.peer.sh("iptables -A INPUT -p tcp --dport 80 -j REJECT --reject-with \(kind)")
      let report = try await all.connect("10.1.0.254", port: 80)
      #expect(report.attempts.map(\.outcome) == [.refused])
    }

    @Test func `an own address is up, whatever refuses`() async throws {
      let all = try ConnectionLab()
      for address in ["10.1.0.1", "127.0.0.1", "fd00:1::1"] {
        #expect(try await all.connect(address, port: 80).attempts.map(\.outcome) == [.refused])
      }
    }

    @Test func `a next hop that was never asked did not fail to answer`() async throws {
      let all = try ConnectionLab()
      try reject("-p tcp -j REJECT --reject-with icmp-host-unreachable", in: all)
      let explanation = try await all.monitor.explain(.address("10.1.0.254"), probing: 80)
      #expect(
        explanation.steps.last?.problem
          == "A firewall rule of this machine reports 10.1.0.254 as unreachable.")
    }
  }
}
#endif
