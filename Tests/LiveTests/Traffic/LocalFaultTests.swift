// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import InternetProtocol
import LiveSupport
import ReachabilityKit
import RequirementSupport
import Testing

/// What stops the packets of a client, on its machine or elsewhere.
struct Obstacle: CustomTestStringConvertible, Sendable {
  enum Place: Sendable { case client, router, server }

  var testDescription: String
  /// Where the command runs; it stops packets of both families.
  var place = Place.client
  var command: String
  /// Whether the evidence must name this machine; otherwise it must not.
  var isLocal = true
  /// Whether attempts to connect fail at once.
  var refusesAttempts = false
  /// Whether only large packets are stopped.
  var isAboutSize = false

  /// A table with one chain for packets of both families.
  private static func table(_ chain: String, _ verdict: String, family: String = "inet") -> String {
    """
    nft 'table \(family) site { chain filter { type filter hook \(chain); policy accept;
      ip daddr 10.9.0.0/24 \(verdict); ip6 daddr fd00:9::/64 \(verdict); }; }'
    """
  }

  private static func iptables(_ rule: String, _ rule6: String? = nil) -> String {
    "iptables-nft -A OUTPUT -d 10.9.0.0/24 \(rule) && ip6tables-nft -A OUTPUT -d fd00:9::/64 \(rule6 ?? rule)"
  }

  static let all = [
    Obstacle(testDescription: "nft output", command: table("output priority 0", "drop")),
    Obstacle(testDescription: "nft postrouting", command: table("postrouting priority 0", "drop")),
    Obstacle(
      testDescription: "nft egress",
      command: table("egress device eth0 priority 0", "drop", family: "netdev")),
    Obstacle(
      testDescription: "nft policy",
      command: """
        nft 'table inet site { chain filter { type filter hook output priority 0; policy drop;
          meta l4proto ipv6-icmp accept; }; }'
        """),
    Obstacle(
      testDescription: "nft reject with port unreachable",
      command: table("output priority 0", "reject"), refusesAttempts: true),
    Obstacle(
      testDescription: "nft reject with admin-prohibited",
      command: table("output priority 0", "reject with icmpx type admin-prohibited"), refusesAttempts: true),
    Obstacle(
      testDescription: "nft reject with host unreachable",
      command: table("output priority 0", "reject with icmpx type host-unreachable"), refusesAttempts: true),
    Obstacle(
      testDescription: "nft mark", command: table("output priority 0", "meta mark 0 meta skuid 0 drop")),
    Obstacle(testDescription: "iptables-nft drop", command: iptables("-j DROP")),
    Obstacle(
      testDescription: "iptables-nft reject", command: iptables("-j REJECT"), refusesAttempts: true),
    Obstacle(
      testDescription: "iptables-legacy drop",
      command:
        "iptables-legacy -A OUTPUT -d 10.9.0.0/24 -j DROP && ip6tables-legacy -A OUTPUT -d fd00:9::/64 -j DROP"
    ),
    Obstacle(
      testDescription: "a queue without room",
      command: "tc qdisc add dev eth0 root tbf rate 8bit burst 10b limit 1b"),
    Obstacle(
      testDescription: "an IPsec policy",
      command: """
        ip xfrm policy add dir out dst 10.9.0.0/24 action block &&
        ip xfrm policy add dir out dst fd00:9::/64 action block
        """, refusesAttempts: true),
    Obstacle(
      testDescription: "input drops the replies",
      command: """
        nft 'table inet site { chain filter { type filter hook input priority 0;
          ip saddr { 10.9.0.1, 10.9.0.2 } drop; ip6 saddr { fd00:9::1, fd00:9::2 } drop; }; }'
        """, isLocal: false),
    Obstacle(
      testDescription: "a router that drops", place: .router,
      command: "sysctl -qw net.ipv4.ip_forward=0 net.ipv6.conf.all.forwarding=0", isLocal: false),
    Obstacle(
      testDescription: "a router's reverse-path filter", place: .router,
      command: """
        ip route replace 10.1.0.0/24 dev s0 && sysctl -qw net.ipv4.conf.all.rp_filter=1 net.ipv4.conf.c0.rp_filter=1 &&
        ip -6 rule add pref 1 to fd00:9::/64 blackhole
        """, isLocal: false),
    Obstacle(
      testDescription: "a dead peer", place: .server,
      command: "ip link set eth0 down", isLocal: false),
    Obstacle(
      testDescription: "a peer that drops", place: .server,
      command: """
        nft 'table inet site { chain filter { type filter hook input priority 0; meta l4proto tcp drop; }; }'
        """, isLocal: false),
    Obstacle(
      testDescription: "the network behind the router is gone", place: .router,
      command: "ip link set s0 down", isLocal: false),
    Obstacle(
      testDescription: "a small MTU on the way", place: .router,
      command: """
        ip link set s0 mtu 1300 && ip rule add pref 1 iif lo to 10.1.0.1 blackhole &&
        ip -6 rule add pref 1 iif lo to fd00:1::1 blackhole
        """, isLocal: false, isAboutSize: true),
  ]
}

