#if os(Linux)
import LiveSupport
import ReachabilityKit
import RequirementSupport
import Testing

extension LiveTests {
  /// Evidence in real topologies: the status stays *reachable* in all of them.
  @Suite struct EvidenceTests {
    @Test func `a cut behind a live link stalls the path, and its status stays`() throws {
      let lab = try TrafficLab()
      let streams = try [lab.connect(1), lab.connect(2)]
      streams.forEach { $0.send(50) }
      lab.wait("answers") { $0.verdict == .answering && $0.answeringPeers == 2 }
      try lab.cut()
      let stall = lab.wait("a stall", while: { streams.forEach { $0.send(50) } }) {
        $0.verdict == .stalled && $0.stalledPeers == 2
      }
      #expect(stall.fault == .network)
      #expect(stall.strength == .strong)
      #expect(stall.nextHop?.address == "10.1.0.254")
      #expect(lab.monitor.status(of: .defaultRoute).isReachable)
      #expect(lab.monitor.status(of: .address("10.9.0.1")).isReachable)
      try lab.join()
      let end = lab.wait("the end", while: { streams.forEach { $0.send(50) } }) { $0.verdict == .answering }
      #expect(end.fault == nil)
      #expect(end.stalledPeers == 0)
    }

    @Test func `a single connection that stalls leaves the fault undetermined`() throws {
      let lab = try TrafficLab()
      let stream = try lab.connect()
      try lab.cut()
      stream.send(50)
      let stall = lab.wait("a stall") { $0.verdict == .stalled }
      #expect(stall.fault == .undetermined)
      #expect(stall.ownStalledConnections.map(\.peer) == ["10.9.0.1"])
      #expect(stall.ownStalledConnections.map(\.port) == [lab.listener.port])
      // Later timeouts are worth more than the second one.
      lab.wait("more timeouts") { $0.strength == .strong }
    }

    @Test func `a dead peer is at fault while others on its path answer`() throws {
      let lab = try TrafficLab()
      let (dead, live) = try (lab.connect(1), lab.connect(2))
      try lab.server.ip("route add blackhole 10.1.0.1 table 7")
      try lab.server.ip("rule add pref 1 from 10.9.0.1 lookup 7")
      dead.send(50)
      let target = ReachabilityTarget.address("10.9.0.1")
      let stall = lab.wait(for: target, "the peer's stall", while: { live.send(1) }) {
        $0.verdict == .stalled && $0.fault == .peer
      }
      #expect(stall.stalledPeers == 1)
      let path = lab.wait("the path's answers", while: { live.send(1) }) {
        $0.verdict == .answering && $0.stalledPeers == 1
      }
      #expect(path.fault == .peer)
      #expect(lab.monitor.evidence(for: .address("10.9.0.2")).verdict == .answering)
      #expect(lab.monitor.evidence(on: .name("eth0"), family: .v4).verdict == .answering)
      #expect(lab.monitor.evidence(on: .name("eth0"), family: .v6).verdict == .none)
    }

    @Test func `a peer on the link says nothing about the path behind the router`() throws {
      let lab = try TrafficLab()
      let far = try lab.connect()
      let neighbour = try Listener(in: lab.router)
      let near = try TCPStream(from: lab.client, to: [10, 1, 0, 254], neighbour)
      try lab.cut()
      far.send(50)
      let stall = lab.wait("a stall", while: { near.send(1) }) { $0.verdict == .stalled }
      #expect(stall.connections == 1)
      // Over the interface both count.
      let link = lab.monitor.evidence(on: .name("eth0"))
      #expect(link.connections == 2)
    }

    @Test func `a router that forwards in one direction stalls the path`() throws {
      let lab = try TrafficLab()
      let streams = try [lab.connect(1), lab.connect(2)]
      try lab.router.ip("rule add pref 1 iif s0 blackhole")
      streams.forEach { $0.send(50) }
      let stall = lab.wait("a stall") { $0.verdict == .stalled && $0.stalledPeers == 2 }
      #expect(stall.fault == .network)
      // The segments arrive; their acknowledgements do not.
      #expect(streams.allSatisfy { $0.drainServer() > 0 })
    }

