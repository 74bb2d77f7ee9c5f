// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import Netlink
import Testing

@testable import ReachabilityKit

/// The course of lookups over rules and tables, with facts that are not known.
@Suite(.deadline) struct RuleWalkTests {
  private static let far = ReachabilityAddress("10.9.0.1")
  private static let wide = prefix("10.0.0.0", 8)
  private static let narrow = prefix("10.9.0.0", 16)
  private static let unsure = Rule(5, .refuse(.prohibit), hasUnknownSelectors: true)

  private static func prefix(_ address: ReachabilityAddress, _ length: Int) -> IPPrefix {
    guard let prefix = IPPrefix(address, length: length) else {
      preconditionFailure("a length that is too long")
    }
    return prefix
  }

  private static func ends(
    _ rules: [Rule], _ routes: [RouteMessage] = [], _ question: RouteRequest = RouteRequest(far)
  ) -> Set<RuleWalk.End> {
    RuleWalk(rules) { rule in
      rule.matches(question, over: [], userID: 0)
    } lookUp: { rule, table in
      .init(rule, table: table, question, routes: routes)
    }.ends
  }

  @Test func `a rule that may match leaves both courses open`() {
    #expect(Self.ends([Self.unsure]) == [.rule(0), .noRoute])
    #expect(Self.ends([Self.unsure, Rule(6, .refuse(.blackhole))]) == [.rule(0), .rule(1)])
    #expect(Self.ends([Rule(4, .refuse(.blackhole)), Self.unsure]) == [.rule(0)])
  }

  @Test func `a jump passes over rules`() {
    let rules = [
      Rule(1, .jump(9)), Rule(5, .refuse(.prohibit)), Rule(9, .none),
      Rule(9, .refuse(.blackhole)),
    ]
    #expect(Self.ends(rules) == [.rule(3)])
    var elsewhere = rules
    elsewhere[0].destination = IPPrefix("10.8.0.0", length: 16)
    #expect(Self.ends(elsewhere) == [.rule(1)])
    // No rule has the priority.
    #expect(Self.ends(Array(rules[..<2])) == [.rule(1)])
  }

  @Test func `an unknown action may do anything`() {
    #expect(Self.ends([Rule(1, .other(0)), Rule(2, .refuse(.prohibit))]) == [.unknown, .rule(1)])
  }

  @Test func `the longest prefix of a table decides, and of equal ones the first`() {
    let rule = Rule(1, .lookUp(254))
    let routes = [
      RouteMessage(.blackhole, Self.wide), RouteMessage(.prohibit, Self.narrow),
      RouteMessage(.blackhole, Self.narrow, metric: 7), RouteMessage(.unicast, Self.narrow, table: 7),
    ]
    #expect(Self.ends([rule], routes) == [.route(routes[1], rule: 0)])
    #expect(Self.ends([Rule(1, .lookUp(7)), rule], routes) == [.sent(rule: 0)])
    #expect(Self.ends([Rule(1, .lookUp(8)), rule], routes) == [.route(routes[1], rule: 1)])
  }

  @Test func `a route for a type of service is passed over`() {
    let routes = [
      RouteMessage(.blackhole, Self.narrow, typeOfService: 0x10),
      RouteMessage(.blackhole, Self.wide),
    ]
    #expect(Self.ends([Rule(1, .lookUp(254))], routes) == [.route(routes[1], rule: 0)])
    let six = ["fd00::", "::"].map {
      RouteMessage(.blackhole, IPPrefix($0, length: 0)!, typeOfService: $0 == "::" ? 0 : 1)
    }
    // IPv6 routes had one in older kernels, which ignored it.
    #expect(Self.ends([Rule(1, .lookUp(254))], six, RouteRequest("fd00::1")).count == 2)
  }