/// What the evidence says about the connections of a client whose packets an obstacle stops.
private final class StoppedClient {
  /// A connection that had worked, or the first segment of one.
  enum Subject: String, CaseIterable {
    case connection4, connection6, attempt4, attempt6

    var isAttempt: Bool { self == .attempt4 || self == .attempt6 }
  }

  let obstacle: Obstacle
  private let lab: TrafficLab
  private var streams: [TCPStream] = []
  /// The first evidence that something stalls, and the last.
  private(set) var first: [Subject: TrafficEvidence] = [:]
  private(set) var last: [Subject: TrafficEvidence] = [:]

  init(_ obstacle: Obstacle) throws {
    self.obstacle = obstacle
    lab = try TrafficLab()
    try lab.server.ip("address add fd00:9::2/64 dev eth0 nodad")
    try lab.server.awaitAddresses()
    // The router's address stays known until all clients are ready, which takes a minute on a busy machine. Packets that
    // wait for it would not reach what stops them.
    for family in ["ipv4", "ipv6"] {
      try lab.client.writeSysctl("net/\(family)/neigh/eth0/base_reachable_time_ms", "3600000")
    }
    // A first connection includes neighbour discovery in its round-trip time, and so in its timeouts.
    _ = try (lab.connect(), lab.connectIPv6())
    streams = try [lab.connect(), lab.connectIPv6()]
  }

  var subjects: [Subject] {
    // A first segment is small.
    obstacle.refusesAttempts || obstacle.isAboutSize ? [.connection4, .connection6] : Subject.allCases
  }

  func begin() throws {
    try lab.apply(obstacle)
    for stream in streams { stream.send(3000) }
    if subjects.count == 2 { return }
    let six: [UInt8] = [0xfd, 0, 0, 9] + Array(repeating: 0, count: 11) + [2]
    streams.append(try TCPStream(from: lab.client, to: [10, 9, 0, 2], port: lab.listener.port))
    streams.append(try TCPStream(from: lab.client, to: six, port: lab.listener.port))
  }

  /// Reads the evidence; returns whether there is nothing to wait for.
  func read() -> Bool {
    for subject in subjects {
      let evidence = lab.monitor.evidence(for: .address(address(of: subject)))
      guard evidence.verdict == .stalled || evidence.suspectedMTU != nil else { continue }
      if first[subject] == nil { first[subject] = evidence }
      last[subject] = evidence
    }
    return subjects.allSatisfy { subject in
      last[subject].map { obstacle.isLocal || ($0.stalled ?? .seconds(9)) > .seconds(6) } == true
    }
  }

  private func address(of subject: Subject) -> ReachabilityAddress {
    switch subject {
    case .connection4: "10.9.0.1"
    case .connection6: "fd00:9::1"
    case .attempt4: "10.9.0.2"
    case .attempt6: "fd00:9::2"
    }
  }
}

extension LiveTrafficTests {
  /// Whether this machine itself stops packets, judged by connections that nothing else tells.
  @Suite(
    "Faults of this machine",
    Requirement(.withoutPrograms("nft", "iptables-nft", "iptables-legacy", "tc")))
  struct LocalFaultTests {
    @Test func `evidence names this machine where it stops packets, and nowhere else`() throws {
      let clients = try Obstacle.all.map(StoppedClient.init)
      for client in clients { try client.begin() }
      let deadline = ContinuousClock.now + .seconds(25)
      var waiting = clients
      while !waiting.isEmpty, ContinuousClock.now < deadline {
        waiting.removeAll { $0.read() }
        usleep(50_000)
      }
      for client in clients {
        for subject in client.subjects {
          let row = "\(client.obstacle.testDescription), \(subject)"
          guard let first = client.first[subject] else {
            // Others may refuse an attempt.
            if client.obstacle.isLocal || !subject.isAttempt { Issue.record("\(row): nothing stalls") }
            continue
          }
          if ProcessInfo.processInfo.environment["MATRIX"] != nil {
            print("|", row, "|", first.fault?.rawValue ?? "-", "|", first.stalled ?? .zero)
          }
          #expect((first.fault == .thisMachine) == client.obstacle.isLocal, "\(row): \(first)")
          let last = client.last[subject] ?? first
          #expect((last.fault == .thisMachine) == client.obstacle.isLocal, "\(row), later: \(last)")
          if client.obstacle.isLocal {
            #expect(first.strength == .strong && first.suspectedMTU == nil, "\(row): \(first)")
          }
        }
      }
    }