    @Test(Requirement(.toPrograms("iptables")))
    func `a NAT that forgot a connection is no fault of the peer`() throws {
      let lab = try TrafficLab()
      try lab.router.sh("iptables -t nat -A POSTROUTING -o s0 -j MASQUERADE")
      try lab.router.sh("iptables -A FORWARD -m conntrack --ctstate INVALID -j DROP")
      try lab.router.writeSysctl("net/netfilter/nf_conntrack_tcp_loose", "0")
      let old = try lab.connect(1)
      old.send(1)
      // As a dialled link does when it reconnects: the router forgets what it translated.
      try lab.router.ip("link set s0 down")
      try lab.router.ip("link set s0 up")
      lab.wait("an empty table") { _ in
        (try? lab.router.sh("cat /proc/sys/net/netfilter/nf_conntrack_count")) == "0\n"
      }
      old.send(50)
      let target = ReachabilityTarget.address("10.9.0.1")
      lab.wait(for: target, "a stall") { $0.verdict == .stalled }
      let new = try lab.connect(1)
      let evidence = lab.wait(for: target, "an answer", while: { new.send(1) }) { $0.verdict == .answering }
      #expect(evidence.fault == .connection)
      #expect(evidence.stalledConnections == 1)
      #expect(evidence.stalledPeers == 0)
      #expect(lab.monitor.evidence(for: .defaultRoute).fault == .connection)
    }

    @Test func `the path answers while its name server does not`() throws {
      let lab = try TrafficLab()
      let stream = try lab.connect()
      // Queries leave for a server that is not there.
      try lab.server.ip("route add blackhole 10.9.0.53")
      try lab.client.sh("bash -c 'echo query >/dev/udp/10.9.0.53/53'")
      stream.send(50)
      let evidence = lab.wait("answers") { $0.verdict == .answering }
      #expect(evidence.stalledConnections == 0)
      #expect(lab.monitor.evidence(for: .address("10.9.0.53")).verdict == .none)
      #expect(lab.monitor.status(of: .address("10.9.0.53")).isReachable)
    }

    @Test func `a connection attempt without an answer stalls its target`() throws {
      let lab = try TrafficLab()
      try lab.cut()
      let attempt = try TCPStream(from: lab.client, to: [10, 9, 0, 3], port: 80)
      let stall = lab.wait(for: .address("10.9.0.3"), "a stall") { $0.verdict == .stalled }
      #expect(stall.received == nil)
      #expect(stall.stalledConnections == 1)
      withExtendedLifetime(attempt) {}
    }

    @Test func `a server that does not read is no stall`() throws {
      let lab = try TrafficLab()
      let stream = try lab.connect()
      // Until the server's buffer is full, and the kernel probes its closed window.
      lab.wait("a closed window", while: { stream.send(1 << 20) }) { _ in
        (try? lab.client.sh("ss -tno state established"))?.contains("timer:(persist") == true
      }
      let evidence = lab.wait("an answer") { $0.received.map { $0 < .seconds(1) } == true }
      #expect(evidence.verdict == .answering)
      #expect(evidence.stalledConnections == 0)
      // Unless its probes are unanswered, too.
      try lab.cut()
      #expect(lab.wait("a stall") { $0.verdict == .stalled }.stalledConnections == 1)
    }

    @Test func `large segments that stall while small ones pass name the path MTU`() throws {
      let lab = try TrafficLab()
      let stream = try lab.connect()
      stream.send(50)
      lab.wait("an answer") { $0.verdict == .answering }
      // A tunnel on the way, whose router must not send ICMP.
      try lab.router.ip("link set s0 mtu 1300")
      try lab.router.ip("rule add pref 1 iif lo to 10.1.0.1 blackhole")
      stream.send(3000)
      let evidence = lab.wait(for: .address("10.9.0.1"), "a suspected MTU") { $0.suspectedMTU != nil }
      #expect(evidence.suspectedMTU == 1500)
    }

