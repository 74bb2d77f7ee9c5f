// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import ClassicSupport
import DeadlineSupport
import LiveSupport
import ReachabilityKit
import RequirementSupport
import SystemConfiguration
import TMReachability
import Testing

/// Changes of a real network.
@Suite(.serialized, .needsNamespaces, .deadline)
struct LiveTests {
  @Test func `removing and restoring the default route delivers both changes`() async throws {
    let cable = try Cable()
    let made = ReachabilityMonitor.$substitute.withValue(cable.monitor) {
      Reachability.forInternetConnection()
    }
    let reachability = try #require(made)
    let events = Log<String>()
    reachability.reachableBlock = { events.append("reachable: \($0?.currentReachabilityFlags() ?? "")") }
    reachability.unreachableBlock = { events.append("unreachable: \($0?.currentReachabilityFlags() ?? "")") }
    #expect(reachability.isReachableViaWiFi())
    #expect(reachability.startNotifier())
    try cable.setDefaultRoute(false)
    try await events.wait(for: 1)
    try cable.setDefaultRoute(true)
    try await events.wait(for: 2)
    #expect(events.elements == ["unreachable: -- -------", "reachable: -R -------"])
    reachability.stopNotifier()
    try cable.setDefaultRoute(false)
    #expect(reachability.currentReachabilityStatus() == .NotReachable)
    #expect(reachability.startNotifier())
    try cable.setDefaultRoute(true)
    #expect(try await events.wait(for: 3).last == "reachable: -R -------")
    reachability.stopNotifier()
  }

  @Test func `the sample of the original's README works, with its local variable`() async throws {
    let cable = try Cable()
    let events = Log<String>()
    weak var held: TMReachability.Reachability?
    try ReachabilityMonitor.$substitute.withValue(cable.monitor) {
      let reach = try #require(Reachability(hostname: "10.9.0.1"))
      reach.reachableBlock = { _ in events.append("REACHABLE!") }
      reach.unreachableBlock = { _ in events.append("UNREACHABLE!") }
      reach.startNotifier()
      held = reach
    }
    try cable.setDefaultRoute(false)
    try await events.wait(for: 1)
    try cable.setDefaultRoute(true)
    #expect(try await events.wait(for: 2) == ["UNREACHABLE!", "REACHABLE!"])
    held?.stopNotifier()
  }

  @Test func `an on-link address needs no default route`() throws {
    let cable = try Cable()
    let made = ReachabilityMonitor.$substitute.withValue(cable.monitor) {
      [Reachability(hostname: "10.1.0.7"), Reachability.forLocalWiFi(), Reachability.forInternetConnection()]
    }
    #expect(made.map { $0?.currentReachabilityFlags() } == ["-R ------d", "-R ------d", "-R -------"])
    try cable.setDefaultRoute(false)
    #expect(made.map { $0?.currentReachabilityFlags() } == ["-R ------d", "-R ------d", "-- -------"])
  }

  @Test func `the local network is reachable without a default route`() async throws {
    let cable = try Cable()
    let made = ReachabilityMonitor.$substitute.withValue(cable.monitor) { Reachability.forLocalWiFi() }
    let localNetwork = try #require(made)
    try cable.setDefaultRoute(false)
    #expect(localNetwork.currentReachabilityStatus() == .ReachableViaWiFi)
    let events = Log<String>()
    localNetwork.reachableBlock = { _ in events.append("reachable") }
    localNetwork.unreachableBlock = { _ in events.append("unreachable") }
    localNetwork.startNotifier()
    // The other end of the cable.
    try cable.host.ip("link set p0 down")
    try await events.wait(for: 1)
    try cable.host.ip("link set p0 up")
    #expect(try await events.wait(for: 2) == ["unreachable", "reachable"])
    localNetwork.stopNotifier()
  }

  @Test func `a tunnel alone is no local network`() async throws {
    let cable = try Cable()
    guard let tunnel = try cable.host.openTunnel("tun0") else { return }
    defer { tunnel.close() }
    let (made, internet) = ReachabilityMonitor.$substitute.withValue(cable.monitor) {
      (Reachability.forLocalWiFi(), Reachability.forInternetConnection())
    }
    let localNetwork = try #require(made)
    #expect(localNetwork.currentReachabilityStatus() == ReachableViaWiFi)
    try cable.host.ip("link set v0 down")
    try cable.host.ip("addr add 10.8.0.2/32 dev tun0")
    try cable.host.ip("link set tun0 up")
    try cable.host.ip("route add default dev tun0")
    #expect(localNetwork.currentReachabilityStatus() == NotReachable)
    #expect(internet?.currentReachabilityStatus() == ReachableViaWiFi)
  }

  @Test func `a waiting tunnel is not reachable and requires a connection`() throws {
    let cable = try Cable()
    let made = ReachabilityMonitor.$substitute.withValue(cable.monitor) {
      Reachability.forInternetConnection()
    }
    let reachability = try #require(made)
    guard let tunnel = try cable.setWaitingTunnel() else { return }
    defer { tunnel.close() }
    #expect(reachability.currentReachabilityFlags() == "-R ct-----")
    #expect(reachability.currentReachabilityStatus() == .NotReachable)
    #expect(!reachability.isReachable())
    #expect(reachability.isConnectionRequired())
    #expect(!reachability.isConnectionOnDemand())
    try cable.host.ip("link set tun0 state up")
    #expect(reachability.currentReachabilityFlags() == "-R -t-----")
    #expect(reachability.isReachable())
  }
}
#endif
