// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import Testing

@testable import ReachabilityKit

/// The sentences about the size of packets.
@Suite(.deadline) struct PacketSizeExplainerTests {
  private func explain(
    _ finding: PacketSizeFinding, gateway: ReachabilityAddress? = "10.1.0.254", interface: String? = "eth0",
    table: UInt32? = nil
  ) -> ReachabilityExplanation {
    var status = ReachabilityStatus(
      .reachable, flags: .reachable,
      interface: interface.map { ReachabilityInterface(name: $0, index: 2, kind: .wired) }, gateway: gateway)
    status.source = "10.1.0.1"
    let target = ReachabilityTarget.address(finding.address)
    var path = ExplanationFacts.Path(target: target, evaluation: Evaluation(status))
    path.table = table
    var facts = ExplanationFacts([path])
    facts.probe.connection = ReachabilityConnectionReport(
      target: target, port: 443, status: status,
      attempts: [.init(finding.address, start: .zero, duration: .milliseconds(2), outcome: .connected)])
    facts.probe.packetSize = finding
    return Explainer(facts).explain(target)
  }

  private func finding(
    _ outcome: PacketSizeFinding.Outcome, _ address: ReachabilityAddress = "10.9.0.1"
  ) -> PacketSizeFinding {
    PacketSizeFinding(address: address, full: 1500, outcome: outcome)
  }

  private func step(_ finding: PacketSizeFinding) -> ReachabilityExplanation.Step? {
    explain(finding).steps.last
  }

  @Test func `the kind of the step has a name`() {
    #expect(ReachabilityExplanation.Step.Kind.packetSize.rawValue == "packetSize")
    #expect(ReachabilityExplanation.Step.Kind.packetSize.words == "packet size")
  }

  @Test func `packets that pass are no problem`() {
    var passed = finding(.passed(1500, isBackTested: true))
    #expect(step(passed)?.verdict == .passed)
    #expect(step(passed)?.kind == .packetSize && step(passed)?.family == .v4)
    #expect(step(passed)?.fact == "packets of 1500 bytes pass in both directions")
    #expect(explain(passed).summary == "10.9.0.1 answered on port 443 after 2.0 ms")
    passed.fragment = 1396
    #expect(
      step(passed)?.fact
        == "packets of 1500 bytes pass to 10.9.0.1, answers of that size arrive in fragments of up to 1396 bytes"
    )
    #expect(
      step(finding(.passed(1500, isBackTested: false)))?.fact == "packets of 1500 bytes pass to 10.9.0.1")
    var reported = finding(.passed(1400, isBackTested: true))
    reported.report = .init(mtu: 1400, reporter: "10.1.0.254")
    #expect(
      step(reported)?.fact
        == "packets of 1400 bytes pass in both directions; 10.1.0.254 reports that no greater ones do")
    reported.report = .init(mtu: 1400)
    #expect(step(reported)?.fact.hasSuffix("; this machine reports that no greater ones do") == true)
  }

  @Test(
    arguments: [
      (
        .there, 1401, 1400, "packets of 1400 bytes pass, greater ones vanish on the path",
        "A router on the path drops packets of more than 1400 bytes and does not say so."
      ),
      (
        .there, 1412, 1400, "packets of 1400 bytes pass, those of 1412 bytes or more vanish on the path",
        "A router on the path drops packets of 1412 bytes or more and does not say so."
      ),
      (
        .back, 1401, 1400, "packets of 1400 bytes pass, greater ones vanish on the way back",
        "A router on the way back drops packets of more than 1400 bytes and does not say so."
      ),
      (
        .either, 1401, 1400, "packets of 1400 bytes pass, greater ones vanish",
        "A router on the path or on the way back drops packets of more than 1400 bytes and does not say so."
      ),
      (
        .there, 1500, nil, "small packets pass, those of 1500 bytes or more vanish on the path",
        "A router on the path drops packets of 1500 bytes or more and does not say so."
      ),
    ] as [(PacketSizeFinding.Direction, Int, Int?, String, String)])
  func `packets that vanish are a problem, but no failure`(
    _ direction: PacketSizeFinding.Direction, _ from: Int, _ passing: Int?, _ fact: String, _ problem: String
  ) {
    let explanation = explain(finding(.lost(from: from, passing: passing, direction)))
    let step = explanation.steps.last
    #expect(step?.verdict == .unknown && explanation.firstFailure == nil)
    #expect(step?.fact == fact)
    #expect(step?.problem == problem)
    #expect(
      step?.advice
        == "Until that router is repaired, use smaller packets there: ip route replace 10.9.0.1 via 10.1.0.254 dev eth0 mtu "
        + "\(passing ?? 1280).")
    #expect(
      explanation.summary.hasPrefix(
        "10.9.0.1 answered on port 443 after 2.0 ms; but packets of \(from) bytes or more vanish"))
  }

  @Test func `the advice names the path of the packets as a shell reads it`() {
    func command(_ explanation: ReachabilityExplanation) -> Substring? {
      explanation.steps.last?.advice?.split(separator: ": ").last?.dropLast()
    }
    let lost = PacketSizeFinding.Outcome.lost(from: 1401, passing: 1400, .there)
    #expect(
      command(explain(finding(lost), gateway: nil, interface: "a;id"))
        == "ip route replace 10.9.0.1 dev 'a;id' mtu 1400")
    #expect(
      command(explain(finding(lost), gateway: "fe80::1", table: 51820))
        == "ip route replace 10.9.0.1 via inet6 fe80::1 dev eth0 table 51820 mtu 1400")
    #expect(
      command(explain(finding(lost, "fd00:9::1"), gateway: "fe80::1"))
        == "ip -6 route replace fd00:9::1 via fe80::1 dev eth0 mtu 1400")
    #expect(
      command(explain(finding(lost), interface: nil)) == "sysctl net.ipv4.tcp_mtu_probing=1")
  }

  @Test(
    arguments: [
      (.silent(mayEcho: true), "10.9.0.1 answers neither UDP nor echo requests"),
      (
        .silent(mayEcho: false),
        "10.9.0.1 does not answer UDP, and this user may not send echo requests (net.ipv4.ping_group_range)"
      ),
      (.filtered, "10.9.0.1 answers small test packets only, as behind a filter"),
      (.undecided(passing: 1280), "those of 1280 bytes do, and there were too few answers"),
      (.undecided(passing: nil), "there were too few answers"),
      (.notSent, "this machine does not let test packets leave"),
    ] as [(PacketSizeFinding.Ignorance, String)])
  func `what is not known is said to be unknown`(_ ignorance: PacketSizeFinding.Ignorance, _ words: String) {
    let explanation = explain(finding(.unknown(ignorance)))
    #expect(explanation.steps.last?.verdict == .unknown)
    #expect(explanation.steps.last?.problem == nil && explanation.steps.last?.advice == nil)
    #expect(explanation.steps.last?.fact == "not known whether packets of 1500 bytes pass: \(words)")
    #expect(explanation.summary == "10.9.0.1 answered on port 443 after 2.0 ms")
  }

  @Test func `the greatest size is one that is known to pass`() {
    #expect(finding(.passed(1500, isBackTested: false)).greatest == 1500)
    #expect(finding(.lost(from: 1401, passing: 1400, .back)).greatest == 1400)
    #expect(finding(.unknown(.undecided(passing: 1280))).greatest == 1280)
    #expect(finding(.unknown(.silent(mayEcho: true))).greatest == nil)
  }
}
#endif
