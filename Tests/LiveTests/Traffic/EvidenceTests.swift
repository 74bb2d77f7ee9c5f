// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Glibc
import InternetProtocol
import LiveSupport
import Netlink
import ReachabilityKit
import RequirementSupport
import Testing

extension LiveTrafficTests {
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
      #expect(lab.monitor.currentStatus(of: .defaultRoute).isReachable)
      #expect(lab.monitor.currentStatus(of: .address("10.9.0.1")).isReachable)
      try lab.join()
      // Each connection is answered when its own timer expires: one of them first.
      let end = lab.wait("the end", while: { streams.forEach { $0.send(50) } }) {
        $0.verdict == .answering && $0.stalledPeers == 0
      }
      #expect(end.fault == nil)
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

    @Test func `the evidence on a default route of one family is that of its connections`() throws {
      let lab = try TrafficLab()
      let streams = try [lab.connect(1), lab.connectIPv6()]
      streams.forEach { $0.send(50) }
      lab.wait("answers") { $0.answeringPeers == 2 }
      for family in [ReachabilityAddress.Family.v4, .v6] {
        var target = ReachabilityTarget.defaultRoute
        target.family = family
        lab.wait(for: target, "\(family)", while: { streams.forEach { $0.send(1) } }) {
          $0.answeringPeers == 1 && $0.connections == 1
        }
      }
    }

