// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import Netlink
import ReachabilityKit
import Testing

/// Statuses of packets that enter tunnels.
@Suite(.deadline) struct TunnelTests {
  private static let remote = RouteRequest(
    "192.0.2.1", protocolNumber: 17, destinationPort: 4789, sender: .tunnel)

  private func scenario(_ outer: RouteAnswer?, ethernet: LinkState = Links.ethernet) -> Scenario {
    var scenario = Scenario([Links.loopback, ethernet, Links.wireGuard])
    scenario.answer(RouteRequest("10.9.0.1"), .route(5, from: "10.5.0.1"))
    _ = scenario.network.update(tunnel: outer == nil ? nil : Self.remote, of: 5)
    if let outer { scenario.answer(Self.remote, outer, exact: outer) }
    return scenario
  }

  @Test func `a tunnel's other end is looked up once, and named`() throws {
    let outcome = try scenario(.route(2, via: "10.1.0.254", from: "10.1.0.1")).run(.address("10.9.0.1"))
    #expect(outcome.asked == [RouteRequest("10.9.0.1"), Self.remote])
    #expect(outcome.evaluation.status.isReachable)
    #expect(
      outcome.evaluation.status.underlays == [
        .init(to: "192.0.2.1", over: Links.ethernet.interface, gateway: "10.1.0.254", source: "10.1.0.1")
      ])
  }

  @Test func `without tunnels nothing more is asked`() throws {
    #expect(try scenario(nil).run(.address("10.9.0.1")).asked == [RouteRequest("10.9.0.1")])
  }

  @Test func `packets that do not enter a tunnel have no other end`() throws {
    var scenario = Scenario([Links.loopback, Links.ethernet, Links.wireGuard.with(.down)])
    scenario.answer(RouteRequest("10.9.0.1"), .route(5, from: "10.5.0.1"), exact: .route(5))
    scenario.answer(Self.remote, .route(2, from: "10.1.0.1"))
    _ = scenario.network.update(tunnel: Self.remote, of: 5)
    let outcome = try scenario.run(.address("10.9.0.1"))
    #expect(outcome.evaluation.status.reason == .interfaceDown)
    #expect(outcome.evaluation.status.underlays.isEmpty && !outcome.asked.contains(Self.remote))
  }

  @Test func `what stops the tunnel's packets stops those that enter it`() throws {
    for (outer, condition, reason) in [
      (.failure(.networkUnreachable), .up, .noRoute), (.failure(.accessDenied), .up, .prohibited),
      (.route(2, from: "10.1.0.1"), .noCarrier, .noCarrier),
      (.route(2, from: "10.1.0.1"), .down, .interfaceDown),
      (.route(5, from: "10.5.0.1"), .up, .tunnelLoop),
    ] as [(RouteAnswer, LinkState.Condition, ReachabilityStatus.Reason)] {
      let status = try scenario(outer, ethernet: Links.ethernet.with(condition)).status(
        of: .address("10.9.0.1"))
      #expect(status.reason == reason && status.state == .notReachable)
      #expect(status.interface == Links.wireGuard.interface)
      #expect(status.underlays.map(\.remote) == ["192.0.2.1"])
    }
  }

  @Test func `a tunnel whose lookup failed is unknown`() throws {
    #expect(try scenario(.failure(.trouble)).status(of: .address("10.9.0.1")).state == .unknown)
  }

  @Test func `a removed tunnel is forgotten, and its other end is no watched address`() {
    var network = scenario(.failure(.networkUnreachable)).network
    #expect(network.tunnelAddresses == ["192.0.2.1"])
    let isChanged = network.update(tunnel: Self.remote, of: 5)
    #expect(!isChanged)
    _ = network.removeLink(5)
    #expect(network.tunnelAddresses == [])
  }
}
#endif