    @Test func `an address that is gone leaves its connections behind, and is no filter`() throws {
      let lab = try TrafficLab()
      try lab.client.ip("address add 10.1.0.2/24 dev eth0")
      _ = try lab.connect()
      let stream = try lab.connect()
      let target = ReachabilityTarget.address("10.9.0.1")
      stream.send(50)
      lab.wait(for: target, "answers") { $0.verdict == .answering }
      try lab.client.writeSysctl("net/ipv4/conf/all/promote_secondaries", "1")
      try lab.client.ip("address del 10.1.0.1/24 dev eth0")
      try lab.client.ip("route replace default via 10.1.0.254")
      stream.send(50)
      let evidence = lab.wait(for: target, "the finding") { $0.leftBehind != nil || $0.fault != nil }
      #expect(evidence.leftBehind?.connections == 1, "\(evidence)")
      #expect(evidence.fault == nil)
    }

    @Test(arguments: [false, true])
    func `packets that wait for the address of a router are not stopped by this machine`(
      _ comesLate: Bool
    ) throws {
      let lab = try TrafficLab()
      try lab.server.ip("address add fd00:9::2/64 dev eth0 nodad")
      try lab.server.awaitAddresses()
      _ = try (lab.connect(), lab.connectIPv6())
      let streams = try [lab.connect(), lab.connectIPv6()]
      // The router hears nothing, so it answers no request for its address.
      try lab.router.sh(
        "nft 'table netdev site { chain filter { type filter hook ingress device c0 priority 0; policy drop; }; }'"
      )
      try lab.client.ip("neigh flush dev eth0")
      for stream in streams { stream.send(3000) }
      let six: [UInt8] = [0xfd, 0, 0, 9] + Array(repeating: 0, count: 11) + [2]
      let attempts = try [
        TCPStream(from: lab.client, to: [10, 9, 0, 2], port: lab.listener.port),
        TCPStream(from: lab.client, to: six, port: lab.listener.port),
      ]
      let targets: [ReachabilityTarget] = ["10.9.0.1", "fd00:9::1", "10.9.0.2", "fd00:9::2"].map {
        .address($0)
      }
      let start = ContinuousClock.now
      var stalled: Set<ReachabilityTarget> = []
      var isDeaf = true
      // It answers the third request, and then drops the packets.
      while start.duration(to: .now) < .seconds(8) {
        for target in targets {
          let evidence = lab.monitor.evidence(for: target)
          if evidence.verdict == .stalled { stalled.insert(target) }
          #expect(evidence.fault != .thisMachine, "\(target): \(evidence)")
        }
        if comesLate, isDeaf, start.duration(to: .now) > .milliseconds(1500) {
          try lab.router.sh(
            "sysctl -qw net.ipv4.ip_forward=0 net.ipv6.conf.all.forwarding=0 && nft flush ruleset")
          isDeaf = false
        }
        usleep(20_000)
      }
      #expect(stalled.isSuperset(of: targets.prefix(2)), "\(stalled)")
      withExtendedLifetime(attempts) {}
    }

    @Test func `an explanation without a probe names what stopped the packets of connections`() throws {
      let lab = try TrafficLab()
      _ = try lab.connect()
      let stream = try lab.connect()
      try lab.client.sh(
        "nft 'table inet site { chain filter { type filter hook output priority 0; tcp dport 1-65535 drop; }; }'"
      )
      stream.send(50)
      let target = ReachabilityTarget.address("10.9.0.1")
      lab.wait(for: target, "a stall") { $0.fault == .thisMachine }
      let explanation = lab.monitor.currentExplanation(of: target)
      let step = try #require(explanation.steps.last)
      #expect(step.kind == .localFilter)
      #expect(step.fact == "the packets of a connection did not leave this machine")
      #expect(
        explanation.summary
          == "reachable over eth0 (wired); but the packets of a connection did not leave this machine")
      #expect(explanation.status.isReachable)
    }
  }
}

extension TrafficLab {
  /// Lets an obstacle stop the client's packets.
  fileprivate func apply(_ obstacle: Obstacle) throws {
    let network =
      switch obstacle.place {
      case .client: client
      case .router: router
      case .server: server
      }
    try network.sh(obstacle.command)
  }
}
#endif
