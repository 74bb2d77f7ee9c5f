// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import Testing

@testable import ReachabilityKit

/// The sentences about evidence, each without a kernel.
@Suite(.deadline) struct TrafficExplainerTests {
  private static let target = ReachabilityTarget.address("10.9.0.1")
  private static let reachable = ReachabilityStatus(
    .reachable, flags: .reachable, interface: Links.ethernet.interface)

  private static func explain(
    _ evidence: TrafficEvidence?, _ status: ReachabilityStatus = reachable
  ) -> ReachabilityExplanation {
    var facts = ExplanationFacts([.init(target: target, evaluation: Evaluation(status))])
    facts.evidence = evidence
    return Explainer(facts).explain(target)
  }

  private static let own = TrafficEvidence.StalledConnection(
    peer: "10.9.0.1", port: 443, duration: .seconds(3), timeouts: 3)

  @Test(
    arguments: [
      (
        TrafficEvidence(.answering, strength: .strong, received: .milliseconds(12), answeringPeers: 1),
        "1 peer answers, last segment received 12 ms ago"
      ),
      (
        TrafficEvidence(
          .answering, strength: .strong, fault: .peer, received: .milliseconds(300), answeringPeers: 2,
          stalledPeers: 1, stalledConnections: 1, ownStalledConnections: [own]),
        "2 peers answer, last segment received 300 ms ago, 1 peer stalls (10.9.0.1 port 443)"
      ),
      (
        TrafficEvidence(
          .answering, strength: .strong, fault: .connection, received: .zero, answeringPeers: 1,
          stalledConnections: 2),
        "1 peer answers, last segment received 0.0 ms ago, 2 connections stall"
      ),
      // The only peer that answered stalls now.
      (
        TrafficEvidence(
          .answering, strength: .strong, fault: .peer, received: .seconds(1), stalledPeers: 1,
          stalledConnections: 1),
        "last segment received 1.0 s ago, 1 peer stalls"
      ),
      (
        TrafficEvidence(.answering, received: .seconds(34), answeringPeers: 1),
        "1 peer answers, last segment received 34.0 s ago, weak evidence"
      ),
    ])
  func `evidence of answers passes`(_ evidence: TrafficEvidence, _ fact: String) {
    let step = Self.explain(evidence).steps.last
    #expect(step == .init(.traffic, .passed, fact: fact))
  }

  @Test(
    arguments: [
      (TrafficEvidence(.none), "no TCP traffic to judge by"),
      (.none(because: .notPermitted), "TCP connections cannot be read: the system does not permit it"),
      (.none(because: .unsupported), "TCP connections cannot be read: the system does not list them"),
      (
        .none(because: .namesNotResolved),
        "TCP connections cannot be read: the host's addresses are not known"
      ),
      (.none(because: .systemError), "TCP connections cannot be read: the system failed to answer"),
    ])
  func `without evidence the step is unknown and has no problem`(_ evidence: TrafficEvidence, _ fact: String)
  {
    #expect(Self.explain(evidence).steps.last == .init(.traffic, .unknown, fact: fact))
  }

  private static func stalled(
    _ fault: TrafficEvidence.Fault, peers: Int = 1, own: Int = 1, hop: TrafficEvidence.NextHop? = nil
  ) -> TrafficEvidence {
    TrafficEvidence(
      .stalled, strength: .strong, fault: fault, received: .seconds(4), stalled: .milliseconds(3600),
      connections: peers, stalledPeers: peers, stalledConnections: peers,
      ownStalledConnections: Array(repeating: Self.own, count: own), nextHop: hop)
  }