  @Test func `a route that throws ends the search of its table only`() {
    let routes = [
      RouteMessage(.throw, Self.narrow, table: 7), RouteMessage(.blackhole, Self.wide, table: 7),
      RouteMessage(.blackhole, Self.wide),
    ]
    #expect(
      Self.ends([Rule(1, .lookUp(7)), Rule(2, .lookUp(254))], routes)
        == [.route(routes[2], rule: 1)])
  }

  @Test func `a suppressed match continues with the next rule`() {
    var rule = Rule(1, .lookUp(7), suppressedPrefixLength: 16)
    let routes = [
      RouteMessage(.unicast, Self.narrow, table: 7), RouteMessage(.blackhole, Self.wide, table: 7),
      RouteMessage(.blackhole, Self.wide),
    ]
    let main = Rule(2, .lookUp(254))
    #expect(Self.ends([rule, main], routes) == [.route(routes[2], rule: 1)])
    rule.suppressedPrefixLength = 15
    #expect(Self.ends([rule, main], routes) == [.sent(rule: 0)])
    // A refusal is not suppressed.
    rule.suppressedPrefixLength = 32
    #expect(Self.ends([rule, main], [routes[1]]) == [.route(routes[1], rule: 0)])
    // The interface's group is not known.
    rule.suppressedPrefixLength = nil
    rule.suppressedGroup = 3
    #expect(Self.ends([rule, main], routes) == [.sent(rule: 0), .route(routes[2], rule: 1)])
  }

  @Test func `a route that may be unusable leaves both courses open`() {
    let routes = [
      RouteMessage(.unicast, Self.narrow, mayBeUnusable: true), RouteMessage(.blackhole, Self.wide),
    ]
    let main = Rule(2, .lookUp(254))
    let ends = Self.ends([main], routes)
    #expect(ends == [.sent(rule: 0), .route(routes[1], rule: 0)])
    #expect(ends.filter { $0.agrees(with: .invalid, [main]) } == [.route(routes[1], rule: 0)])
    #expect(ends.allSatisfy { !$0.agrees(with: .accessDenied, [main]) })
    let doubts: [(inout RouteMessage) -> Void] = [
      { ($0.sourceNetwork, $0.sourceLength) = ("10.1.0.0", 16) }, { $0.interface = nil },
      { ($0.family, $0.gateway) = (.ipv6, "fe80::1") },
      {
        $0.family = .ipv6
        $0.nextHops = [NextHop()]
        $0.nextHops[0].gateway = "fe80::1"
      },
      {
        $0.nextHops = [NextHop()]
        $0.nextHops[0].flags = .linkDown
      },
    ]
    for doubt in doubts {
      var route = RouteMessage(.unicast, Self.narrow)
      doubt(&route)
      #expect(Self.ends([main], [route]) == [.sent(rule: 0), .noRoute], "\(route)")
    }
    var bound = RouteRequest(Self.far)
    bound.interface = 3
    let other = RouteMessage(.unicast, Self.narrow, interface: 2)
    #expect(Self.ends([main], [other], bound) == [.sent(rule: 0), .noRoute])
    #expect(
      Self.ends([main], [RouteMessage(.unicast, Self.narrow, interface: 3)], bound) == [.sent(rule: 0)])
  }

  @Test func `each refusal has the error of its rule or route`() {
    let rules = [
      Rule(1, .refuse(.blackhole)), Rule(2, .refuse(.unreachable)),
      Rule(3, .refuse(.prohibit)),
    ]
    let errors: [RouteRefusal] = [.invalid, .networkUnreachable, .accessDenied, .hostUnreachable]
    for error in errors {
      #expect(
        rules.indices.map { RuleWalk.End.rule($0).agrees(with: error, rules) }
          == errors[..<3].map { $0 == error })
      let routes = [RouteKind.blackhole, .unreachable, .prohibit].map {
        RuleWalk.End.route(RouteMessage($0, Self.wide), rule: 0).agrees(with: error, rules)
      }
      #expect(routes == [RouteRefusal.invalid, .hostUnreachable, .accessDenied].map { $0 == error })
      #expect(RuleWalk.End.noRoute.agrees(with: error, rules) == (error == .networkUnreachable))
    }
  }

  @Test func `the removal of a rule names all its selectors`() {
    var rule = Rule(
      7, .refuse(.prohibit), source: Self.wide, destination: Self.narrow, mark: 0x4, markMask: 0xf,
      outputInterface: "v0", inputInterface: "lo", userIDs: 5...6, protocolNumber: 6,
      sourcePorts: 1...2,
      destinationPorts: 443...443, destinationPortMask: .max, isInverted: true)
    rule.typeOfService = 0x10
    #expect(
      Rule.removal(of: 0, among: [rule])
        == "pref 7 not from 10.0.0.0/8 to 10.9.0.0/16 tos 0x10 fwmark 0x4/0xf iif lo oif v0 uidrange 5-6 ipproto tcp sport 1-2 dport 443 prohibit"
    )
    let odd = Rule(
      7, .refuse(.blackhole), outputInterface: "$(id)", inputInterface: InterfaceName(bytes: [0xff]))
    #expect(Rule.removal(of: 0, among: [odd]) == #"pref 7 iif $'\377' oif '$(id)' blackhole"#)
    // It prints no prefix that contains all addresses.
    let all = IPPrefix("0.0.0.0", length: 0)
    let plain = Rule(7, .refuse(.prohibit), source: all, destination: all)
    #expect(Rule.removal(of: 0, among: [plain]) == "pref 7 prohibit")
    // The `ip` command refuses these names.
    for name in ["v 0", "v/0", "v\n", ""] {
      let refused = Rule(7, .refuse(.blackhole), outputInterface: InterfaceName(name))
      #expect(Rule.removal(of: 0, among: [refused]) == "pref 7 blackhole")
    }
  }

  @Test func `a rule that an earlier one hides from removal has none`() {
    let plain = Rule(7, .refuse(.prohibit))
    let source = Rule(7, .refuse(.prohibit), source: Self.wide)
    #expect(Rule.removal(of: 1, among: [source, plain]) == nil)
    #expect(Rule.removal(of: 1, among: [plain, source]) == "pref 7 from 10.0.0.0/8 prohibit")
    #expect(Rule.removal(of: 1, among: [Rule(7, .lookUp(9)), plain]) == "pref 7 prohibit")
    #expect(
      Rule.removal(of: 1, among: [Rule(6, .refuse(.prohibit)), plain]) == "pref 7 prohibit")
    // The kernel compares no mark of zero.
    let zero = Rule(7, .refuse(.prohibit), mark: 0, markMask: 0xff)
    let four = Rule(7, .refuse(.prohibit), mark: 4, markMask: 0xff)
    #expect(Rule.removal(of: 1, among: [four, zero]) == nil)
  }

  @Test func `the removal of a route names metric, source and next-hop object`() {
    let six = RouteMessage(
      .blackhole, IPPrefix("fd00:66::", length: 64)!, metric: 1024, source: IPPrefix("fd00:1::", length: 64),
      interface: 1)
    #expect(
      six.removal(interface: "lo")
        == "blackhole fd00:66::/64 from fd00:1::/64 dev lo metric 1024 table main")
    let object = RouteMessage(.blackhole, Self.narrow, table: 77, nextHopID: 5, interface: 1)
    #expect(object.removal(interface: "lo") == "10.9.0.0/16 nhid 5 table 77")
    #expect(object.isRemovedFirst(among: [RouteMessage(.blackhole, Self.narrow, table: 77), object]))
    let late = RouteMessage(.blackhole, Self.narrow, interface: 1)
    #expect(late.isRemovedFirst(among: [RouteMessage(.unicast, Self.narrow), late]))
    #expect(!late.isRemovedFirst(among: [RouteMessage(.blackhole, Self.narrow), late]))
  }
}

extension RouteMessage {
  /// A route of a table; one that sends packets has an interface.
  init(
    _ kind: RouteKind, _ prefix: IPPrefix, table: UInt32 = 254, typeOfService: UInt8 = 0,
    metric: UInt32 = 0, source: IPPrefix? = nil, nextHopID: UInt32? = nil, interface: Int32? = nil,
    mayBeUnusable: Bool = false
  ) {
    self.init()
    self.kind = kind
    family = prefix.address.bitWidth == 32 ? .ipv4 : .ipv6
    (destination, destinationLength) = (prefix.address, UInt8(prefix.length))
    self.table = table
    self.typeOfService = typeOfService
    priority = metric
    (sourceNetwork, sourceLength) = (source?.address, UInt8(source?.length ?? 0))
    self.nextHopID = nextHopID
    self.interface = interface ?? (kind == .unicast ? 1 : nil)
    if mayBeUnusable { flags = .dead }
  }
}
#endif
