// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import Foundation
import ReachabilityKit
import ReachabilityTesting
import SystemConfiguration
import Testing

@testable import AFNetworkReachability

@MainActor
@Suite(.timeLimit(.minutes(10)), .deadline)
struct FactoryTests {
  private let stage = Stage()
  private let log = EventLog()

  /// Returns the first status of a manager in a network with a single reachable target.
  private func status(
    onlyReachable target: ReachabilityTarget, _ make: () throws -> AFNetworkReachabilityManager
  ) async rethrows -> AFNetworkReachabilityStatus {
    stage.network.setStatus(.notReachable(.noRoute))
    stage.network.setStatus(.reachable(over: .wifi), of: target)
    let manager = try stage.make { try make() }
    manager.note(in: log)
    manager.startMonitoring()
    _ = await log.next()
    return manager.networkReachabilityStatus
  }

  /// A subclass as the original's designated initializer promises it.
  private final class Counting: AFNetworkReachabilityManager, @unchecked Sendable {
    var starts = 0
    var stops = 0

    override init(reachability: SCNetworkReachability) { super.init(reachability: reachability) }

    override func startMonitoring() {
      starts += 1
      super.startMonitoring()
    }

    override func stopMonitoring() {
      stops += 1
      super.stopMonitoring()
    }
  }

  @Test func `a subclass inherits every initializer, and overrides starts and stops`() async throws {
    let address = unsafe SCNetworkReachabilityCreateWithName(nil, "192.0.2.1")
    let managers = try stage.make {
      [
        Counting(), Counting(forDomain: "192.0.2.1"), Counting(reachability: try #require(address)),
        Counting(forDomain: ""),
      ]
    }
    for manager in managers.dropLast() {
      manager.note(in: log)
      manager.startMonitoring()
      #expect(await log.next() == .block(.reachableViaWiFi))
      manager.stopMonitoring()
    }
    managers[3].startMonitoring()
    #expect(managers[3].networkReachabilityStatus == .unknown)
    #expect(managers.map(\.starts) == [1, 1, 1, 1] && managers.map(\.stops) == [1, 1, 1, 0])
  }

  @Test func `a manager without an argument observes the default path`() async {
    #expect(
      await status(onlyReachable: .defaultRoute) { AFNetworkReachabilityManager() } == .reachableViaWiFi)
  }

  @Test func `a domain is resolved as a host`() async throws {
    let target = ReachabilityTarget.host(try ReachabilityTarget.HostName("host.example"))
    let manager = stage.make { AFNetworkReachabilityManager(forDomain: "host.example") }
    stage.network.setStatus(.notReachable(.noRoute))
    stage.network.setStatus(.reachable(over: .cellular), of: target)
    manager.note(in: log)
    manager.startMonitoring()
    while let event = await log.next(), event != .block(.reachableViaWWAN) {}
    #expect(manager.isReachableViaWWAN)
  }

  @Test func `a domain in the form of an address is that address`() async {
    let status = await status(onlyReachable: .address("192.0.2.1")) {
      AFNetworkReachabilityManager(forDomain: "192.0.2.1")
    }
    #expect(status == .reachableViaWiFi)
  }

  @Test func `a manager accepts an IPv4 address`() async {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0xc000_0201).bigEndian
    let status = await status(onlyReachable: .address("192.0.2.1")) {
      unsafe AFNetworkReachabilityManager(forAddress: &address)
    }
    #expect(status == .reachableViaWiFi)
  }

  @Test func `a manager accepts an IPv6 address`() async {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    unsafe withUnsafeMutableBytes(of: &address.sin6_addr) {
      unsafe $0.copyBytes(from: [0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
    }
    let status = await status(onlyReachable: .address("2001:db8::1")) {
      unsafe AFNetworkReachabilityManager(forAddress: &address)
    }
    #expect(status == .reachableViaWiFi)
  }

  @Test func `a manager accepts an existing reference`() async throws {
    let status = try await status(onlyReachable: .address("192.0.2.1")) {
      let target = unsafe SCNetworkReachabilityCreateWithName(nil, "192.0.2.1")
      return AFNetworkReachabilityManager(reachability: try #require(target))
    }
    #expect(status == .reachableViaWiFi)
  }

  @Test func `the shared manager is a single instance`() {
    #expect(AFNetworkReachabilityManager.shared() === AFNetworkReachabilityManager.shared())
    #expect(AFNetworkReachabilityManager.shared() !== AFNetworkReachabilityManager())
  }

  @Test func `a refused target stays unknown, and its manager starts and stops`() async {
    var address = sockaddr()
    address.sa_family = sa_family_t(AF_UNIX)
    let managers = stage.make {
      [
        AFNetworkReachabilityManager(forDomain: ""),
        unsafe AFNetworkReachabilityManager(forAddress: &address),
      ]
    }
    for manager in managers {
      manager.note(in: log)
      manager.startMonitoring()
      stage.settle()
      await finishMainQueue()
      #expect(manager.networkReachabilityStatus == .unknown)
      manager.stopMonitoring()
    }
    #expect(log.all == [])
  }

  @Test func `an unknown status delivers nothing until it is known`() async {
    stage.network.setStatus(.unknown(.resolving))
    let manager = stage.makeManager()
    manager.note(in: log)
    manager.startMonitoring()
    stage.settle()
    await finishMainQueue()
    #expect(log.all == [])
    stage.network.setStatus(.reachable(over: .wifi))
    #expect(await log.next() == .block(.reachableViaWiFi))
  }
}
#endif
