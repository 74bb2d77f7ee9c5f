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
      #expect(step.problem == nil)
      let filter = explanation.steps.first { $0.kind == .localFilter }
      #expect(
        filter?.problem == "This machine itself refuses connections to \(name) port 80: a firewall rule.")
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
      let filter = explanation.steps.first { $0.kind == .localFilter }
      #expect(filter?.problem == "This machine itself reports 10.1.0.254 as unreachable: a firewall rule.")
    }

    @Test(arguments: ["10.9.0.1", "fd00:9::1"])
    func `packets that this machine drops in silence are its own fault`(_ address: String) async throws {
      let all = try ConnectionLab()
      try reject("-p tcp --dport 80 -j DROP", isIPv6: address.contains(":"), in: all)
      let explanation = try await all.monitor.explain(
        try ReachabilityTarget(address), probing: 80, timeout: .seconds(4))
      let attempt = try #require(explanation.connection?.attempts.first)
      #expect(attempt.outcome == .timedOut && attempt.isStoppedHere)
      let filter = try #require(explanation.steps.first { $0.kind == .localFilter })
      #expect(filter.fact.hasPrefix("this machine dropped the packets to \(address) port 80 after routing"))
      // One that the far end drops is not.
      let far = try await all.monitor.explain(
        try ReachabilityTarget(address.contains(":") ? "fd00:66::1" : "10.66.0.1"), probing: 81,
        timeout: .seconds(4))
      #expect(far.connection?.attempts.map(\.outcome) == [.timedOut])
      #expect(far.connection?.attempts.map(\.isStoppedHere) == [false])
      #expect(!far.steps.contains { $0.kind == .localFilter })
    }

    @Test(arguments: ["10.1.0.9", "10.66.0.1", "fd00:1::9", "fd00:66::1"])
    func `packets that wait for the address of a next hop were not dropped`(_ address: String) async throws {
      let all = try ConnectionLab()
      // The next hop has no address to answer with.
      try all.lab.host.sh(
        "ip route replace default via 10.1.0.7 && ip -6 route replace default via fd00:1::7")
      let target = try ReachabilityTarget(address)
      // The kernel gives up after three seconds, and tries twice before.
      let explanation = try await all.monitor.explain(target, probing: 80, timeout: .milliseconds(2700))
      #expect(explanation.connection?.attempts.map(\.outcome) == [.timedOut])
      #expect(explanation.connection?.attempts.map(\.isStoppedHere) == [false])
      #expect(!explanation.steps.contains { $0.kind == .localFilter })
    }

    @Test func `a datagram that a rule drops is not accepted, and one that leaves is no matter`() async throws
    {
      let all = try ConnectionLab()
      let target = try ReachabilityTarget("udp://10.9.0.1:7000")
      for isDropped in [false, true] {
        if isDropped { try reject("-p udp --dport 7000 -j DROP", in: all) }
        let explanation = try await all.monitor.explain(target, probing: 80)
        let facts = explanation.steps.filter { $0.kind == .localFilter }.map(\.fact)
        #expect(
          facts
            == (isDropped
              ? ["this machine does not send datagrams to 10.9.0.1 port 7000: not permitted (EPERM)"] : []))
      }
    }

    @Test func `local ports that are all in use are no missing address`() async throws {
      let all = try ConnectionLab()
      try all.lab.host.writeSysctl("net/ipv4/ip_local_port_range", "40000 40001")
      let listener = try Listener(in: all.lab.peer)
      let streams = try (0..<2).map { _ in
        try TCPStream(from: all.lab.host, to: [10, 9, 0, 1], listener)
      }
      let explanation = try await all.monitor.explain(.address("10.9.0.1"), probing: listener.port)
      #expect(
        explanation.connection?.attempts.map(\.outcome) == [.failed(errorNumber: EADDRNOTAVAIL)])
      let step = try #require(explanation.steps.last)
      #expect(
        step.problem == "All local ports from 40000 to 40001 are in use for connections to 10.9.0.1 port "
          + "\(listener.port).")
      // The advice helps.
      let advice = try #require(step.advice?.split(separator: "as root: ").last?.dropLast())
      try all.lab.host.sh(String(advice))
      let second = try await all.monitor.connect(to: .address("10.9.0.1"), port: listener.port)
      #expect(second.isConnected)
      withExtendedLifetime(streams) {}
    }

    @Test func `answers that the reverse-path filter drops are counted, and the advice lets them pass`()
      async throws
    {
      let all = try ConnectionLab()
      let (host, peer) = (all.lab.host, all.lab.peer)
      // The answers take another cable.
      try host.sh(
        """
        ip link add v9 type veth peer name p9 netns \(peer.path) && ip address add 10.8.0.1/24 dev v9 &&
        ip link set v9 up
        """)
      try peer.sh("ip address add 10.8.0.2/24 dev p9 && ip link set p9 up")
      try peer.ip("route add 10.1.0.1/32 via 10.8.0.1 dev p9")
      for name in ["all", "default", "v9", "v0"] {
        try host.writeSysctl("net/ipv4/conf/\(name)/rp_filter", "1")
      }
      try peer.writeSysctl("net/ipv4/conf/all/rp_filter", "0")
      try peer.writeSysctl("net/ipv4/conf/p0/rp_filter", "0")
      // Otherwise it asks for the address of the other end in the name of 10.9.0.1, which is filtered as well.
      try peer.writeSysctl("net/ipv4/conf/all/arp_announce", "2")
      let listener = try Listener(in: peer)
      let target = ReachabilityTarget.address("10.9.0.1")
      let explanation = try await all.monitor.explain(
        target, probing: listener.port, timeout: .milliseconds(1500))
      let step = try #require(explanation.steps.first { $0.kind == .localFilter }, "\(explanation)")
      #expect(step.fact.hasPrefix("the reverse-path filter dropped "))
      let advice = try #require(step.advice?.split(separator: "as root: ").last?.dropLast())
      try host.sh(String(advice))
      #expect(try await all.monitor.connect(to: target, port: listener.port).isConnected)
    }
  }
}
#endif
