// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import Netlink
import Testing

@testable import ReachabilityKit

/// Explanations of attempts to connect, of name servers' replies, and of blocked radios.
@Suite(.deadline) struct ProbeExplainerTests {
  typealias Attempt = ReachabilityConnectionReport.Attempt

  private static let network = Scenario([(Links.ethernet, addresses: ["10.1.0.1/24"])]).network

  /// Explains a reachable host of both families.
  private func explain(_ attempts: Attempt...) -> ReachabilityExplanation {
    let status = ReachabilityStatus.reachable(over: Links.ethernet.interface)
    var facts = ExplanationFacts(
      [
        .init(target: .address("10.9.0.1"), evaluation: Evaluation(status)),
        .init(target: .address("fd00:9::1"), evaluation: Evaluation(status)),
      ], TableFacts(network: Self.network))
    facts.probe.connection = ReachabilityConnectionReport(
      target: .address("10.9.0.1"), port: 80, status: status, attempts: attempts)
    return Explainer(facts).explain(.address("10.9.0.1"))
  }

  private func step(_ explanation: ReachabilityExplanation) -> ReachabilityExplanation.Step? {
    explanation.steps.first { $0.kind == .connection }
  }

  @Test func `an error of the system has its text`() {
    for (number, words) in [
      (1, "not permitted (EPERM)"), (13, "prohibited (EACCES)"),
      (99, "no local address and port to send from (EADDRNOTAVAIL)"),
      (101, "network unreachable (ENETUNREACH)"), (777, "error 777"),
    ] as [(Int32, String)] {
      let explanation = explain(
        Attempt("10.9.0.1", start: .zero, duration: .milliseconds(1), outcome: .failed(errorNumber: number)))
      #expect(step(explanation)?.fact == "10.9.0.1 port 80: \(words)")
      #expect(step(explanation)?.problem == "The system cannot connect to 10.9.0.1: \(words).")
    }
  }

  /// Explains a probe of an address behind a router that did not answer.
  private func explain(_ finding: PathFinding, neighbour: ExplanationFacts.Neighbour)
    -> ReachabilityExplanation
  {
    var status = ReachabilityStatus.reachable(over: Links.ethernet.interface)
    status.gateway = "10.1.0.254"
    var path = ExplanationFacts.Path(
      target: .address("10.9.0.1"), evaluation: Evaluation(status), neighbour: neighbour)
    path.steps = { [] }
    var facts = ExplanationFacts([path])
    facts.probe.connection = ReachabilityConnectionReport(
      target: .address("10.9.0.1"), port: 80, status: status,
      attempts: [Attempt("10.9.0.1", start: .zero, duration: .seconds(4), outcome: .timedOut)])
    facts.probe.paths = [finding]
    return Explainer(facts).explain(.address("10.9.0.1"))
  }

  @Test func `the farthest router that answers is named`() {
    let explanation = explain(
      PathFinding(address: "10.9.0.1", routers: [1: "10.1.0.254", 3: "10.7.0.1"]), neighbour: .reachable)
    let step = explanation.steps.last
    #expect(step?.kind == .hops && step?.verdict == .passed && step?.problem == nil)
    #expect(step?.fact == "packets get as far as 10.7.0.1, hop 3")
    #expect(explanation.summary == "10.9.0.1 did not answer on port 80")
  }

  @Test(arguments: [ExplanationFacts.Neighbour.reachable, .stale, .failed, .absent])
  func `a router that answers on the link, but reports nothing, probably does not forward`(
    _ neighbour: ExplanationFacts.Neighbour
  ) {
    let explanation = explain(PathFinding(address: "10.9.0.1", routers: [:]), neighbour: neighbour)
    let step = explanation.steps.last
    #expect(step?.kind == .hops && step?.verdict == .unknown && step?.fact == "no router on the path answers")
    let answers = [.reachable, .stale].contains(neighbour)
    #expect((step?.problem != nil) == answers && (step?.advice != nil) == answers)
    #expect(explanation.summary.hasSuffix("; but no router on the path answers") == answers)
    let none = explain(PathFinding(address: "10.9.0.1", routers: nil), neighbour: neighbour)
    #expect(none.steps.allSatisfy { $0.kind != .hops })
  }

  @Test func `another interface over which the target answers is advised as a command`() {
    let interface = ReachabilityInterface(name: "a;id", index: 7, kind: .wired)
    let attempt = Attempt("10.9.0.1", start: .zero, duration: .milliseconds(1), outcome: .connected)
    var finding = PathFinding(address: "10.9.0.1")
    finding.detour = PathFinding.Detour(interface: interface, gateway: "10.2.0.254", attempt: attempt)
    let step = explain(finding, neighbour: .reachable).steps.last
    #expect(step?.kind == .detour && step?.fact == "10.9.0.1 answers over a;id (wired) via 10.2.0.254")
    #expect(step?.advisedCommands == ["ip route replace 10.9.0.1 via 10.2.0.254 dev 'a;id'"])
  }

