// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import Netlink
import POSIX
import Testing

@testable import ReachabilityKit

@Suite(.deadline) struct NextHopWatchTests {
  private static let start = Moment.now

  private func after(_ seconds: Int) -> Moment { Self.start.advanced(by: .seconds(seconds)) }

  private func entry(_ address: ReachabilityAddress, _ state: NeighbourState, on index: Int32 = 2)
    -> NeighbourMessage
  {
    var message = NeighbourMessage()
    message.family = .ipv4
    message.destination = address
    message.index = index
    message.state = state
    return message
  }

  /// A reference, so that expectations can change it.
  private final class Reference {
    var watch = NextHopWatch()

    init(_ gateways: [ReachabilityAddress]) {
      for gateway in gateways {
        watch.record(.success(RouteMessage(interface: 2, gateway: gateway)), to: RouteRequest("8.8.8.8"))
      }
      _ = watch.removeFound()
    }

    func apply(_ message: NeighbourMessage, isRemoved: Bool, now: Moment) -> Bool {
      watch.apply(message, isRemoved: isRemoved, now: now).contains(.choice)
    }

    func isRecovery(_ message: NeighbourMessage) -> Bool {
      watch.apply(message, isRemoved: false, now: NextHopWatchTests.start).contains(.recovery)
    }

    func isCheckDue(_ now: Moment) -> Bool { watch.isCheckDue(now) }

    var deadline: Moment? { watch.deadline }
  }

  private func watch(_ gateways: ReachabilityAddress...) -> Reference { Reference(gateways) }

