// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import Foundation
import LiveSupport
import ReachabilityKit
import RequirementSupport
import SystemConfiguration
import Testing

@testable import AFNetworkReachability

@MainActor
@Suite(.serialized, .timeLimit(.minutes(10)), .needsNamespaces, .deadline)
struct NetworkTests {
  @Test func `a manager follows the default route of a network`() async throws {
    let host = try NetworkNamespace()
    try host.raiseLoopback()
    try host.ip("link add v0 type veth peer name p0")
    try host.ip("addr add 10.1.0.1/24 dev v0")
    try host.ip("link set p0 up")
    try host.ip("link set v0 up")
    try await wait { try host.ip("-o link show v0").contains("state UP") }
    try host.ip("route add default via 10.1.0.254")
    let monitor = try host.run { try ReachabilityMonitor() }
    let manager = ReachabilityMonitor.$substitute.withValue(monitor) { AFNetworkReachabilityManager() }
    let log = EventLog()
    manager.note(in: log)
    manager.startMonitoring()
    #expect(await log.next() == .block(.reachableViaWiFi))
    try host.ip("route del default")
    #expect(await log.next() == .block(.notReachable))
    try host.ip("route add default via 10.1.0.254")
    #expect(await log.next() == .block(.reachableViaWiFi))
    manager.stopMonitoring()
    try host.ip("route del default")
    manager.startMonitoring()
    #expect(await log.next() == .block(.notReachable))
  }

  @Test func `a move to another network of the same kind is an event`() async throws {
    let host = try NetworkNamespace()
    try host.raiseLoopback()
    for number in [0, 1] {
      try host.ip("link add v\(number) type veth peer name p\(number)")
      try host.ip("addr add 10.\(number + 1).0.1/24 dev v\(number)")
      try host.ip("link set p\(number) up")
      try host.ip("link set v\(number) up")
      try await wait { try host.ip("-o link show v\(number)").contains("state UP") }
      try host.ip("route add default via 10.\(number + 1).0.254 metric \(number + 1)")
    }
    let monitor = try host.run { try ReachabilityMonitor() }
    let manager = ReachabilityMonitor.$substitute.withValue(monitor) { AFNetworkReachabilityManager() }
    let log = EventLog()
    manager.note(in: log)
    let token = NotificationCenter.default.addObserver(
      forName: .AFNetworkingReachabilityDidChange, object: manager, queue: nil
    ) { [unowned manager] _ in log.note(.notification(manager.networkReachabilityStatus)) }
    defer { NotificationCenter.default.removeObserver(token) }
    manager.startMonitoring()
    #expect(await log.next() == .block(.reachableViaWiFi))
    #expect(await log.next() == .notification(.reachableViaWiFi))
    try host.ip("route del default via 10.1.0.254")
    #expect(await log.next() == .block(.reachableViaWiFi))
    #expect(await log.next() == .notification(.reachableViaWiFi))
    try host.ip("route del default via 10.2.0.254")
    #expect(await log.next() == .block(.notReachable))
    #expect(await log.next() == .notification(.notReachable))
    #expect(log.all.count == 6)
  }

  @Test func `a waiting tunnel is not reachable until it is connected`() async throws {
    let host = try NetworkNamespace()
    guard let tunnel = try host.openTunnel("tun0") else { return }
    defer { tunnel.close() }
    try host.ip("addr add 10.8.0.2/32 dev tun0")
    try host.ip("link set tun0 up")
    try host.ip("link set tun0 mode dormant")
    try host.ip("link set tun0 state dormant")
    try host.ip("route add default dev tun0")
    let monitor = try host.run { try ReachabilityMonitor() }
    let manager = ReachabilityMonitor.$substitute.withValue(monitor) { AFNetworkReachabilityManager() }
    let log = EventLog()
    manager.note(in: log)
    manager.startMonitoring()
    #expect(await log.next() == .block(.notReachable))
    try host.ip("link set tun0 state up")
    #expect(await log.next() == .block(.reachableViaWiFi))
  }
}
#endif
