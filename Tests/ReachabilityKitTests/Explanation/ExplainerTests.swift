// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import Netlink
import ReachabilityTesting
import Synchronization
import Testing

@testable import ReachabilityKit

/// Explanations of simulated facts, and of cases that are rare on a real kernel.
@Suite(.deadline) struct ExplainerTests {
  private static let far = ReachabilityAddress("10.9.0.1")

  private static func network(_ condition: LinkState.Condition = .up) -> NetworkState {
    Scenario([
      (Links.ethernet.with(condition), addresses: ["10.1.0.1/24"]),
      (Links.wireGuard, addresses: ["10.5.0.1/24"]),
    ]).network
  }

  private static func path(
    _ status: ReachabilityStatus, _ reply: RouteMessage? = nil,
    neighbour: ExplanationFacts.Neighbour = .unknown
  ) -> PathFacts {
    .init(
      target: .address(far), evaluation: Evaluation(status), question: RouteRequest(far),
      answer: reply.map { .success($0) },
      entry: reply.map { .success($0) }, neighbour: neighbour)
  }

  private static func explain(
    _ path: PathFacts, _ network: NetworkState = network(), rules: [Rule] = []
  ) -> ReachabilityExplanation {
    Explainer(ExplanationFacts([path], TableFacts(network: network, rules: [.v4: rules]))).explain(
      path.target)
  }

  @Test func `a system that reports only the status has one step`() {
    for (status, verdict) in [
      (ReachabilityStatus(.reachable, flags: .reachable), .passed), (.notReachable(.noRoute), .failed),
      (.unknown(.systemError), .unknown),
    ] as [(ReachabilityStatus, ReachabilityExplanation.Step.Verdict)] {
      let explanation = Explainer(
        ExplanationFacts([.init(target: .address(Self.far), evaluation: Evaluation(status))])
      )
      .explain(.address(Self.far))
      #expect(explanation.status == status)
      #expect(explanation.steps.map(\.kind) == [.system])
      #expect(explanation.steps.map(\.verdict) == [verdict])
      #expect((explanation.firstFailure?.problem != nil) == (verdict == .failed))
    }
  }

  @Test func `the steps of an address that is not shown are not computed`() {
    let shown = Mutex<[Int]>([])
    let paths = (0..<3).map { number in
      ExplanationFacts.Path(target: .address(Self.far), evaluation: Evaluation(.notReachable(.noRoute))) {
        shown.withLock { $0.append(number) }
        return []
      }
    }
    _ = Explainer(ExplanationFacts(paths)).explain(.address(Self.far))
    #expect(shown.withLock(\.self) == [0])
  }

  @Test func `the first of two equally good paths is the status`() {
    let statuses = [Links.ethernet, Links.wifi].map {
      ReachabilityStatus(.reachable, flags: .reachable, interface: $0.interface)
    }
    let paths = statuses.map { ExplanationFacts.Path(target: .defaultRoute, evaluation: Evaluation($0)) }
    #expect(Explainer(ExplanationFacts(paths)).explain(.defaultRoute).status == statuses[0])
  }

  @Test func `only the first failure has a problem`() {
    let explanation = Self.explain(
      .init(
        target: .address(Self.far), evaluation: Evaluation(.notReachable(.noRoute)),
        question: RouteRequest(Self.far)),
      Scenario([Links.ethernet.with(.down)]).network)
    #expect(explanation.steps.filter { $0.verdict == .failed }.map(\.kind) == [.interface, .route])
    #expect(explanation.steps.compactMap(\.problem) == ["The interface eth0 is administratively down."])
    #expect(explanation.steps.compactMap(\.advice).count == 1)
  }

