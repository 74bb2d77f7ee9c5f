// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import Testing
@testable import Netlink
@testable import ReachabilityKit

@Suite(.deadline) struct NetworkTrackerTests {
  private static let tableGroups: [MulticastGroup] = [
    .links, .ipv4Addresses, .ipv6Addresses, .ipv4Rules, .ipv6Rules, .routerOptions,
  ]
  /// The requests that read the tables.
  private static let reading: [ScriptedNetwork.Step] = [
    .asked(.getLink), .asked(.getAddress), .asked(.getRule), .asked(.getRule),
  ]
  private static let otherGroups: [MulticastGroup] = [
    .ipv4Routes, .ipv6Routes, .nextHops, .ipv4Configuration, .ipv6Configuration,
  ]

  // MARK: Start

  @Test func `the tracker joins its groups before it reads the tables`() throws {
    let network = ScriptedNetwork.withOneLink()
    _ = try network.tracker()
    #expect(
      network.steps == (Self.tableGroups + [.ipv6Routes]).map { .joined($0) } + Self.reading)
    // Of all routes, one for each link passes.
    #expect(network.filters == 1)
  }

  /// No message about a link says so.
  @Test(arguments: [true, false])
  func `a link whose IPv6 was switched off or on is read again`(_ isWatching: Bool) throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try isWatching ? network.watchingTracker() : network.tracker()
    var route = RouteMessage.to("ff00::", 8, .ipv6)
    (route.kind, route.table, route.interface) = (.multicast, 255, 2)
    for isOn in [false, true] {
      var link = LinkMessage.ethernet(2, "eth0")
      link.ipv6 = isOn ? .on : .off
      network.changeSilently(.link(link))
      network.announce(.event(isOn ? .route(route) : .routeRemoved(route)))
      let change = tracker.readChange()
      #expect(change.everything)
      #expect(tracker.networkState.links[2]?.carriesIPv6 == isOn)
      // A caller's changes would grow without end.
      #expect(change.others(.imminent).isEmpty == !(isWatching && isOn))
    }
    network.changeSilently(.linkRemoved(.ethernet(2, "eth0")))
    network.announce(.event(.routeRemoved(route)))
    _ = tracker.readChange()
    #expect(tracker.tables.state == .current && tracker.diagnostics == .init(tableReads: 1))
  }

  @Test func `what a router announces counts until its link loses the network`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try network.tracker()
    let option = RouterOption(index: 2, captivePortal: Array("https://portal.example/".utf8))
    network.announce(.event(.routerOption(option)))
    let first = tracker.readChange()
    #expect(first == NetworkChange(linkDetails: true))
    network.announce(.event(.routerOption(option)))
    network.announce(.event(.routerOption(RouterOption(index: 2))))
    let repeated = tracker.readChange()
    #expect(repeated.isEmpty)
    // Nothing lists it again after a loss of messages.
    network.announce(.overrun)
    _ = tracker.readChange()
    #expect(!tracker.tables.portals.isEmpty)
    var link = LinkMessage.ethernet(2, "eth0")
    link.flags = [.up]
    network.change(.link(link))
    _ = tracker.readChange()
    #expect(tracker.tables.portals.isEmpty)
  }

  @Test func `the first reading of the tables is no change`() throws {
    let network = ScriptedNetwork.withOneLink()
    network.changeSilently(.address(.ipv6("fd00::1", 64, on: 2, .tentative)))
    var tracker = try network.tracker()
    let expected = NetworkState(
      [.ethernet(2, "eth0")],
      [2: [.ipv4("10.1.0.1", 24), .ipv6("fd00::1", 64, .tentative)]])
    #expect(tracker.networkState == expected)
    #expect(tracker.readChange() == NetworkChange())
    #expect(network.listings == 1)
  }

  @Test func `changes between joining the groups and reading the tables are not missed`() throws {
    let network = ScriptedNetwork.withOneLink()
    network.arrange(
      .meanwhile([.event(.link(.ethernet(3, "eth1"))), .event(.link(.ethernet(2, "eth0", isUp: false)))]),
      .meanwhile([.event(.addressRemoved(.ipv4("10.1.0.1", 24, on: 2)))]))
    var tracker = try network.tracker()
    #expect(
      tracker.readState() == NetworkState([.ethernet(2, "eth0", .noCarrier), .ethernet(3, "eth1")]))
    #expect(network.listings == 1)
  }

  @Test func `start throws if a group can't be joined or a table can't be read`() {
    let closed = ScriptedNetwork()
    closed.refuse(.ipv4Addresses, with: .accessDenied)
    #expect(throws: NetlinkError(.system, attempt: "subscribe to changes", errno: .accessDenied)) {
      _ = try closed.tracker()
    }
    #expect(closed.steps == [.joined(.links), .left(.links)])
    let mute = ScriptedNetwork()
    mute.arrange(.none, .refusal(.accessDenied))
    #expect(throws: NetlinkError(.refused, attempt: "list addresses", errno: .accessDenied)) {
      _ = try mute.tracker()
    }
  }

  // MARK: Watching

  @Test func `a watching tracker joins all groups and leaves them when it stops`()
    throws
  {
    let network = ScriptedNetwork.withOneLink()
    var tracker = NetworkTracker(events: network.events(), questions: network.questions())
    #expect(network.steps == [])
    try tracker.start(NetworkTracker.allGroups)
    tracker.stop()
    let groups = Self.tableGroups + Self.otherGroups
    #expect(
      network.steps == groups.map { .joined($0) } + Self.reading
        + groups.map { .left($0) })
  }

  @Test func `a stopped tracker reports no change until it starts again`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try network.watchingTracker()
    tracker.stop()
    network.change(.link(.ethernet(3, "eth1")))
    #expect(tracker.readChange() == NetworkChange())
    #expect(network.listings == 1)
    try tracker.start(NetworkTracker.allGroups)
    #expect(tracker.networkState.links.keys.sorted() == [2, 3])
  }

  @Test func `a tracker without groups reads the tables for each call`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = NetworkTracker(events: network.events(), questions: network.questions())
    for round in 1...2 {
      _ = tracker.evaluateObserved([.address("10.1.0.2"), .address("10.1.0.3")])
      #expect(network.listings == round)
    }
  }

  @Test func `a change that a query finds is news until it is taken`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try network.watchingTracker()
    #expect(tracker.hasPendingChange == false)
    network.change(.link(.ethernet(2, "eth0", isUp: false)))
    #expect(tracker.hasPendingChange == false)
    _ = tracker.evaluate(.address("10.1.0.2"))
    #expect(tracker.hasPendingChange == true)
    _ = tracker.evaluate(.address("10.1.0.2"))
    #expect(tracker.hasPendingChange == true)
    #expect(tracker.readChange() == .all)
    #expect(tracker.hasPendingChange == false)
  }

  @Test func `start leaves all groups if one can't be joined`() throws {
    let network = ScriptedNetwork.withOneLink()
    network.refuse(.nextHops, with: .invalidArgument)
    var tracker = NetworkTracker(events: network.events(), questions: network.questions())
    #expect(throws: NetlinkError(.system, attempt: "subscribe to changes", errno: .invalidArgument)) {
      try tracker.start(NetworkTracker.allGroups)
    }
    #expect(network.steps.contains(.left(.links)))
    network.change(.configuration)
    #expect(tracker.readChange() == NetworkChange())
  }

  // MARK: Links

  @Test func `adding, changing or removing a link may change everything`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try network.watchingTracker()
    network.change(.link(.ethernet(3, "eth1", isUp: false)))
    #expect(tracker.readChange() == .all)
    network.change(.link(.ethernet(3, "eth1")))
    #expect(tracker.readChange() == .all)
    network.change(.linkRemoved(.ethernet(3, "eth1")))
    #expect(tracker.readChange() == .all)
    #expect(tracker.networkState == .ofOneLink)
    #expect(network.listings == 1)
  }

  @Test func `a repeated link message changes nothing`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try network.watchingTracker()
    var again = LinkMessage.ethernet(2, "eth0")
    again.changeMask = .max
    network.change(.link(again))
    #expect(tracker.readChange() == NetworkChange())
    // Neither does an attribute that no status depends on.
    again.changeMask = 1
    again.hardwareAddress = [2, 0, 0, 0, 0, 1]
    network.change(.link(again))
    #expect(tracker.readChange() == NetworkChange())
    #expect(tracker.networkState == .ofOneLink)
  }

  @Test func `a repeated link message without a change mask may change everything`()
    throws
  {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try network.watchingTracker()
    network.change(.link(.ethernet(2, "eth0")))
    #expect(tracker.readChange() == .all)
    #expect(tracker.networkState == .ofOneLink)
  }

  @Test func `a new MTU changes link details only`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try network.watchingTracker()
    var link = LinkMessage.ethernet(2, "eth0")
    link.mtu = 9000
    network.change(.link(link))
    #expect(tracker.readChange() == NetworkChange(linkDetails: true))
    #expect(tracker.networkState.links[2]?.mtu == 9000)
    link.changeMask = .max
    network.change(.link(link))
    #expect(tracker.readChange() == NetworkChange())
    // A message without the attribute keeps the value.
    link.mtu = nil
    network.change(.link(link))
    #expect(tracker.readChange() == NetworkChange())
    #expect(tracker.networkState.links[2]?.mtu == 9000)
  }

  @Test func `a wireless event changes nothing`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try network.watchingTracker()
    var event = LinkMessage()
    event.index = 2
    event.name = "eth0"
    event.flags = .up
    event.isWirelessEvent = true
    network.announce(.event(.link(event)))
    #expect(tracker.readChange() == NetworkChange())
    #expect(tracker.networkState == .ofOneLink)
  }

  @Test func `a bridge port message neither changes nor removes the link`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try network.watchingTracker()
    var port = LinkMessage.ethernet(2, "eth0", isUp: false)
    port.family = .bridge
    port.master = 6
    network.announce(.event(.link(port)), .event(.linkRemoved(port)))
    #expect(tracker.readChange() == NetworkChange())
    #expect(tracker.networkState == .ofOneLink)
  }

  @Test func `a renamed link is found by its new name only`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try network.watchingTracker()
    network.change(.link(.ethernet(2, "lan0")))
    #expect(tracker.readChange() == .all)
    let state = tracker.networkState
    #expect(state == NetworkState([.ethernet(2, "lan0")], [2: [.ipv4("10.1.0.1", 24)]]))
    #expect(state.index(of: .name("lan0")) == 2)
    #expect(state.index(of: .name("eth0")) == nil)
  }

  @Test func `links that swap names are found by their new names`() throws {
    let network = ScriptedNetwork.withOneLink()
    network.changeSilently(.link(.ethernet(3, "eth1")))
    var tracker = try network.watchingTracker()
    network.change(
      .link(.ethernet(2, "spare")), .link(.ethernet(3, "eth0")), .link(.ethernet(2, "eth1")))
    #expect(tracker.readChange() == .all)
    let state = tracker.networkState
    #expect(["eth0", "eth1", "spare"].map { state.index(of: .name($0)) } == [3, 2, nil])
  }

  @Test func `a new link may reuse the name of a removed one`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try network.watchingTracker()
    network.change(.linkRemoved(.ethernet(2, "eth0")), .link(.ethernet(7, "eth0")))
    #expect(tracker.readChange() == .all)
    #expect(tracker.networkState == NetworkState([.ethernet(7, "eth0")]))
    #expect(tracker.networkState.index(of: .name("eth0")) == 7)
  }

  @Test func `removing a link removes its addresses`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try network.watchingTracker()
    network.change(.linkRemoved(.ethernet(2, "eth0")))
    #expect(tracker.readChange() == .all)
    #expect(tracker.networkState == NetworkState())
    // A later link with the same index has no addresses.
    network.change(.link(.ethernet(2, "eth0")))
    #expect(tracker.readChange() == .all)
    #expect(tracker.networkState == NetworkState([.ethernet(2, "eth0")]))
  }

  @Test func `removing an unknown link changes nothing`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try network.watchingTracker()
    network.change(.linkRemoved(.ethernet(9, "eth9")))
    #expect(tracker.readChange() == NetworkChange())
  }

  @Test func `a link message without a name updates the link with its index`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try network.watchingTracker()
    network.announce(.event(.link(.ethernet(2, nil, isUp: false))), .event(.link(.ethernet(3, nil))))
    #expect(tracker.readChange() == .all)
    var expected = NetworkState(
      [.ethernet(2, "eth0", .noCarrier)], [2: [.ipv4("10.1.0.1", 24)]])
    _ = expected.settle()
    #expect(tracker.networkState == expected)
  }

  // MARK: Addresses

  @Test func `adding or removing an address may change everything`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try network.watchingTracker()
    network.change(.address(.ipv6("fd00::1", 64, on: 2)))
    #expect(tracker.readChange() == .all)
    let both = NetworkState(
      [.ethernet(2, "eth0")],
      [2: [.ipv4("10.1.0.1", 24), .ipv6("fd00::1", 64)]])
    #expect(tracker.networkState == both)
    network.change(.addressRemoved(.ipv6("fd00::1", 64, on: 2)))
    #expect(tracker.readChange() == .all)
    #expect(tracker.networkState == .ofOneLink)
    network.change(.addressRemoved(.ipv4("10.1.0.1", 24, on: 2)))
    #expect(tracker.readChange() == .all)
    #expect(tracker.networkState == NetworkState([.ethernet(2, "eth0")]))
  }

  @Test func `an address that is announced again changes nothing`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try network.watchingTracker()
    // As a router does that advertises a longer lifetime.
    network.change(.address(.ipv4("10.1.0.1", 24, on: 2)))
    #expect(tracker.readChange() == NetworkChange())
    #expect(tracker.networkState == .ofOneLink)
  }

  @Test func `the end of an address's tentative state may change everything`() throws {
    let network = ScriptedNetwork()
    network.changeSilently(
      .link(.ethernet(2, "eth0")), .address(.ipv6("fd00::1", 64, on: 2, .tentative)))
    var tracker = try network.watchingTracker()
    network.change(.address(.ipv6("fd00::1", 64, on: 2)))
    #expect(tracker.readChange() == .all)
    let expected = NetworkState(
      [.ethernet(2, "eth0")], [2: [.ipv6("fd00::1", 64)]])
    #expect(tracker.networkState == expected)
  }

  @Test func `removing an unknown address changes nothing`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try network.watchingTracker()
    network.change(
      .addressRemoved(.ipv4("10.1.0.2", 24, on: 2)), .addressRemoved(.ipv4("10.1.0.1", 16, on: 2)),
      .addressRemoved(.ipv4("10.1.0.1", 24, on: 3)))
    #expect(tracker.readChange() == NetworkChange())
    #expect(tracker.networkState == .ofOneLink)
  }

  // MARK: Routes, rules, next hops and settings

  @Test func `routes change their destinations, new IPv6 routes a moment later`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try network.watchingTracker()
    network.change(
      .route(.to(nil, 0)), .routeRemoved(.to("10.9.0.0", 16)), .route(.to("fd00:1::", 64, .ipv6)),
      .routeRemoved(.to("fd00:2::", 64, .ipv6)), .route(.to(nil, 0, .ipv6)))
    var expected = NetworkChange()
    for (prefix, effect) in [
      ("0.0.0.0/0", .changed), ("10.9.0.0/16", .changed), ("fd00:1::/64", .imminent),
      ("fd00:2::/64", .changed),
      ("::/0", .imminent),
    ] as [(_, NetworkChange.Effect)] {
      expected.insert(IPPrefix(literal: prefix), as: effect)
    }
    #expect(tracker.readChange() == expected)
    #expect(tracker.readChange() == NetworkChange())
    #expect(tracker.networkState == .ofOneLink)
  }

  @Test func `a cloned route changes nothing`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try network.watchingTracker()
    var cloned = RouteMessage.to("10.9.0.1", 32)
    cloned.flags = .cloned
    network.change(.route(cloned), .routeRemoved(cloned))
    #expect(tracker.readChange() == NetworkChange())
  }

  @Test func `a route with an invalid length or another family changes nothing`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try network.watchingTracker()
    network.change(
      .route(.to("10.9.0.0", 33)), .route(.to(nil, 20, AddressFamily(rawValue: 28))))
    #expect(tracker.readChange() == NetworkChange())
  }

  @Test func `a rule, a next hop or a setting may change everything`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try network.watchingTracker()
    var rule = Rule()
    rule.family = .ipv6
    let events: [RouteEvent] = [
      .rule(rule), .ruleRemoved(rule), .nextHop, .configuration,
    ]
    for event in events {
      network.change(event)
      #expect(tracker.readChange() == .all, "\(event)")
    }
    network.change(.other(MessageType(rawValue: 88)))
    #expect(tracker.readChange() == NetworkChange())
    #expect(network.listings == 1)
  }

  @Test func `a change of everything keeps only imminent prefixes`()
    throws
  {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try network.watchingTracker()
    network.change(
      .route(.to("10.9.0.0", 16)), .configuration, .route(.to("10.8.0.0", 16)),
      .route(.to("fd00:1::", 64, .ipv6)))
    let imminent = try #require(IPPrefix("fd00:1::", length: 64))
    #expect(tracker.readChange() == NetworkChange(everything: true, imminent: [imminent]))
  }

  @Test func `messages beyond the drain limit wait for the next call`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try network.watchingTracker()
    var same = LinkMessage.ethernet(2, "eth0")
    same.changeMask = .max
    network.change(Array(repeating: .link(same), count: 4096))
    network.change(.link(.ethernet(2, "eth0", isUp: false)))
    #expect(tracker.readChange() == NetworkChange())
    #expect(tracker.readChange() == .all)
  }
}
#endif