  @Test func `answers name the next hops to watch, each once`() {
    var watch = NextHopWatch()
    #expect(!watch.hasUnwatched)
    let question = RouteRequest("8.8.8.8")
    for _ in 0..<2 {
      watch.record(.success(RouteMessage(interface: 2, gateway: "10.1.0.254")), to: question)
      watch.record(.success(RouteMessage(interface: 2)), to: question)
      watch.record(.failure(.hostUnreachable), to: question)
    }
    let hops = [
      NextHop(interface: 3, gateway: "10.2.0.254", isDown: true),
      NextHop(interface: 3, gateway: nil, isDown: false),
    ]
    watch.record(.success(RouteMessage(nextHops: hops)), to: question)
    let found = watch.removeFound()
    #expect(
      found == [
        .init(address: "10.1.0.254", interface: 2): question,
        .init(address: "10.2.0.254", interface: 3): question,
      ])
    #expect(Set(watch.addresses) == ["10.1.0.254", "10.2.0.254"])
    watch.record(.success(RouteMessage(interface: 2, gateway: "10.1.0.254")), to: question)
    #expect(!watch.hasUnwatched)
  }

  @Test func `one address on two links is two next hops`() {
    var watch = NextHopWatch()
    for interface in [2, 3] as [Int32] {
      watch.record(
        .success(RouteMessage(interface: interface, gateway: "10.1.0.254")), to: RouteRequest("8.8.8.8"))
    }
    #expect(Set(watch.removeFound().keys.map(\.interface)) == [2, 3])
  }

  @Test func `only the latest next hops are watched`() {
    var watch = NextHopWatch()
    for last in 0..<1000 as Range<UInt32> {
      let gateway = ReachabilityAddress.v4(.init(rawValue: 0x0a01_0000 + last))
      watch.record(.success(RouteMessage(interface: 2, gateway: gateway)), to: RouteRequest("8.8.8.8"))
      _ = watch.removeFound()
    }
    #expect(watch.addresses.count == 128)
    #expect(watch.addresses.contains("10.1.3.231"))
  }

  @Test func `each change of a state matters where another next hop is known`() {
    let watch = watch("10.1.0.254", "10.2.0.254")
    let states: [(NeighbourState, Bool)] = [
      (.reachable, true), (.permanent, false), (.stale, true), (.probe, false), (.failed, true),
      (.failed, false), (.incomplete, true), (.reachable, true),
    ]
    for (state, isChange) in states {
      #expect(
        watch.apply(entry("10.1.0.254", state), isRemoved: false, now: Self.start) == isChange, "\(state)")
    }
    #expect(watch.apply(entry("10.1.0.254", .reachable), isRemoved: true, now: Self.start))
  }

  @Test func `of a router alone only failures matter`() {
    let watch = watch("10.1.0.254", "fe80::1")
    for state in [NeighbourState.reachable, .stale, .probe, .reachable] {
      #expect(!watch.apply(entry("10.1.0.254", state), isRemoved: false, now: Self.start))
    }
    #expect(watch.apply(entry("10.1.0.254", .failed), isRemoved: false, now: Self.start))
    #expect(watch.apply(entry("10.1.0.254", .reachable), isRemoved: false, now: Self.start))
  }

  @Test func `a router that failed or was forgotten returns once`() {
    let watch = watch("10.1.0.254")
    let states: [(NeighbourState, Bool)] = [
      (.reachable, false), (.failed, false), (.reachable, true), (.reachable, false), (.stale, false),
      (.probe, false), (.failed, false), (.stale, true),
    ]
    for (state, isRecovery) in states {
      #expect(watch.isRecovery(entry("10.1.0.254", state)) == isRecovery, "\(state)")
    }
    _ = watch.apply(entry("10.1.0.254", .reachable), isRemoved: true, now: Self.start)
    #expect(!watch.isRecovery(entry("10.1.0.253", .reachable)))
    #expect(watch.isRecovery(entry("10.1.0.254", .reachable)))
  }

  @Test func `other neighbours do not matter`() {
    let watch = watch("10.1.0.254", "10.2.0.254")
    #expect(!watch.apply(entry("10.1.0.253", .failed), isRemoved: false, now: Self.start))
    #expect(!watch.apply(entry("10.1.0.254", .failed, on: 3), isRemoved: false, now: Self.start))
    #expect(watch.deadline == nil)
  }

  @Test func `while a next hop has failed, a check is due every second`() {
    let watch = watch("10.1.0.254", "10.2.0.254")
    _ = watch.apply(entry("10.1.0.254", .failed), isRemoved: false, now: Self.start)
    for second in 1...60 {
      #expect(watch.deadline == after(second))
      #expect(watch.isCheckDue(after(second)))
      #expect(!watch.isCheckDue(after(second)))
    }
    _ = watch.apply(entry("10.1.0.254", .reachable), isRemoved: false, now: after(60))
    #expect(!watch.isCheckDue(after(61)))
    #expect(watch.deadline == nil)
  }

  /// A multipath route may have another next hop, which no answer has named.
  @Test(arguments: ["10.2.0.254", "fe80::1"] as [ReachabilityAddress])
  func `after the removal of an entry, checks end`(other: ReachabilityAddress) {
    let watch = watch("10.1.0.254", other)
    _ = watch.apply(entry("10.1.0.254", .reachable), isRemoved: true, now: Self.start)
    #expect((1...20).filter { watch.isCheckDue(after($0)) } == [1, 2, 3, 4, 5])
    #expect(watch.deadline == nil)
  }

  @Test func `a confirmed entry takes no check`() {
    let watch = watch("10.1.0.254", "10.1.0.253")
    #expect(watch.apply(entry("10.1.0.254", .stale), isRemoved: false, now: Self.start) == false)
    #expect(watch.apply(entry("10.1.0.254", .reachable), isRemoved: false, now: Self.start))
    #expect(watch.deadline == nil)
  }

  @Test func `without another next hop no check is due`() {
    let watch = watch("10.1.0.254", "fe80::1")
    _ = watch.apply(entry("10.1.0.254", .failed), isRemoved: false, now: Self.start)
    #expect(!watch.isCheckDue(after(1)))
    #expect(watch.deadline == nil)
  }

  /// A network with the links 2 and 3, and a watch that has looked their default routes up.
  private func watch(linkType: String? = nil) -> (NextHopWatch, NetworkState) {
    var network = NetworkState()
    for index in 2...3 {
      _ = network.update(
        LinkState(ReachabilityInterface(name: "v\(index)", index: index, kind: .wired, linkType: linkType)))
    }
    var watch = NextHopWatch()
    watch.recordChange()
    #expect(watch.onlyDefaultQuestion() == nil)
    #expect(watch.defaultQuestions(of: network).count == 4)
    return (watch, network)
  }

  private func defaultRoute(over link: Int32?, _ change: (inout RouteMessage) -> Void = { _ in })
    -> RouteMessage
  {
    var route = RouteMessage(interface: link, gateway: "10.1.0.254")
    route.family = .ipv4
    change(&route)
    return route
  }

  @Test func `an IPv4 default route has only that of its link looked up, if it may be another`() {
    var watch = watch().0
    watch.recordChange(of: defaultRoute(over: 3), isRemoved: false)
    watch.recordChange(of: defaultRoute(over: 3), isRemoved: true)
    #expect(watch.hasUnwatched)
    let question = RouteRequest("0.0.0.1", interface: 3, form: .entry)
    #expect(watch.onlyDefaultQuestion() == question)
    #expect(!watch.hasUnwatched)
    watch.record(.success(defaultRoute(over: 3)), to: question)
    watch.recordChange(of: defaultRoute(over: 3), isRemoved: false)
    #expect(watch.onlyDefaultQuestion() == nil)
    watch.recordChange(of: defaultRoute(over: 2), isRemoved: false)
    #expect(watch.onlyDefaultQuestion()?.interface == 2)
    watch.recordChange(of: defaultRoute(over: 3), isRemoved: true)
    #expect(watch.onlyDefaultQuestion() == question)
  }

  @Test func `a default route that may concern other links has those of all looked up`() {
    let routes = [
      defaultRoute(over: nil), defaultRoute(over: 2) { $0.kind = .unreachable },
      defaultRoute(over: 2) { $0.family = .ipv6 }, defaultRoute(over: 2) { $0.isReplacement = true },
    ]
    for route in routes {
      var (watch, network) = watch()
      watch.recordChange(of: route, isRemoved: false)
      #expect(watch.onlyDefaultQuestion() == nil)
      #expect(watch.defaultQuestions(of: network).count == 4)
    }
    var (watch, network) = watch()
    for link in [2, 3, 2] as [Int32] { watch.recordChange(of: defaultRoute(over: link), isRemoved: true) }
    #expect(watch.defaultQuestions(of: network).count == 4)
    (watch, network) = self.watch(linkType: "vrf")
    watch.recordChange(of: defaultRoute(over: 2), isRemoved: true)
    #expect(watch.defaultQuestions(of: network).count == 4)
  }

  @Test func `a default route that a removed one uncovers is found, and its next hop watched`() throws {
    let network = ScriptedNetwork.withOneLink()
    network.setRoute(to: "0.0.0.1", .success(defaultRoute(over: 2)))
    var tracker = try network.watchingTracker()
    tracker.watchNextHops()
    #expect(tracker.tables.nextHops?.addresses == ["10.1.0.254"])
    for uncovered in ["10.1.0.253", "10.1.0.252"] as [ReachabilityAddress] {
      network.setRoute(to: "0.0.0.1", .success(defaultRoute(over: 2) { $0.gateway = uncovered }))
      network.announce(.event(.routeRemoved(defaultRoute(over: 2))))
      _ = tracker.readChange()
      let (filters, steps) = (network.filters, network.steps.count)
      tracker.watchNextHops()
      #expect(network.filters == filters + 1)
      #expect(network.steps[steps...].count { $0 == .asked(.getRoute) } == 1)
      #expect(tracker.tables.nextHops?.addresses.contains(uncovered) == true)
      #expect(tracker.tables.nextHops?.hasUnwatched == false)
    }
  }

  @Test func `a default route with a known next hop takes neither a lookup nor another filter`() throws {
    let network = ScriptedNetwork.withOneLink()
    network.setRoute(to: "0.0.0.1", .success(defaultRoute(over: 2)))
    var tracker = try network.watchingTracker()
    tracker.watchNextHops()
    network.announce(.event(.routeRemoved(defaultRoute(over: 2))))
    _ = tracker.readChange()
    let filters = network.filters
    tracker.watchNextHops()
    #expect(network.filters == filters)
    network.announce(.event(.route(defaultRoute(over: 2))))
    _ = tracker.readChange()
    #expect(tracker.tables.nextHops?.hasUnwatched == false)
  }

  @Test func `a next hop that changes before it is watched leads to another evaluation`() throws {
    for isChanged in [false, true] {
      let network = ScriptedNetwork.withOneLink()
      network.setRoute(to: "10.9.0.1", .success(defaultRoute(over: 2)))
      var tracker = try network.watchingTracker()
      tracker.watchNextHops()
      _ = tracker.evaluateObserved([.address("10.9.0.1")])
      if isChanged {
        network.setRoute(to: "10.9.0.1", .success(defaultRoute(over: 2) { $0.gateway = "10.1.0.253" }))
      }
      tracker.watchNextHops()
      #expect(tracker.readChange().nextHops == isChanged)
    }
  }

  @Test(arguments: [(.reachable, true), (.stale, false)] as [(NeighbourState, Bool)])
  func `the state of a next hop is read when its watch begins`(state: NeighbourState, isChanged: Bool) throws
  {
    let network = ScriptedNetwork.withOneLink()
    let gateways: [ReachabilityAddress] = ["10.1.0.254", "10.1.0.253"]
    for (gateway, destination) in zip(gateways, ["10.9.0.1", "10.9.0.2"] as [ReachabilityAddress]) {
      network.setRoute(to: destination, .success(defaultRoute(over: 2) { $0.gateway = gateway }))
    }
    network.setNeighbours(entry(gateways[0], state))
    var tracker = try network.watchingTracker()
    _ = tracker.evaluateObserved([.address("10.9.0.1"), .address("10.9.0.2")])
    tracker.watchNextHops()
    _ = tracker.readChange()
    network.change(.neighbour(entry(gateways[0], .stale)))
    #expect(tracker.readChange().nextHops == isChanged)
  }

  @Test func `a removed entry of a next hop may be part of a change that goes on`() throws {
    let network = ScriptedNetwork.withOneLink()
    network.setRoute(to: "10.9.0.1", .success(defaultRoute(over: 2)))
    var tracker = try network.watchingTracker()
    _ = tracker.evaluateObserved([.address("10.9.0.1")])
    tracker.watchNextHops()
    _ = tracker.readChange()
    let (own, other) = (entry("10.1.0.254", .failed), entry("10.1.0.7", .failed))
    let events: [(RouteEvent, isChoice: Bool, isInProgress: Bool)] = [
      (.neighbour(own), true, false), (.neighbourRemoved(other), false, false),
      (.neighbourRemoved(own), true, true), (.neighbourRemoved(own), false, false),
    ]
    for (event, isChoice, isInProgress) in events {
      network.change(event)
      #expect(tracker.readChange() == NetworkChange(nextHops: isChoice), "\(event)")
      #expect(tracker.tables.unfinished.isInProgress == isInProgress, "\(event)")
    }
  }

  @Test func `a removed link ends the watch of its next hops`() {
    var watch = watch("10.1.0.254").watch
    watch.recordChange()
    #expect(watch.needsDefaults)
    let questions = watch.defaultQuestions(of: NetworkState())
    #expect(questions.isEmpty)
    #expect(!watch.needsDefaults && watch.addresses.isEmpty)
  }
}
#endif
