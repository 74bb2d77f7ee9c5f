// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import POSIX
import Testing
@testable import Netlink
@testable import ReachabilityKit

/// The evaluations of a tracker for a caller.
@Suite(.deadline) struct NetworkTrackerStatusTests {
  /// A route over the link with the index, from 10.1.0.1.
  private func route(over index: Int32, gateway: ReachabilityAddress? = nil) -> Result<RouteMessage, Errno> {
    var route = RouteMessage.to("10.1.0.2", 32)
    route.interface = index
    route.gateway = gateway
    route.preferredSource = "10.1.0.1"
    return .success(route)
  }

  private func reachable(_ link: LinkState, gateway: ReachabilityAddress? = nil) -> Evaluation {
    Evaluation(
      ReachabilityStatus(
        .reachable, flags: gateway == nil ? [.reachable, .isDirect] : .reachable, interface: link.interface,
        gateway: gateway, source: "10.1.0.1"))
  }

  @Test func `a route over a link that the tables lack is looked up again once they are read`() throws {
    let network = ScriptedNetwork.withOneLink()
    var route = RouteMessage.to("10.9.0.0", 16)
    (route.interface, route.gateway, route.preferredSource) = (3, "10.2.0.254", "10.2.0.1")
    network.setRoute(to: "10.9.0.1", .success(route))
    var tracker = try network.watchingTracker()
    network.changeSilently(.link(.ethernet(3, "eth1")), .address(.ipv4("10.2.0.1", 24, on: 3)))
    let before = network.steps.count
    #expect(tracker.evaluateObserved([.address("10.9.0.1")])[0].status.interface?.name == "eth1")
    // Once before they are read; then once more, and for packets from the source of the answer.
    #expect(network.steps[before...].count { $0 == .asked(.getRoute) } == 3)
  }

  @Test func `an evaluation reads the waiting messages`() throws {
    let network = ScriptedNetwork.withOneLink()
    network.setRoute(to: "10.1.0.2", route(over: 2))
    var tracker = try network.tracker()
    #expect(tracker.evaluate(.address("10.1.0.2")) == reachable(.ethernet(2, "eth0")))
    network.change(.link(.ethernet(2, "lan0")))
    #expect(tracker.evaluate(.address("10.1.0.2")) == reachable(.ethernet(2, "lan0")))
    #expect(tracker.evaluate(.address("10.9.0.1")) == Evaluation(.notReachable(.noRoute)))
    #expect(network.listings == 1)
  }

  @Test func `an unconstrained address takes one lookup`() throws {
    let network = ScriptedNetwork.withOneLink()
    network.setRoute(to: "10.1.0.2", route(over: 2, gateway: "10.1.0.254"))
    var tracker = try network.tracker()
    let before = network.steps.count
    let expected = reachable(.ethernet(2, "eth0"), gateway: "10.1.0.254")
    #expect(tracker.evaluate(.address("10.1.0.2")) == expected)
    #expect(Array(network.steps.dropFirst(before)) == [.asked(.getRoute)])
  }

  @Test func `a rule that matches the answer's source causes a second lookup`() throws {
    let network = ScriptedNetwork.withOneLink()
    network.setRoute(to: "10.1.0.2", route(over: 2))
    var tracker = try network.tracker()
    let expected = reachable(.ethernet(2, "eth0"))
    var rule = Rule()
    rule.family = .ipv4
    rule.source = IPPrefix("10.1.0.0", length: 24)
    for (event, asked) in [
      (.rule(rule), [.getRoute, .getRule, .getRule, .getRoute]),
      (.linkRemoved(.ethernet(9, "eth9")), [.getRoute, .getRoute]),
      (.ruleRemoved(rule), [.getRoute, .getRule, .getRule]),
      (.linkRemoved(.ethernet(9, "eth9")), [.getRoute]),
    ] as [(RouteEvent, [MessageType])] {
      network.change(event)
      let before = network.steps.count
      #expect(tracker.evaluate(.address("10.1.0.2")) == expected)
      #expect(Array(network.steps.dropFirst(before)) == asked.map { .asked($0) }, "\(event)")
    }
  }

  @Test func `a kernel without policy rules needs no second lookup`() throws {
    let network = ScriptedNetwork.withOneLink()
    network.forgetRules()
    network.setRoute(to: "10.1.0.2", route(over: 2))
    var tracker = try network.tracker()
    #expect(tracker.evaluate(.address("10.1.0.2")) == reachable(.ethernet(2, "eth0")))
    #expect(network.listings == 1)
  }

