// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Testing

@testable import ReachabilityKit

@Suite(.deadline) struct MachineLimitsTests {
  /// Explains a reachable address after an attempt that ended like this.
  private func steps(
    _ outcome: ReachabilityConnectionReport.Attempt.Outcome? = nil, isStoppedHere: Bool = false,
    before: MachineLimits = .init(), now: MachineLimits
  ) -> [ReachabilityExplanation.Step] {
    let target = ReachabilityTarget.address("10.9.0.1")
    let status = ReachabilityStatus(.reachable, flags: .reachable)
    var facts = ExplanationFacts([.init(target: target, evaluation: Evaluation(status))])
    facts.limits = now
    facts.probe.limitsBefore = before
    if let outcome {
      facts.probe.connection = ReachabilityConnectionReport(
        target: target, port: 80, status: status,
        attempts: [
          .init(
            "10.9.0.1", start: .zero, duration: .seconds(1), outcome: outcome, isStoppedHere: isStoppedHere)
        ])
    }
    return Explainer(facts).explain(target).steps.filter { [.localFilter, .resources].contains($0.kind) }
  }

  @Test func `the kernel's texts are read, and what is missing or hostile is unknown`() {
    var limits = MachineLimits()
    limits.read(
      netstat: Array("TcpExt: A IPReversePathFilter TCPMemoryPressures\nTcpExt: 1 7 9\nIpExt: B\n".utf8))
    #expect(limits.reversePathDrops == 7 && limits.memoryPressures == 9)
    limits.read(neighbours: Array("entries table_fulls\n00000002 0000000a\n00000002 00000001\n".utf8), .v6)
    #expect(limits.neighbourOverflows == [.v6: 11])
    limits.read(portRange: Array("32768\t60999\n".utf8))
    #expect(limits.localPorts == 32768...60999)
    for text in ["", "TcpExt: A\n", "x", "TcpExt: IPReversePathFilter\nTcpExt: -1\n", "9 8", "\n\n"] {
      var limits = MachineLimits()
      limits.read(netstat: Array(text.utf8))
      limits.read(neighbours: Array(text.utf8), .v4)
      limits.read(portRange: Array(text.utf8))
      #expect(limits == MachineLimits(), "\(text)")
    }
  }

  @Test func `a full table of tracked connections is a problem, also without an attempt`() {
    let full = MachineLimits(trackedConnections: 65536, trackingLimit: 65536)
    #expect(
      steps(now: full).map(\.fact)
        == ["the table of tracked connections is full, with 65536 of 65536 entries"])
    #expect(
      steps(now: full).first?.advice
        == "Let it grow, as root: sysctl -w net.netfilter.nf_conntrack_max=131072.")
    #expect(steps(now: MachineLimits(trackedConnections: 65535, trackingLimit: 65536)).isEmpty)
    #expect(steps(now: MachineLimits(trackedConnections: 1, trackingLimit: 0)).isEmpty)
  }

  @Test func `packets that a full table stops are no matter of a rule`() {
    func kinds(_ now: MachineLimits) -> [ReachabilityExplanation.Step.Kind] {
      steps(
        .timedOut, isStoppedHere: true, before: MachineLimits(neighbourOverflows: [.v4: 1, .v6: 1]), now: now
      )
      .map(\.kind)
    }
    #expect(kinds(MachineLimits(trackedConnections: 8, trackingLimit: 8)) == [.resources])
    #expect(kinds(MachineLimits(neighbourOverflows: [.v4: 2])) == [.resources])
    #expect(kinds(MachineLimits(neighbourOverflows: [.v4: 1])) == [.localFilter])
    var facts = ExplanationFacts([
      .init(target: .address("10.9.0.1"), evaluation: Evaluation(ReachabilityStatus(.reachable)))
    ])
    facts.evidence = TrafficEvidence(.stalled, fault: .thisMachine)
    for (limit, kinds) in [(8, [.traffic, .resources]), (9, [.traffic, .localFilter])]
      as [(Int, [ReachabilityExplanation.Step.Kind])]
    {
      facts.limits = MachineLimits(trackedConnections: 8, trackingLimit: limit)
      let steps = Explainer(facts).explain(.address("10.9.0.1")).steps
      #expect(steps.map(\.kind).suffix(2) == kinds)
    }
    // That of the other family stops nothing here.
    #expect(kinds(MachineLimits(neighbourOverflows: [.v6: 2])) == [.resources, .localFilter])
  }

  @Test func `counters matter by their growth during an attempt that failed`() {
    let old = MachineLimits(
      reversePathDrops: 5, memoryPressures: 2, neighbourOverflows: [.v4: 0, .v6: 3])
    var new = old
    #expect(steps(.timedOut, before: old, now: new).isEmpty)
    (new.reversePathDrops, new.memoryPressures) = (6, 4)
    new.neighbourOverflows = [.v4: 0, .v6: 9]
    #expect(
      steps(.timedOut, before: old, now: new).map(\.fact) == [
        "the reverse-path filter dropped 1 packet during the attempt",
        "the table of neighbours had no room 6 times during the attempt",
        "TCP ran short of memory 2 times during the attempt",
      ])
    #expect(steps(.timedOut, before: old, now: new).map(\.family) == [.v4, .v6, nil])
    #expect(steps(.timedOut, before: old, now: new).allSatisfy { $0.verdict == .unknown && $0.advice != nil })
    // Nothing is known of the time before, or the attempt succeeded, or there was none.
    #expect(steps(.timedOut, now: new).isEmpty)
    #expect(steps(.connected, before: old, now: new).isEmpty)
    #expect(steps(before: old, now: new).isEmpty)
  }
}