  @Test(
    arguments: [
      (
        stalled(.peer), "no answer for 3.6 s, 1 peer stalls (10.9.0.1 port 443)",
        "The target does not answer, but other peers over the same path do.",
        "The path works: check that the target is up, and trace the route to it."
      ),
      (
        stalled(.undetermined, own: 0), "no answer for 3.6 s, 1 peer stalls",
        "The only peer with traffic does not answer: the fault is the peer's or the network's.",
        "Compare with another host: reachability explain HOST --probe PORT."
      ),
      (
        stalled(.network, peers: 3, own: 0, hop: .init(address: "10.1.0.254", state: .confirmed)),
        "no answer for 3.6 s, 3 peers stall",
        "Nothing on this network answers: several peers stall, and none over the same path answers.",
        "The router 10.1.0.254 answers, so check its uplink."
      ),
      (
        TrafficEvidence(.stalled, strength: .strong, fault: .network, stalled: .seconds(3)),
        "no answer for 3.0 s",
        "Nothing on this network answers: several peers stall, and none over the same path answers.",
        "Check the link to the other machines, or the router and its uplink."
      ),
      (
        TrafficEvidence(.stalled, fault: .undetermined, stalled: .seconds(20), silentTunnel: .seconds(20)),
        "a tunnel has sent packets for 20.0 s, and received none", "Nothing answers through the tunnel.",
        "Check the keys and the remote end of the tunnel."
      ),
      (
        TrafficEvidence(
          .answering, strength: .strong, fault: .peer, received: .milliseconds(40), answeringPeers: 1,
          suspectedMTU: 1500),
        "1 peer answers, last segment received 40 ms ago, packets of 1500 bytes probably do not pass",
        "Segments of full size stall while smaller ones pass: a router probably drops packets of 1500 bytes.",
        "Lower the MTU of the interface, or let ICMP errors pass on the path: ip link set dev INTERFACE mtu 1280."
      ),
      (
        TrafficEvidence(
          .answering, strength: .strong, received: .milliseconds(40), answeringPeers: 1,
          leftBehind: .init(connections: 1, duration: .seconds(12), addresses: ["10.1.0.1"])),
        "1 peer answers, last segment received 40 ms ago, "
          + "1 connection left behind by a change (no answer for 12.0 s)",
        "A connection was left behind by a change: it keeps an address of an interface that its packets no longer take.",
        "The path works: restart their programs, or let them reconnect. To list them: ss -tnp src 10.1.0.1."
      ),
      (
        TrafficEvidence(
          .none,
          leftBehind: .init(connections: 3, duration: .seconds(12), addresses: ["10.1.0.1", "fd00:1::1"])),
        "no TCP traffic to judge by, 3 connections left behind by a change (no answer for 12.0 s)",
        "3 connections were left behind by a change: they keep addresses of interfaces that their packets no longer take.",
        "Restart their programs, or let them reconnect. To list them: "
          + "ss -tnp src 10.1.0.1 or src '[fd00:1::1]'."
      ),
    ])
  func `a stall is a problem with advice, but no failure, and a strong one is in the summary`(
    _ evidence: TrafficEvidence, _ fact: String, _ problem: String, _ advice: String
  ) {
    let explanation = Self.explain(evidence)
    #expect(
      explanation.steps.last
        == .init(.traffic, .unknown, fact: fact, problem: problem, advice: advice))
    #expect(explanation.status == Self.reachable)
    let doubt = evidence.isStrongStall ? "; but \(fact)" : ""
    #expect(explanation.summary == Self.explain(nil).summary + doubt)
    #expect(explanation.firstFailure == nil)
    #expect(explanation.evidence == evidence)
  }

  @Test(
    arguments: [
      (.confirmed, "The router 10.1.0.254 answers, so check its uplink."),
      (.failed, "Check that the router 10.1.0.254 is switched on and on this link."),
      (.unconfirmed, "Check the router 10.1.0.254 and its uplink."),
      (.probing, "Check the router 10.1.0.254 and its uplink."),
      (nil, "Check the link to the other machines, or the router and its uplink."),
    ] as [(TrafficEvidence.NextHop.State?, String)])
  func `the advice for a silent network depends on the router`(
    _ state: TrafficEvidence.NextHop.State?, _ advice: String
  ) {
    let hop = state.map { TrafficEvidence.NextHop(address: "10.1.0.254", state: $0) }
    #expect(Self.stalled(.network, peers: 2, hop: hop).step.advice == advice)
  }

  @Test func `evidence that differs in ages or in unspoken fields reads the same`() {
    let stall = Self.stalled(.undetermined)
    var other = stall
    (other.stalled, other.received, other.fault) = (.seconds(9), .seconds(10), .peer)
    #expect(!stall.meansSame(as: other))
    #expect(stall.readsSame(as: other))
    for change in [
      { $0.strength = .weak }, { $0.stalledPeers = 2 }, { $0.suspectedMTU = 1500 },
      { $0.verdict = .answering },
      { $0.leftBehind = .init(connections: 1, duration: .seconds(1), addresses: ["10.1.0.1"]) },
    ] as [(inout TrafficEvidence) -> Void] {
      var other = stall
      change(&other)
      #expect(!stall.readsSame(as: other), "\(other)")
    }
  }

  @Test func `evidence that differs only in ages and counts means the same`() {
    let stall = Self.stalled(.undetermined)
    var other = stall
    (other.stalled, other.received, other.stalledPeers) = (.seconds(9), .seconds(10), 2)
    #expect(stall.meansSame(as: other))
    for change in [
      { $0.strength = .weak }, { $0.fault = .peer }, { $0.suspectedMTU = 1500 }, { $0.verdict = .answering },
      { $0.leftBehind = .init(connections: 1, duration: .seconds(1), addresses: ["10.1.0.1"]) },
    ] as [(inout TrafficEvidence) -> Void] {
      var other = stall
      change(&other)
      #expect(!stall.meansSame(as: other), "\(other)")
    }
  }

  @Test func `packets that never left this machine have a step of their own, which the summary names`() {
    let explanation = Self.explain(Self.stalled(.thisMachine))
    let steps = explanation.steps.suffix(2)
    #expect(steps.map(\.kind) == [.traffic, .localFilter])
    #expect(
      steps.first?.fact
        == "no answer for 3.6 s, 1 peer stalls (10.9.0.1 port 443), none of its packets left this machine")
    #expect(steps.first?.problem == nil)
    #expect(steps.last?.verdict == .unknown)
    #expect(
      steps.last?.advice
        == "To name the rule, as root: reachability trace tcp://10.9.0.1:443. If none is named, look at: "
        + "tc -s qdisc, ip xfrm policy.")
    #expect(explanation.summary.hasSuffix("; but the packets of a connection did not leave this machine"))
    #expect(
      Self.explain(Self.stalled(.thisMachine, peers: 2, own: 0)).steps.last?.advice
        == "Look, as root, at: nft list ruleset, tc -s qdisc, ip xfrm policy.")
  }

  @Test func `only the first three of the user's own connections are named`() {
    let step = Self.stalled(.network, peers: 4, own: 4).step
    let name = "10.9.0.1 port 443"
    #expect(step.fact == "no answer for 3.6 s, 4 peers stall (\(name), \(name), \(name), and others)")
  }

  @Test func `the step comes after the name servers and before an attempt to connect`() throws {
    let report = ReachabilityConnectionReport(target: Self.target, port: 80, status: Self.reachable)
    var facts = ExplanationFacts(
      [.init(target: .defaultRoute, evaluation: Evaluation(Self.reachable))],
      TableFacts(network: Scenario([(Links.ethernet, addresses: ["10.1.0.1/24"])]).network), nameServers: [])
    facts.evidence = TrafficEvidence(.none)
    facts.probe.connection = report
    let kinds = Explainer(facts).explain(.defaultRoute).steps.map(\.kind)
    #expect(kinds.suffix(3) == [.nameServer, .traffic, .connection])
  }
}
#endif