  @Test func `a refusal of this machine is not the host's`() {
    let explanation = explain(
      Attempt("10.9.0.1", start: .zero, duration: .milliseconds(1), outcome: .failed(errorNumber: 111)))
    let filter = explanation.steps.first { $0.kind == .localFilter }
    #expect(filter?.verdict == .failed && filter?.family == .v4)
    #expect(filter?.fact == "this machine refuses connections to 10.9.0.1 port 80: a firewall rule")
    #expect(
      filter?.problem == "This machine itself refuses connections to 10.9.0.1 port 80: a firewall rule.")
    #expect(filter?.advice == "To name the rule, as root: reachability trace tcp://10.9.0.1:80.")
    let step = step(explanation)
    #expect(step?.fact == "10.9.0.1 port 80: refused on this machine (ECONNREFUSED)")
    #expect(step?.verdict == .failed && step?.problem == nil && step?.advice == nil)
  }

  @Test(
    arguments: [
      (
        .timedOut,
        "dropped the packets to fd00:9::1 port 80 after routing: a firewall's output rule, a traffic filter or a security policy"
      ),
      (
        .failed(errorNumber: 1),
        "forbids packets to fd00:9::1 port 80: a control group's program or a security policy"
      ),
      (.failed(errorNumber: 113), "reports fd00:9::1 as unreachable: a firewall rule"),
    ] as [(Attempt.Outcome, String)])
  func `what this machine does to packets after routing is its own step`(
    _ outcome: Attempt.Outcome, _ words: String
  ) {
    let duration = Duration.seconds(10)
    for isStoppedHere in [true, false] {
      let explanation = explain(
        Attempt(
          "fd00:9::1", start: .zero, duration: duration, outcome: outcome, isStoppedHere: isStoppedHere))
      let filter = explanation.steps.first { $0.kind == .localFilter }
      #expect(filter?.fact == (isStoppedHere ? "this machine " + words : nil))
      #expect(filter?.advice?.contains("tcp://[fd00:9::1]:80") == (isStoppedHere ? true : nil))
      #expect((step(explanation)?.problem == nil) == isStoppedHere)
    }
    let dropped = explain(
      Attempt("10.9.0.1", start: .zero, duration: duration, outcome: .timedOut, isStoppedHere: true))
    #expect(dropped.summary == "10.9.0.1: no packet left within 10.0 s")
  }

  @Test func `a datagram that the system does not accept is this machine's doing`() {
    let status = ReachabilityStatus.reachable(over: Links.ethernet.interface)
    var facts = ExplanationFacts(
      [.init(target: .address("10.9.0.1"), evaluation: Evaluation(status))], TableFacts(network: Self.network)
    )
    facts.probe.connection = ReachabilityConnectionReport(
      target: .address("10.9.0.1"), port: 53, status: status,
      attempts: [Attempt("10.9.0.1", start: .zero, duration: .milliseconds(1), outcome: .refused)])
    facts.probe.refusedDatagram = .init(address: "10.9.0.1", port: 53, errorNumber: 1)
    let filter = Explainer(facts).explain(.address("10.9.0.1")).steps.first { $0.kind == .localFilter }
    #expect(filter?.fact == "this machine does not send datagrams to 10.9.0.1 port 53: not permitted (EPERM)")
    #expect(filter?.advice == "To name the rule, as root: reachability trace udp://10.9.0.1:53.")
  }

  @Test func `a target without a neighbour entry is not called up`() {
    let status = ReachabilityStatus.reachable(over: Links.ethernet.interface)
    let target = ReachabilityTarget.address("10.1.0.77")
    for (neighbour, problem) in [
      (.absent, "The connection to 10.1.0.77 was refused, but nothing shows that it is up."),
      (.reachable, "10.1.0.77 is up, but nothing listens on port 80, or its firewall refuses."),
      (.unknown, "10.1.0.77 is up, but nothing listens on port 80, or its firewall refuses."),
    ] as [(ExplanationFacts.Neighbour, String)] {
      var facts = ExplanationFacts(
        [.init(target: target, evaluation: Evaluation(status), neighbour: neighbour)],
        TableFacts(network: Self.network))
      facts.probe.connection = ReachabilityConnectionReport(
        target: target, port: 80, status: status,
        attempts: [Attempt("10.1.0.77", start: .zero, duration: .milliseconds(1), outcome: .refused)])
      let found = step(Explainer(facts).explain(target))
      #expect(found?.problem == problem)
      #expect(
        found?.advice?.hasPrefix(
          neighbour == .absent ? "To name the rule, as root: " : "The path there works")
          == true)
    }
  }

  @Test func `a firewall that refuses for a host is named`() {
    let explanation = explain(
      Attempt("10.9.0.1", start: .zero, duration: .milliseconds(1), outcome: .refused, reporter: "10.1.0.254")
    )
    #expect(step(explanation)?.fact == "10.9.0.1 port 80: refused by 10.1.0.254")
    #expect(step(explanation)?.problem == "A firewall at 10.1.0.254 refuses connections to 10.9.0.1 port 80.")
  }

  @Test func `the best address of a family counts, and all are listed`() {
    let explanation = explain(
      Attempt("10.9.0.1", start: .zero, duration: .seconds(10), outcome: .timedOut),
      Attempt("10.9.0.2", start: .milliseconds(250), duration: .milliseconds(12), outcome: .refused),
      Attempt("fd00:9::1", outcome: .notTried))
    let steps = explanation.steps.filter { $0.kind == .connection }
    #expect(steps.map(\.verdict) == [.failed, .unknown])
    #expect(steps[0].fact == "10.9.0.1 port 80: no answer within 10.0 s, 10.9.0.2 port 80: refused")
    #expect(steps[0].problem?.hasPrefix("10.9.0.2 is up") == true)
    #expect(steps[1].problem == nil)
    #expect(explanation.summary == "IPv4 refused port 80")
  }

  @Test func `the first of equally bad addresses is named`() {
    let explanation = explain(
      Attempt("10.9.0.1", start: .zero, duration: .seconds(10), outcome: .timedOut),
      Attempt("10.9.0.2", start: .zero, duration: .seconds(10), outcome: .timedOut))
    #expect(step(explanation)?.problem == "10.9.0.1 did not answer on port 80.")
  }

  @Test(arguments: [(6, ""), (7, ", and 1 more"), (100, ", and 94 more")] as [(UInt32, String)])
  func `only the first of many addresses are listed`(count: UInt32, end: String) {
    let attempts = (1...count).map { Attempt(.v4(.init(rawValue: $0)), outcome: .notTried) }
    var facts = ExplanationFacts([], TableFacts(network: Self.network))
    facts.probe.connection = ReachabilityConnectionReport(
      target: .address("10.9.0.1"), port: 80, status: .unknown(.resolving), attempts: attempts)
    let fact = Explainer(facts).explain(.address("10.9.0.1")).steps.last?.fact
    #expect(fact?.hasSuffix("0.0.0.6 port 80: not tried\(end)") == true)
  }

  @Test(arguments: [
    (0, "0.0 ms"), (400, "0.4 ms"), (9_949, "9.9 ms"), (9_950, "10 ms"), (12_400, "12 ms"),
    (999_499, "999 ms"),
    (999_500, "1.0 s"), (61_250_000, "61.3 s"), (-5, "0.0 ms"),
  ])
  func `a duration has a few digits and a unit`(_ microseconds: Int64, _ text: String) {
    #expect(Duration.microseconds(microseconds).inWords == text)
  }

  @Test(arguments: [
    (
      RadioBlock.soft, "wlan0 (wifi): administratively down, its radio blocked by software",
      "The radio of wlan0 is blocked by software.", "Unblock it: rfkill unblock wifi."
    ),
    (
      .hard, "wlan0 (wifi): administratively down, its radio blocked by a switch",
      "The radio of wlan0 is blocked by a hardware switch or the firmware.",
      "Turn on the switch, or the key or setting that replaces it; 'rfkill list' shows its state."
    ),
  ])
  func `a blocked radio is why its interface is down`(
    _ block: RadioBlock, _ fact: String, _ problem: String, _ advice: String
  ) {
    let link = Links.wifi.with(.down)
    let facts = ExplanationFacts(
      [
        .init(
          target: .address("10.9.0.1"), evaluation: Evaluation(.notReachable(.noRoute)),
          question: RouteRequest("10.9.0.1"))
      ], TableFacts(network: Scenario([link]).network, radioBlocks: [link.index: block]))
    let failure = Explainer(facts).explain(.address("10.9.0.1")).firstFailure
    #expect(failure?.kind == .interface)
    #expect(failure?.fact == fact)
    #expect(failure?.problem == problem)
    #expect(failure?.advice == advice)
  }

  // MARK: Name servers

  private func server(_ replies: (ReachabilityPath.NameServer, NameServerReply)...)
    -> [ReachabilityExplanation.Step]
  {
    let status = ReachabilityStatus.reachable(over: Links.ethernet.interface)
    var facts = ExplanationFacts(
      [], TableFacts(network: Self.network), nameServers: replies.map { ($0.0, status) })
    facts.probe.replies = Dictionary(replies) { one, _ in one }
    return Explainer(facts).explain(.defaultRoute).steps.filter { $0.kind == .nameServer }
  }

  @Test func `a name server that fails is no failure while another answers`() {
    let one = ReachabilityPath.NameServer("10.9.0.53")
    let other = ReachabilityPath.NameServer("10.9.0.54")
    let mixed = server((one, .silent(for: .seconds(5))), (other, .answered(code: 3, after: .milliseconds(2))))
    #expect(mixed.map(\.verdict) == [.unknown, .passed])
    #expect(mixed[0].problem == "The name server 10.9.0.53 does not answer.")
    #expect(mixed[1].duration == .milliseconds(2))
    let none = server((one, .failed("Connection refused")), (other, .answered(code: 5, after: .zero)))
    #expect(none.map(\.verdict) == [.failed, .failed])
    #expect(none[1].fact.hasSuffix(": refused the query (REFUSED)"))
  }
}

extension ReachabilityStatus {
  fileprivate static func reachable(over interface: ReachabilityInterface) -> ReachabilityStatus {
    ReachabilityStatus(.reachable, flags: .reachable, interface: interface)
  }
}
#endif