    @Test func `a connection that was closed a moment ago is an answer`() throws {
      let lab = try TrafficLab()
      var stream: TCPStream? = try lab.connect()
      stream?.shutDown()
      stream = nil
      let evidence = lab.wait(for: .address("10.9.0.1"), "answers") { $0.verdict == .answering }
      #expect(evidence.connections == 1)
      let sockets = try lab.client.sh("ss -Htn state time-wait")
      #expect(sockets.contains("10.9.0.1"), "\(sockets)")
    }

    @Test func `connections of IPv6 and of mapped addresses count`() throws {
      let lab = try TrafficLab()
      let octets: [UInt8] = [0xfd, 0, 0, 9] + Array(repeating: 0, count: 11) + [1]
      // The first connection includes neighbour discovery in its round-trip time, and so in its timeouts.
      _ = try TCPStream(from: lab.client, to: octets, lab.listener)
      let stream = try TCPStream(from: lab.client, to: octets, lab.listener)
      stream.send(50)
      #expect(
        lab.wait(for: .address("fd00:9::1"), "answers") { $0.verdict == .answering }.answeringPeers == 1)
      #expect(lab.monitor.evidence(on: .name("eth0"), family: .v6).answeringPeers == 1)
      try lab.cut()
      stream.send(50)
      lab.wait(for: .address("fd00:9::1"), "a stall") { $0.verdict == .stalled }
      #expect(lab.monitor.evidence(for: .defaultRoute).verdict == .stalled)
    }

    @Test func `loopback, listeners and other networks are no evidence`() throws {
      let lab = try TrafficLab()
      let local = try Listener(in: lab.client)
      let loop = try TCPStream(from: lab.client, to: [127, 0, 0, 1], local)
      let own = try TCPStream(from: lab.client, to: [10, 1, 0, 1], local)
      let elsewhere = try TCPStream(from: lab.router, to: [10, 9, 0, 1], lab.listener)
      for stream in [loop, own, elsewhere] { stream.send(50) }
      for target in [ReachabilityTarget.defaultRoute, .address("10.9.0.1"), .address("127.0.0.1")] {
        let evidence = lab.monitor.evidence(for: target)
        #expect(evidence.verdict == .none)
        #expect(evidence.connections == 0)
      }
      #expect(lab.monitor.evidence(on: .name("eth0")).connections == 0)
    }

    @Test func `a port, a source or an interface restricts the connections`() throws {
      let lab = try TrafficLab()
      let stream = try lab.connect()
      stream.send(50)
      func connections(_ change: (inout ReachabilityTarget) -> Void) -> Int {
        var target = ReachabilityTarget.address("10.9.0.1")
        change(&target)
        return lab.monitor.evidence(for: target).connections
      }
      #expect(connections { _ in } == 1)
      #expect(connections { $0.port = lab.listener.port } == 1)
      #expect(connections { $0.port = 9 } == 0)
      #expect(connections { $0.source = "10.1.0.1" } == 1)
      #expect(connections { $0.source = "10.1.0.9" } == 0)
    }

    @Test func `evidence sends no packet`() throws {
      let lab = try TrafficLab()
      // Nothing else sends here.
      for network in [lab.client, lab.router] {
        try network.writeSysctl("net/ipv6/conf/all/disable_ipv6", "1")
      }
      let stream = try lab.connect()
      stream.send(50)
      lab.wait("answers") { $0.verdict == .answering }
      func sent() throws -> String {
        try lab.client.sh("cat /proc/net/snmp /proc/net/arp; ip -s link show eth0")
      }
      let before = try sent()
      let first = lab.monitor.evidence(for: .defaultRoute)
      let reading = lab.wait("another reading") { $0.received != first.received }
      #expect(reading.verdict == .answering)
      #expect(lab.monitor.evidence(on: .name("eth0")).verdict == .answering)
      let after = try sent()
      #expect(before == after)
    }
  }
}
#endif