  @Test(arguments: [(6, "e6 (wired) is up"), (7, "e6 (wired) is up, and 1 more")])
  func `only the first of many interfaces are listed`(count: Int, end: String) {
    let links = (1...count).map { LinkState(ReachabilityInterface(name: "e\($0)", index: $0, kind: .wired)) }
    let explanation = Self.explain(
      .init(
        target: .address(Self.far), evaluation: Evaluation(.notReachable(.noRoute)),
        question: RouteRequest(Self.far)),
      Scenario(links).network)
    #expect(explanation.steps.first?.fact.hasSuffix(end) == true)
  }

  @Test(arguments: [(1, ""), (2, ", one of 2 next hops")])
  func `the number of next hops is shown only if there are several`(count: Int, text: String) {
    let hops = Array(
      repeating: NextHop(interface: 2, gateway: "10.1.0.254", isDown: false), count: count)
    let status = ReachabilityStatus(
      .reachable, flags: .reachable, interface: Links.ethernet.interface, gateway: "10.1.0.254")
    let explanation = Self.explain(
      Self.path(status, RouteMessage(interface: 2, gateway: "10.1.0.254", nextHops: hops)))
    #expect(
      explanation.steps[2].fact == "default via 10.1.0.254 over eth0 (wired)\(text): table main")
  }

  @Test func `the table of an own address is corrected only without other rules`() {
    let reply = RouteMessage(.local, interface: 2, source: Self.far, prefixLength: 32)
    let status = ReachabilityStatus(
      .reachable, flags: [.reachable, .isLocalAddress, .isDirect], interface: Links.ethernet.interface,
      source: Self.far)
    let rules = [Rule(0, .lookUp(255)), Rule(32766, .lookUp(254))]
    let plain = Self.explain(Self.path(status, reply), rules: rules)
    #expect(plain.steps[2].fact == "local 10.9.0.1/32: table local, rule 0")
    let other = Self.explain(Self.path(status, reply), rules: rules + [Rule(100, .lookUp(100))])
    #expect(other.steps[2].fact == "local 10.9.0.1/32: table main, rule 32766")
  }

  @Test func `every target of a simulated network has one step`() throws {
    let network = SimulatedNetwork(.reachable(over: .wifi))
    let monitor = ReachabilityMonitor(simulating: network)
    for target in [.defaultRoute, .address(Self.far), try ReachabilityTarget("a.example")]
      as [ReachabilityTarget]
    {
      network.setStatus(.reachable(over: .wifi))
      let works = monitor.currentExplanation(of: target)
      #expect(works.status == monitor.currentStatus(of: target))
      #expect(works.steps.map(\.kind) == [.system])
      #expect(works.summary == "reachable over wlan0 (wifi)")
      network.setStatus(.notReachable(.noCarrier))
      let fails = monitor.currentExplanation(of: target)
      #expect(fails.firstFailure?.problem == "The system reports: no carrier.")
      #expect(fails.summary == "The system reports: no carrier")
    }
  }

  @Test func `the first of a host's unreachable addresses is explained`()
    throws
  {
    let target = ReachabilityTarget.host(try ReachabilityTarget.HostName("a.example"))
    let names = NameAnswer.addresses([NamedAddress("10.8.0.1"), NamedAddress(Self.far)])
    let statuses: [ReachabilityStatus] = [.notReachable(.noRoute), .notReachable(.blackhole)]
    let paths = zip(names.targets(for: target), statuses).map {
      PathFacts(target: $0, evaluation: Evaluation($1))
    }
    let explanation = Explainer(ExplanationFacts(paths, TableFacts(network: Self.network()), nameServers: []))
      .explain(target, names: names)
    #expect(explanation.status.reason == .noRoute)
    #expect(explanation.firstFailure?.problem == "There is no route to 10.8.0.1, and no default route.")
  }

  @Test func `a tunnel is point-to-point and has no next hop`() {
    let reply = RouteMessage(interface: 5, source: "10.5.0.1", table: 51820)
    let status = ReachabilityStatus(
      .reachable, flags: .reachable, interface: Links.wireGuard.interface, source: "10.5.0.1")
    let explanation = Self.explain(
      Self.path(status, reply),
      rules: [
        Rule(0, .lookUp(255)), Rule(32764, .lookUp(254), suppressedPrefixLength: 0),
        Rule(32765, .lookUp(51820), mark: 0xca6c, isInverted: true), Rule(32766, .lookUp(254)),
      ])
    #expect(
      explanation.steps[2].fact
        == "default over wg0 (tunnel): table 51820, rule 32765 (not mark 0xca6c)")
    #expect(explanation.steps[3].fact == "none: wg0 is point-to-point")
    #expect(explanation.steps[3].verdict == .passed)
  }

  @Test func `the advice is for the dead interface that is closest to working`() {
    let far = Self.far
    func failure(_ links: LinkState...) -> ReachabilityExplanation.Step? {
      Self.explain(
        .init(
          target: .address(far), evaluation: Evaluation(.notReachable(.noRoute)), question: RouteRequest(far)),
        Scenario(links).network
      ).firstFailure
    }
    let two = failure(Links.ethernet.with(.down), Links.wifi.with(.noCarrier))
    #expect(two?.kind == .interface)
    #expect(two?.fact == "eth0 (wired): administratively down, wlan0 (wifi): up, but without a carrier")
    #expect(two?.problem == "None of the 2 interfaces is up and has a carrier.")
    #expect(two?.advice == "Join a network: check the supplicant or the network manager.")
    let radio = failure(Links.wifi.with(.down))
    #expect(
      radio?.advice
        == "Switch it on: ip link set dev wlan0 up; if that is refused, see which switch blocks the radio: rfkill list."
    )
    #expect(failure(Links.loopback)?.problem == "This machine has no network interface.")
    let many = failure(Links.ethernet.with(.down), Links.cellular.with(.dormant))
    #expect(many?.advice == "Check the supplicant or dialer for wwan0.")
  }

  @Test(
    arguments: [
      (.absent, .unknown, ": no recent neighbour entry"),
      (.incomplete, .unknown, ": address resolution is in progress"),
      (.reachable, .passed, " answered a moment ago"), (.stale, .passed, " answered some time ago"),
      (.fixed, .passed, " needs no address resolution"),
      (.failed, .unknown, " did not answer the last ARP request"),
    ] as [(ExplanationFacts.Neighbour, ReachabilityExplanation.Step.Verdict, String)])
  func `each state of the next hop has its text`(
    _ neighbour: ExplanationFacts.Neighbour, _ verdict: ReachabilityExplanation.Step.Verdict, _ words: String
  ) {
    let reply = RouteMessage(interface: 2, gateway: "10.1.0.254", source: "10.1.0.1")
    let status = ReachabilityStatus(
      .reachable, flags: .reachable, interface: Links.ethernet.interface, gateway: "10.1.0.254",
      source: "10.1.0.1")
    let explanation = Self.explain(Self.path(status, reply, neighbour: neighbour))
    #expect(explanation.steps[3].fact == "router 10.1.0.254 on eth0\(words)")
    #expect(explanation.steps[3].verdict == verdict)
    #expect((explanation.steps[3].problem != nil) == (neighbour == .failed))
    #expect(explanation.firstFailure == nil)
    #expect(
      explanation.summary == "reachable over eth0 (wired)"
        + (neighbour == .failed ? "; but router 10.1.0.254 on eth0\(words)" : ""))
  }

  @Test func `a rule matches source, destination, mark, interface and user`() {
    let question = RouteRequest(Self.far, source: "10.1.0.1", mark: 0x142)
    func matches(_ rule: Rule) -> Bool? {
      rule.matches(question, over: ["eth0", "uplink"], userID: 1000)
    }
    func applies(_ rule: Rule) -> Bool { matches(rule) == true }
    let (ours, others) = (IPPrefix("10.1.0.0", length: 16), IPPrefix("10.2.0.0", length: 16))
    #expect(applies(Rule(1, .other(0))))
    #expect(applies(Rule(1, .other(0), source: ours)))
    #expect(!applies(Rule(1, .other(0), source: others)))
    #expect(applies(Rule(1, .other(0), source: others, isInverted: true)))
    #expect(!applies(Rule(1, .other(0), source: ours, isInverted: true)))
    #expect(!applies(Rule(1, .other(0), destination: others)))
    #expect(applies(Rule(1, .other(0), mark: 0x42, markMask: 0xff)))
    #expect(!applies(Rule(1, .other(0), mark: 0x42)))
    #expect(applies(Rule(1, .other(0), outputInterface: "eth0")))
    #expect(applies(Rule(1, .other(0), outputInterface: "uplink")))
    #expect(!applies(Rule(1, .other(0), outputInterface: "eth1")))
    #expect(!applies(Rule(1, .other(0), inputInterface: "eth0")))
    #expect(applies(Rule(1, .other(0), inputInterface: "lo")))
    #expect(applies(Rule(1, .other(0), userIDs: 1000...1000)))
    #expect(!applies(Rule(1, .other(0), userIDs: 0...999)))
    #expect(matches(Rule(1, .other(0), hasUnknownSelectors: true)) == nil)
    #expect(matches(Rule(1, .other(0), isInverted: true, hasUnknownSelectors: true)) == nil)
    // One selector that does not match is enough.
    #expect(matches(Rule(1, .other(0), destination: others, hasUnknownSelectors: true)) == false)
    #expect(Rule(1, .other(0), outputInterface: "eth0").matches(question, over: nil, userID: 1000) == nil)
    #expect(Rule(1, .other(0), userIDs: 0...9).matches(question, over: [], userID: nil) == nil)
    var service = Rule(1, .other(0))
    service.typeOfService = 0x10
    #expect(matches(service) == false)
    var domain = Rule(1, .other(0))
    domain.matchesRoutingDomains = true
    #expect(matches(domain) == false)
    var bound = question
    bound.interface = 2
    #expect(domain.matches(bound, over: ["eth0"], userID: 1000) == nil)
  }

  @Test func `a rule matches transport and destination port`() {
    func applies(
      _ rule: Rule, _ transport: ReachabilityTarget.Transport?, _ port: UInt16?, v6: Bool = false
    )
      -> Bool
    {
      matches(rule, transport, port, v6: v6) == true
    }
    func matches(
      _ rule: Rule, _ transport: ReachabilityTarget.Transport?, _ port: UInt16?, v6: Bool = false
    ) -> Bool? {
      let question = RouteRequest(
        v6 ? "fd00::1" : Self.far, protocolNumber: transport?.protocolNumber, destinationPort: port)
      return rule.matches(question, over: [], userID: nil)
    }
    let tcp = Rule(1, .other(0), protocolNumber: 6, destinationPorts: 443...444)
    #expect(applies(tcp, .tcp, 443) && applies(tcp, .tcp, 444, v6: true))
    #expect(!applies(tcp, .udp, 443) && !applies(tcp, .tcp, 445))
    #expect(matches(tcp, .tcp, nil) == nil && matches(tcp, .udp, nil) == false)
    // Without a protocol, TCP is meant.
    let udp = Rule(1, .other(0), protocolNumber: 17)
    #expect(matches(udp, nil, nil) == false && matches(udp, nil, nil, v6: true) == false)
    #expect(applies(udp, .udp, nil, v6: true) && applies(tcp, nil, 443) && applies(tcp, nil, 443, v6: true))
    #expect(udp.matches(RouteRequest("224.0.0.1"), over: [], userID: nil) == true)
    #expect(!applies(Rule(1, .other(0), protocolNumber: 132), .tcp, 1))
    #expect(applies(Rule(1, .other(0), protocolNumber: 132, isInverted: true), .tcp, 1))
    #expect(matches(Rule(1, .other(0), sourcePorts: 1...65535), .tcp, 1) == nil)
    let masked = Rule(1, .other(0), destinationPorts: 0x50...0x50, destinationPortMask: 0xff)
    #expect(applies(masked, .tcp, 0x150) && !applies(masked, .tcp, 0x151))
    #expect(tcp.text == "rule 1 (ipproto tcp dport 443-444)")
    #expect(masked.text == "rule 1 (dport 80/0xff)")
    #expect(
      Rule(1, .other(0), protocolNumber: 132, sourcePorts: 5...5).text
        == "rule 1 (ipproto 132 sport 5)")
  }

  @Test func `a rule that refuses before a route decides`() {
    var path = Self.path(.notReachable(.prohibited))
    path.answer = .failure(.accessDenied)
    path.routes = [
      RouteMessage(.prohibit, IPPrefix("10.0.0.0", length: 8)!),
      RouteMessage(.prohibit, IPPrefix("10.9.0.0", length: 16)!),
    ]
    let main = Rule(32766, .lookUp(254))
    #expect(Self.explain(path, rules: [main]).steps[2].fact == "prohibit 10.9.0.0/16: table main, rule 32766")
    #expect(
      Self.explain(path, rules: [Rule(7, .refuse(.prohibit)), main]).steps[2].fact == "rule 7: prohibit"
    )
    // No known rule or route explains it.
    let unknown = Self.explain(path, rules: []).steps[2]
    #expect(unknown.fact == "a route or rule prohibits it")
    #expect(unknown.verdict == .failed)
    #expect(unknown.advice == "Find it: ip rule, and ip route show table all type prohibit.")
    // The kernel may have passed over the first route.
    path.routes = [
      RouteMessage(.prohibit, IPPrefix("10.9.0.0", length: 16)!, mayBeUnusable: true),
      RouteMessage(.prohibit, IPPrefix("10.0.0.0", length: 8)!),
    ]
    #expect(Self.explain(path, rules: [main]).steps[2].fact == "a route or rule prohibits it")
    // The routes were not listed, so a route of the first table may be the cause.
    path.routes = nil
    #expect(
      Self.explain(path, rules: [main, Rule(32767, .refuse(.prohibit))]).steps[2].fact
        == "a route or rule prohibits it")
  }

  @Test(
    arguments: [
      (.nameNotFound, .failed, "The name a.example does not exist."),
      (.noAddressRecords, .failed, "The name a.example exists, but has no address."),
      (.nameResolutionTimedOut, .failed, "No name server answered in time."),
      (.nameServerFailed, .failed, "A name server refused or failed."),
      (.namesNotResolved, .unknown, nil), (.systemError, .unknown, nil),
    ] as [(ReachabilityStatus.Reason, ReachabilityExplanation.Step.Verdict, String?)])
  func `the failure of a lookup follows the name servers`(
    _ reason: ReachabilityStatus.Reason, _ verdict: ReachabilityExplanation.Step.Verdict, _ problem: String?
  ) throws {
    let target = ReachabilityTarget.host(try ReachabilityTarget.HostName("a.example"))
    let server = (
      server: ReachabilityPath.NameServer("10.9.0.53"),
      status: ReachabilityStatus(.reachable, flags: .reachable)
    )
    let facts = ExplanationFacts([], TableFacts(network: Self.network()), nameServers: [server])
    let explanation = Explainer(facts).explain(target, names: .failure(reason))
    #expect(explanation.steps.map(\.kind) == [.nameServer, .name])
    #expect(explanation.steps.map(\.verdict) == [.passed, verdict])
    #expect(explanation.steps[1].problem == problem)
    #expect(explanation.status.reason == reason)
    let early = Explainer(facts).explain(target)
    #expect(early.status == .unknown(.resolving))
    #expect(early.steps[1] == .init(.name, .unknown, fact: "a.example is still being looked up"))
  }

  @Test(arguments: ["/etc/resolv.conf", nil])
  func `a search domain that prevents lookups is a problem of the name`(_ path: String?) throws {
    let target = ReachabilityTarget.host(try ReachabilityTarget.HostName("a.example"))
    var facts = ExplanationFacts([], TableFacts(network: Self.network()), nameServers: nil)
    facts.overlongSearchDomain = .init(path: path, length: 300)
    let explanation = Explainer(facts).explain(target, names: .failure(.systemError))
    let step = try #require(explanation.steps.last)
    #expect(step.verdict == .unknown)
    #expect(step.problem?.contains("\(path ?? "LOCALDOMAIN") has 300 bytes") == true)
    #expect(step.advice?.contains("from \(path ?? "LOCALDOMAIN")") == true)
    // Only a reachable target has a suspicious fact.
    #expect(explanation.summary == explanation.status.description)
    // A lookup that succeeded or failed differently was made before the file changed.
    let other = Explainer(facts).explain(target, names: .failure(.namesNotResolved))
    #expect(other.steps.last?.problem == nil)
  }

  @Test func `missing name servers are the first failure of a host`() throws {
    let target = ReachabilityTarget.host(try ReachabilityTarget.HostName("a.example"))
    let facts = ExplanationFacts([], TableFacts(network: Self.network()), nameServers: [])
    let explanation = Explainer(facts).explain(target, names: .failure(.nameServerNotConfigured))
    #expect(explanation.firstFailure?.kind == .nameServer)
    #expect(explanation.summary == "No name server is configured, so names cannot be resolved")
  }

  @Test func `the system's own choice of a name server does not pass if a lookup found none`() throws {
    let target = ReachabilityTarget.host(try ReachabilityTarget.HostName("a.example"))
    let own = (
      server: ReachabilityPath.NameServer("127.0.0.1"),
      status: ReachabilityStatus(.reachable, flags: .reachable)
    )
    var facts = ExplanationFacts([], TableFacts(network: Self.network()), nameServers: [own])
    facts.areNameServersConfigured = false
    let failed = Explainer(facts).explain(target, names: .failure(.nameServerNotConfigured))
    #expect(failed.steps.map(\.verdict) == [.unknown, .failed])
    #expect(failed.steps[0].fact == "127.0.0.1, since none is configured")
    #expect(failed.summary == "No name server is configured, so a.example cannot be resolved")
    // A name server runs there after all.
    let other = Explainer(facts).explain(target, names: .failure(.nameNotFound))
    #expect(other.steps.map(\.verdict) == [.passed, .failed])
  }

  @Test func `a host is explained by the best address of each family`() throws {
    let target = ReachabilityTarget.host(try ReachabilityTarget.HostName("a.example"))
    let names = NameAnswer.addresses([
      NamedAddress("fd00::1"), NamedAddress("10.8.0.1"), NamedAddress(Self.far),
    ])
    let statuses: [ReachabilityStatus] = [
      .notReachable(.noRoute), .notReachable(.blackhole),
      ReachabilityStatus(
        .reachable, flags: .reachable, interface: Links.ethernet.interface, source: "10.1.0.1"),
    ]
    let paths = zip(names.targets(for: target), statuses).map {
      PathFacts(target: $0, evaluation: Evaluation($1))
    }
    let explanation = Explainer(ExplanationFacts(paths, TableFacts(network: Self.network()), nameServers: []))
      .explain(target, names: names)
    #expect(explanation.status.addresses.count == 3)
    #expect(explanation.steps[0].fact == "a.example resolves to fd00::1, 10.8.0.1, 10.9.0.1")
    #expect(
      explanation.steps.compactMap(\.family) == Array(repeating: .v4, count: 5)
        + Array(repeating: .v6, count: 5))
    #expect(explanation.summary.hasPrefix("IPv6 has no route; IPv4 is routed"))
  }
}
#endif
