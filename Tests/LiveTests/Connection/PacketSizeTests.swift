// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Glibc
import LiveSupport
import ReachabilityKit
import RequirementSupport
import Testing

extension LiveTests {
  /// Paths on which a handshake succeeds, and full packets pass or vanish.
  @Suite("Packet sizes", Requirement(.withoutPrograms("iptables", "ip6tables")))
  struct PacketSizeTests {
    @Test(arguments: PacketSizeLab.addresses)
    func `full packets pass a healthy path, which takes one group of packets`(_ address: String) async throws
    {
      let lab = try PacketSizeLab()
      let outcome = try await lab.explain(address)
      #expect(outcome.steps.map(\.verdict) == [.passed])
      #expect(outcome.step?.fact == "packets of 1500 bytes pass in both directions")
      #expect(outcome.step?.problem == nil && outcome.greatest == 1500)
      #expect(outcome.explanation.summary.contains("bytes") == false, "\(outcome.explanation.summary)")
      let counters = try lab.server.sh("cat /proc/thread-self/net/snmp6 /proc/thread-self/net/snmp")
      // Two echo requests and two datagrams.
      if address.contains(":") {
        #expect(counters.contains(/Icmp6InEchos\s+2\n/) && counters.contains(/Udp6NoPorts\s+2\n/))
      } else {
        #expect(counters.contains("\nUdp: 0 2 "), "\(counters)")
      }
    }

    @Test(arguments: PacketSizeLab.addresses, [true, false])
    func `a router that drops silently is found, and the advice helps`(
      _ address: String, mayEcho: Bool
    ) async throws {
      let lab = try PacketSizeLab(mayEcho: mayEcho)
      try lab.shrinkPath(to: 1400)
      try lab.muteRouter()
      let outcome = try await lab.explain(address)
      let step = try #require(outcome.step)
      #expect(step.verdict == .unknown && outcome.steps.count == 1)
      #expect(outcome.greatest == 1400)
      let problem = try #require(step.problem, "\(step)")
      // Linux limits the rate of the answers to datagrams, so the size may not be found exactly.
      let isExact =
        problem == "A router on the path drops packets of more than 1400 bytes and does not say so."
      let isClose = problem.contains(/drops packets of 14\d\d bytes or more and does not say so/)
      #expect(isExact || (!mayEcho && isClose), "\(problem)")
      #expect(outcome.explanation.status.isReachable && outcome.explanation.firstFailure == nil)
      #expect(
        outcome.explanation.summary.contains(/; but packets of 14\d\d bytes or more vanish on the path$/))
      #expect(try lab.stalls(to: address))
      let command = try #require(outcome.command, "\(step)")
      try lab.client.sh(command)
      #expect(try lab.transfers(to: address), "after '\(command)'")
      let healed = try await lab.explain(address)
      #expect(healed.step?.verdict == .passed && healed.greatest == 1400, "\(healed.steps)")
    }

    @Test(arguments: PacketSizeLab.addresses)
    func `packets that vanish on the way back are distinguished, and the advice helps`(
      _ address: String
    ) async throws {
      let lab = try PacketSizeLab()
      try lab.shrinkWayBack(to: 1400)
      let outcome = try await lab.explain(address)
      #expect(
        outcome.step?.problem
          == "A router on the way back drops packets of more than 1400 bytes and does not say so.",
        "\(outcome.steps)")
      #expect(outcome.greatest == 1400)
      try lab.client.sh(try #require(outcome.command))
      #expect(try lab.transfers(to: address, back: true))
    }

