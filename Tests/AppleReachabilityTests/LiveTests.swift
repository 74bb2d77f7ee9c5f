// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import AppleReachability
import ClassicSupport
import DeadlineSupport
import Foundation
import LiveSupport
import ReachabilityKit
import RequirementSupport
import SystemConfiguration
import Testing

/// Changes of a real network.
@Suite(.serialized, .needsNamespaces, .deadline)
struct LiveTests {
  @Test func `removing and restoring the default route delivers both changes`() async throws {
    let cable = try Cable()
    let thread = try LoopThread()
    let reachability = try #require(
      ReachabilityMonitor.$substitute.withValue(cable.monitor) { Reachability.forInternetConnection() })
    let recorder = NotificationRecorder(reachability)
    #expect(reachability.currentReachabilityStatus() == .reachableViaWiFi)
    #expect(try thread.run { reachability.startNotifier() })
    try cable.setDefaultRoute(false)
    #expect(try await recorder.posts.wait(for: 1).last?.status == .notReachable)
    try cable.setDefaultRoute(true)
    #expect(try await recorder.posts.wait(for: 2).last?.status == .reachableViaWiFi)
    reachability.stopNotifier()
    try cable.setDefaultRoute(false)
    #expect(reachability.currentReachabilityStatus() == .notReachable)
    #expect(try thread.run { reachability.startNotifier() })
    try cable.setDefaultRoute(true)
    #expect(try await recorder.posts.wait(for: 3).map(\.status).last == .reachableViaWiFi)
    let own = try thread.run { ObjectIdentifier(Thread.current) }
    #expect(Set(recorder.posts.elements.map(\.thread)) == [own])
  }

  @Test func `the local network is reachable without a default route`() async throws {
    let cable = try Cable()
    let thread = try LoopThread()
    let (made, internet) = ReachabilityMonitor.$substitute.withValue(cable.monitor) {
      (Reachability.forLocalWiFi(), Reachability.forInternetConnection())
    }
    let localNetwork = try #require(made)
    try cable.setDefaultRoute(false)
    #expect(localNetwork.currentReachabilityStatus() == .reachableViaWiFi)
    #expect(internet?.currentReachabilityStatus() == .notReachable)
    let recorder = NotificationRecorder(localNetwork)
    #expect(try thread.run { localNetwork.startNotifier() })
    #expect(localNetwork.currentReachabilityStatus() == .reachableViaWiFi)
    // The other end of the cable.
    try cable.host.ip("link set p0 down")
    #expect(try await recorder.posts.wait(for: 1).last?.status == .notReachable)
    try cable.host.ip("link set p0 up")
    #expect(try await recorder.posts.wait(for: 2).last?.status == .reachableViaWiFi)
    try cable.host.ip("addr del 10.1.0.1/24 dev v0")
    #expect(try await recorder.posts.wait(for: 3).last?.status == .notReachable)
    localNetwork.stopNotifier()
  }

  @Test func `a tunnel for everything else does not hide the local network`() throws {
    let cable = try Cable()
    guard let tunnel = try cable.host.openTunnel("tun0") else { return }
    defer { tunnel.close() }
    let localNetwork = ReachabilityMonitor.$substitute.withValue(cable.monitor) {
      Reachability.forLocalWiFi()
    }
    try cable.setDefaultRoute(false)
    try cable.host.ip("addr add 10.8.0.2/32 dev tun0")
    try cable.host.ip("link set tun0 up")
    try cable.host.ip("route add default dev tun0")
    #expect(localNetwork?.currentReachabilityStatus() == .reachableViaWiFi)
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
    let reachability = try #require(
      ReachabilityMonitor.$substitute.withValue(cable.monitor) { Reachability.forInternetConnection() })
    guard let tunnel = try cable.setWaitingTunnel() else { return }
    defer { tunnel.close() }
    #expect(reachability.currentReachabilityStatus() == .notReachable)
    #expect(reachability.connectionRequired())
    try cable.host.ip("link set tun0 state up")
    #expect(reachability.currentReachabilityStatus() == .reachableViaWiFi)
    #expect(!reachability.connectionRequired())
  }
}
#endif