    @Test func `the kernel leaves connections to loopback addresses out of the list`() throws {
      let lab = try TrafficLab()
      try lab.client.raiseLoopback()
      let (far, own) = (try lab.connect(), try Listener(in: lab.client))
      let near = try TCPStream(from: lab.client, to: [127, 0, 0, 1], own)
      let near6 = try TCPStream(from: lab.client, to: Array(repeating: 0, count: 15) + [1], own)
      let peers = try lab.client.run {
        var client = SocketClient(over: try KernelTransport(.socketDiagnosis))
        var peers: [ReachabilityAddress] = []
        try client.connections {
          peers = []
        } each: {
          peers.append($0.remote.unmapped)
        }
        return peers
      }
      #expect(peers == ["10.9.0.1"])
      withExtendedLifetime((far, near, near6)) {}
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

    @Test(Requirement(.withoutPrograms("iptables")))
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
      #expect(lab.monitor.currentStatus(of: .address("10.9.0.53")).isReachable)
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
      func closeWindow() {
        lab.wait("a closed window", while: { stream.send(1 << 20) }) { _ in
          (try? lab.client.sh("ss -tno state established"))?.contains("timer:(persist") == true
        }
      }
      closeWindow()
      let evidence = lab.wait("an answer") { $0.received.map { $0 < .seconds(1) } == true }
      #expect(evidence.verdict == .answering)
      #expect(evidence.stalledConnections == 0)
      // Unless its probes are unanswered, too. Their intervals double while they are answered, so they begin anew.
      stream.drainServer()
      closeWindow()
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

    @Test func `a connection that waits for the end of its peer is an answer`() throws {
      let lab = try TrafficLab()
      // The timer of such a connection begins with this.
      try lab.client.writeSysctl("net/ipv4/tcp_fin_timeout", "30")
      let stream = try lab.connect()
      stream.closeClient()
      let deadline = ContinuousClock.now + .seconds(10)
      var sockets = ""
      while !sockets.contains("10.9.0.1"), ContinuousClock.now < deadline {
        sockets = try lab.client.sh("ss -Htn state fin-wait-2")
      }
      #expect(sockets.contains("10.9.0.1"))
      let evidence = lab.wait(for: .address("10.9.0.1"), "answers") { $0.verdict == .answering }
      #expect(evidence.connections == 1)
      #expect(evidence.received.map { $0 < .seconds(10) } == true, "\(evidence)")
    }

    @Test func `closing an ended connection is no answer while others stall`() throws {
      let lab = try TrafficLab()
      let (ended, stalled) = try (lab.connect(1), lab.connect(2))
      ended.shutDown()
      lab.wait("the acknowledgement of the end") { _ in
        (try? lab.client.sh("ss -Htn state fin-wait-2"))?.contains("10.9.0.1") == true
      }
      try lab.cut()
      stalled.send(50)
      let stall = lab.wait("a stall") { $0.verdict == .stalled }
      ended.closeClient()
      let later = lab.wait("another reading") { $0.stalled != stall.stalled }
      #expect(later.verdict == .stalled, "\(later)")
    }

    @Test(arguments: [ReachabilityAddress.Family.v4, .v6])
    func `connections that a failover left behind are no fault of the new path`(
      _ family: ReachabilityAddress.Family
    ) throws {
      let lab = try TrafficLab()
      func connect() throws -> TCPStream { try family == .v4 ? lab.connect() : lab.connectIPv6() }
      // The first connection includes neighbour discovery in its round-trip time, and so in its timeouts.
      let first = try connect()
      let old = try [connect(), connect()]
      old.forEach { $0.send(50) }
      var target = ReachabilityTarget.defaultRoute
      target.family = family
      // A connection that never worked is not left behind.
      lab.wait("the acknowledgements") { _ in
        let sockets = (try? lab.client.sh("ss -Htn state established")) ?? ""
        return sockets.split(separator: "\n").allSatisfy { $0.split(separator: " ")[1] == "0" }
      }
      lab.wait(for: target, "answers") { $0.verdict == .answering }
      try lab.addSecondUplink()
      try lab.failOver()
      let evidence = lab.wait(for: target, "the finding", while: { old.forEach { $0.send(50) } }) {
        $0.leftBehind?.connections == 2
      }
      #expect(evidence.verdict == .none, "\(evidence)")
      #expect(evidence.fault == nil)
      #expect(evidence.stalledConnections == 0)
      #expect(evidence.connections == 0)
      #expect(evidence.leftBehind?.addresses == [family == .v4 ? "10.1.0.1" : "fd00:1::1"])
      let new = try connect()
      let answers = lab.wait(for: target, "answers", while: { new.send(50) }) { $0.verdict == .answering }
      #expect(answers.fault == nil)
      #expect(answers.leftBehind?.connections == 2)
      #expect(lab.monitor.evidence(on: .name("eth1")).leftBehind?.connections == 2)
      let peer = ReachabilityTarget.address(family == .v4 ? "10.9.0.1" : "fd00:9::1")
      let evidenceOfPeer = lab.monitor.evidence(for: peer)
      #expect(evidenceOfPeer.verdict == .answering)
      #expect(evidenceOfPeer.fault == nil)
      #expect(evidenceOfPeer.leftBehind?.connections == 2)
      withExtendedLifetime(first) {}
    }

    @Test func `connections over a link that is switched off are left behind`() throws {
      let lab = try TrafficLab()
      try lab.addSecondUplink()
      let old = try lab.connect()
      old.send(50)
      lab.wait("answers") { $0.verdict == .answering }
      try lab.client.ip("link set eth0 down")
      try lab.failOver()
      let evidence = lab.wait(for: .address("10.9.0.1"), "the finding", while: { old.send(50) }) {
        $0.leftBehind?.connections == 1
      }
      #expect(evidence.verdict == .none, "\(evidence)")
    }

    @Test(arguments: ["10.1.0.1", "10.7.0.1"])
    func `an address of the machine, or one that the route names, belongs to the path`(
      _ source: String
    ) throws {
      let lab = try TrafficLab()
      try lab.addSecondUplink(dropsOtherSources: false)
      try lab.client.ip("address add 10.7.0.1/32 dev lo")
      try lab.router.ip("route add 10.7.0.1 via 10.5.0.1")
      try lab.client.ip("route replace default via 10.5.0.254 src \(source)")
      let stream = try lab.connect()
      // An address of the machine needs no route that names it.
      if source == "10.7.0.1" { try lab.client.ip("route replace default via 10.5.0.254") }
      stream.send(50)
      lab.wait("answers") { $0.verdict == .answering && $0.connections == 1 }
      try lab.cut()
      let stall = lab.wait("a stall", while: { stream.send(50) }) { $0.verdict == .stalled }
      #expect(stall.leftBehind == nil)
    }

    @Test func `a tunnel through which datagrams only leave is not stalled`() throws {
      let lab = try TrafficLab()
      guard let tunnel = try lab.client.openTunnel("tun0") else {
        print("skipped: this kernel has no tunnel devices")
        return
      }
      defer { tunnel.close() }
      try lab.client.ip("address add 10.8.0.1/24 dev tun0")
      try lab.client.ip("link set tun0 up")
      try lab.client.ip("route replace default dev tun0")
      var evidence = lab.monitor.evidence(for: .defaultRoute)
      // Longer than any keep-alive.
      let end = ContinuousClock.now + .seconds(18)
      while ContinuousClock.now < end, evidence.verdict == .none {
        try lab.client.sh("bash -c 'echo line >/dev/udp/10.9.0.1/514'")
        usleep(400_000)
        evidence = lab.monitor.evidence(for: .defaultRoute)
      }
      #expect(evidence.verdict == .none, "\(evidence)")
      #expect(evidence.silentTunnel == nil)
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