    @Test(arguments: PacketSizeLab.addresses, [true, false])
    func `a router that reports its MTU is healthy`(_ address: String, mayEcho: Bool) async throws {
      let lab = try PacketSizeLab(mayEcho: mayEcho)
      try lab.shrinkPath(to: 1400)
      let outcome = try await lab.explain(address)
      #expect(outcome.step?.verdict == .passed && outcome.greatest == 1400)
      let router = address.contains(":") ? "fd00:1::fe" : "10.1.0.254"
      #expect(
        outcome.step?.fact.hasSuffix("; \(router) reports that no greater ones do") == true,
        "\(outcome.steps)")
      // The kernel has learned it, and sends smaller packets.
      let again = try await lab.explain(address)
      #expect(again.step?.verdict == .passed && again.greatest == 1400, "\(again.steps)")
      #expect(try lab.transfers(to: address))
    }

    @Test(arguments: PacketSizeLab.addresses)
    func `the own interface's and route's MTU are no black hole`(_ address: String) async throws {
      let lab = try PacketSizeLab()
      try lab.client.ip("link set dev eth0 mtu 1400")
      let link = try await lab.explain(address)
      #expect(link.step?.fact == "packets of 1400 bytes pass in both directions")
      try lab.client.ip("link set dev eth0 mtu 1500")
      let isIPv4 = !address.contains(":")
      try lab.client.ip(
        isIPv4
          ? "route add \(address) via 10.1.0.254 dev eth0 mtu 1300"
          : "-6 route add \(address) via fd00:1::fe dev eth0 mtu 1300")
      let route = try await lab.explain(address)
      #expect(route.step?.fact == "packets of 1300 bytes pass in both directions", "\(route.steps)")
    }

    @Test(arguments: PacketSizeLab.addresses)
    func `a server that answers only TCP leaves it unknown`(_ address: String) async throws {
      let lab = try PacketSizeLab()
      try lab.silenceServer()
      try lab.shrinkPath(to: 1400)
      try lab.muteRouter()
      let outcome = try await lab.explain(address)
      #expect(outcome.step?.verdict == .unknown && outcome.step?.problem == nil && outcome.greatest == nil)
      #expect(
        outcome.step?.fact
          == "not known whether packets of 1500 bytes pass: \(address) answers neither UDP nor echo requests")
    }

    @Test(arguments: PacketSizeLab.addresses)
    func `at a port of TLS a padded hello tells, where nothing else is answered`(
      _ address: String
    ) async throws {
      let lab = try PacketSizeLab()
      let listener = try Listener(in: lab.server, port: 443)
      try lab.silenceServer()
      let healthy = try await lab.explain(address, port: 443)
      #expect(healthy.step?.verdict == .passed && healthy.greatest == 1500, "\(healthy.steps)")
      #expect(healthy.step?.fact == "packets of 1500 bytes pass to \(address)")
      try lab.shrinkPath(to: 1400)
      try lab.muteRouter()
      let outcome = try await lab.explain(address, port: 443)
      #expect(
        outcome.step?.problem
          == "A router on the path drops packets of 1500 bytes or more and does not say so.",
        "\(outcome.steps)")
      #expect(outcome.step?.fact == "small packets pass, those of 1500 bytes or more vanish on the path")
      // The connection of the test is no evidence about others.
      #expect(try lab.client.sh("ss -tanH state fin-wait-1") == "")
      #expect(outcome.explanation.evidence?.suspectedMTU == nil)
      try lab.client.sh(try #require(outcome.command))
      #expect(try lab.transfers(to: address))
      withExtendedLifetime(listener) {}
    }

    @Test(arguments: PacketSizeLab.addresses)
    func `a path that loses packets at random is no black hole`(_ address: String) async throws {
      let lab = try PacketSizeLab()
      for kind in ["udp", address.contains(":") ? "icmpv6" : "icmp"] {
        let command = address.contains(":") ? "ip6tables" : "iptables"
        try lab.router.sh(
          "\(command) -A FORWARD -p \(kind) -m statistic --mode random --probability 0.15 -j DROP")
      }
      for _ in 0..<5 {
        let outcome = try await lab.explain(address)
        #expect(outcome.step?.problem == nil, "\(outcome.steps)")
      }
    }

    @Test(arguments: PacketSizeLab.addresses)
    func `a firewall that drops only large echo requests is no black hole`(_ address: String) async throws {
      let lab = try PacketSizeLab()
      let kind = address.contains(":") ? "icmpv6" : "icmp"
      let command = address.contains(":") ? "ip6tables" : "iptables"
      try lab.server.sh("\(command) -A INPUT -p \(kind) -m length --length 1025:65535 -j DROP")
      let outcome = try await lab.explain(address)
      #expect(outcome.step?.verdict == .passed && outcome.greatest == 1500, "\(outcome.steps)")
      #expect(outcome.step?.fact == "packets of 1500 bytes pass to \(address)")
    }

    @Test func `answers that a router splits are named`() async throws {
      let lab = try PacketSizeLab()
      // Echo replies may be split, and are.
      try lab.router.ip("route change 10.1.0.0/24 dev c0 mtu lock 1400")
      let outcome = try await lab.explain("10.9.0.1")
      #expect(
        outcome.step?.fact
          == "packets of 1500 bytes pass to 10.9.0.1, answers of that size arrive in fragments of up to 1396 bytes"
      )
    }

    @Test(arguments: [true, false])
    func `a user without privileges finds it`(mayEcho: Bool) async {
      await #expect(processExitsWith: .success) { [mayEcho] in
        let lab = try PacketSizeLab(mayEcho: mayEcho)
        try lab.shrinkPath(to: 1400)
        try lab.muteRouter()
        guard seteuid(1000) == 0 else {
          print("skipped: this process cannot change its user")
          return
        }
        for address in PacketSizeLab.addresses {
          let outcome = try await lab.explain(address)
          #expect(outcome.step?.problem?.hasPrefix("A router on the path drops packets of ") == true)
          #expect(outcome.greatest == 1400, "\(outcome.steps)")
        }
      }
    }

    @Test func `without permission to send echo requests the step says so`() async throws {
      let lab = try PacketSizeLab(mayEcho: false)
      try lab.silenceServer()
      let outcome = try await lab.explain("10.9.0.1")
      #expect(
        outcome.step?.fact.hasSuffix("this user may not send echo requests (net.ipv4.ping_group_range)")
          == true)
    }

    @Test func `a firewall of this machine that drops test packets leaves it unknown`() async throws {
      let lab = try PacketSizeLab()
      try lab.client.sh("iptables -A OUTPUT -p udp -j DROP && iptables -A OUTPUT -p icmp -j DROP")
      let outcome = try await lab.explain("10.9.0.1")
      #expect(
        outcome.step?.fact
          == "not known whether packets of 1500 bytes pass: this machine does not let test packets leave")
    }

    @Test func `a firewall in front of the server does not answer for it`() async throws {
      let lab = try PacketSizeLab(mayEcho: false)
      try lab.router.sh("iptables -A FORWARD -p udp -j REJECT --reject-with icmp-port-unreachable")
      let outcome = try await lab.explain("10.9.0.1")
      #expect(outcome.step?.verdict == .unknown && outcome.step?.problem == nil, "\(outcome.steps)")
    }

    @Test func `there is no step for this machine, nor without a connection`() async throws {
      let lab = try PacketSizeLab()
      let own = try Listener(in: lab.client)
      for (address, port) in [("10.1.0.1", own.port), ("127.0.0.1", own.port), ("10.9.0.1", 9)] {
        let outcome = try await lab.explain(address, port: port)
        #expect(outcome.steps == [] && outcome.greatest == nil)
      }
    }

    @Test func `an attempt to connect sends no other packets`() async throws {
      let lab = try PacketSizeLab()
      let report = try await lab.monitor.connect(to: .address("10.9.0.1"), port: lab.upstream.port)
      #expect(report.isConnected && report.connection?.greatestPacket == nil)
      #expect(try lab.server.sh("cat /proc/thread-self/net/snmp").contains("\nUdp: 0 0 "))
    }
  }
}

extension PacketSizeLab {
  /// Whether data on a new connection is sent again and does not arrive.
  fileprivate func stalls(to address: String) throws -> Bool {
    let target = try ReachabilityTarget(address)
    guard case .address(let address) = target.destination else { return false }
    let listener = try Listener(in: server)
    let stream = try TCPStream(from: client, to: address.octets, listener)
    stream.send(15_000)
    var arrived = 0
    let deadline = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now < deadline {
      arrived += stream.drainServer()
      if arrived >= 15_000 { return false }
      // Segments that were sent again, and how often.
      if try client.sh("ss -tinH").contains(#/retrans:\d+\/[3-9]/#) { return true }
    }
    return false
  }
}
#endif