  @Test func `an answer that needs another causes another lookup`() throws {
    let network = ScriptedNetwork.withOneLink()
    var local = RouteMessage.to("10.1.0.1", 32)
    local.kind = .local
    local.interface = 2
    local.preferredSource = "10.1.0.1"
    network.setRoute(to: "10.1.0.1", .success(local))
    var tracker = try network.tracker()
    let before = network.steps.count
    let expected = ReachabilityStatus(
      .reachable, flags: [.reachable, .isLocalAddress, .isDirect],
      interface: LinkState.ethernet(2, "eth0").interface, source: "10.1.0.1")
    #expect(tracker.evaluate(.address("10.1.0.1")) == Evaluation(expected))
    #expect(Array(network.steps.dropFirst(before)) == [.asked(.getRoute), .asked(.getRoute)])
  }

  @Test func `a link unknown to the tables causes a new reading`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try network.tracker()
    network.changeSilently(.link(.ethernet(3, "eth1")))
    network.setRoute(to: "10.1.0.2", route(over: 3))
    #expect(tracker.evaluate(.address("10.1.0.2")) == reachable(.ethernet(3, "eth1")))
    #expect(network.listings == 2)
  }

  @Test func `a link that even the new tables lack means no route`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try network.tracker()
    network.setRoute(to: "10.1.0.2", route(over: 3))
    #expect(tracker.evaluate(.address("10.1.0.2")) == Evaluation(.notReachable(.noRoute)))
    #expect(network.listings == 2)
  }

  @Test(arguments: [
    ReachabilityTarget.address("10.1.0.2"), .defaultRoute,
    ReachabilityTarget(.address("10.1.0.2"), source: "10.1.0.1"),
  ])
  func `a silent kernel leaves the status unknown`(_ target: ReachabilityTarget) throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try network.tracker()
    network.fallSilent()
    #expect(tracker.evaluate(target) == Evaluation(.unknown(.systemError)))
  }

  @Test func `equal answers give equal statuses while no table changes`() throws {
    let network = ScriptedNetwork.withOneLink()
    let neighbours = (2..<10).map { ReachabilityAddress.v4(.init(rawValue: 0x0a01_0000 + $0)) }
    for neighbour in neighbours { network.setRoute(to: neighbour, route(over: 2)) }
    var tracker = try network.tracker()
    for _ in 0..<5 {
      for neighbour in neighbours {
        #expect(tracker.evaluate(.address(neighbour)) == reachable(.ethernet(2, "eth0")))
        #expect(
          tracker.evaluate(ReachabilityTarget(.address(neighbour), mark: 7))
            == reachable(.ethernet(2, "eth0")))
      }
      let all = tracker.evaluateObserved(neighbours.map { .address($0) })
      #expect(all == Array(repeating: reachable(.ethernet(2, "eth0")), count: neighbours.count))
    }
    network.setRoute(to: "10.1.0.2", route(over: 2, gateway: "10.1.0.254"))
    #expect(tracker.evaluate(.address("10.1.0.2")) == reachable(.ethernet(2, "eth0"), gateway: "10.1.0.254"))
    network.change(.link(.ethernet(2, "eth0", isUp: false)))
    #expect(tracker.evaluate(.address("10.1.0.2")).status.reason == .noCarrier)
    network.changeSilently(.link(.ethernet(2, "lan0")))
    network.announce(.overrun)
    #expect(tracker.evaluate(.address("10.1.0.2")) == reachable(.ethernet(2, "lan0"), gateway: "10.1.0.254"))
    network.changeSilently(.link(.ethernet(2, "eth0")))
    tracker.refresh()
    #expect(tracker.evaluate(.address("10.1.0.2")) == reachable(.ethernet(2, "eth0"), gateway: "10.1.0.254"))
  }

  @Test func `a caller's query takes no change from the watcher`() throws {
    let network = ScriptedNetwork.withOneLink()
    var tracker = try network.watchingTracker()
    network.change(.route(.to("10.9.0.0", 16)))
    _ = tracker.evaluate(.address("10.1.0.2"))
    network.change(.route(.to("10.8.0.0", 16)))
    _ = tracker.evaluate(.address("10.1.0.2"))
    let prefixes = [IPPrefix("10.9.0.0", length: 16), IPPrefix("10.8.0.0", length: 16)]
    #expect(tracker.readChange() == NetworkChange(prefixes: prefixes.compactMap(\.self)))
  }
}
#endif
