// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import Dispatch
import Foundation
import ReachabilityKit
import ReachabilityTesting
import SystemConfiguration
import Testing

@testable import AFNetworkReachability

@MainActor
@Suite(.timeLimit(.minutes(10)), .deadline)
struct LifetimeTests {
  private let stage = Stage()
  private let log = EventLog()

  @Test func `a stopped manager delivers nothing and keeps its status`() async throws {
    let target = try makeTarget()
    let manager = AFNetworkReachabilityManager(reachability: target)
    manager.note(in: log)
    manager.startMonitoring()
    #expect(await log.next() == .block(.reachableViaWiFi))
    manager.stopMonitoring()
    manager.stopMonitoring()
    // A later observer of a reference receives each event later.
    let witness = AFNetworkReachabilityManager(reachability: target)
    let seen = EventLog()
    witness.note(in: seen)
    witness.startMonitoring()
    #expect(await seen.next() == .block(.reachableViaWiFi))
    stage.network.setStatus(.notReachable(.noRoute))
    #expect(await seen.next() == .block(.notReachable))
    #expect(log.all == [.block(.reachableViaWiFi)])
    #expect(manager.networkReachabilityStatus == .reachableViaWiFi)
  }

  @Test func `a stop discards events that wait for the main queue`() async {
    let manager = stage.makeManager()
    manager.note(in: log)
    manager.startMonitoring()
    stage.settle()
    manager.stopMonitoring()
    await finishMainQueue()
    #expect(log.all == [])
    #expect(manager.networkReachabilityStatus == .unknown)
  }

  @Test func `a stop in a block discards the rest of the event`() async {
    let manager = stage.makeManager()
    let log = log
    manager.setReachabilityStatusChange { [unowned manager] status in
      log.note(.block(status))
      manager.stopMonitoring()
    }
    let observation = manager.addReachabilityStatusChangeObserver { log.note(.observer(1, $0)) }
    let token = NotificationCenter.default.addObserver(
      forName: .AFNetworkingReachabilityDidChange, object: manager, queue: nil
    ) { _ in log.note(.notification(.unknown)) }
    defer { NotificationCenter.default.removeObserver(token) }
    manager.startMonitoring()
    #expect(await log.next() == .block(.reachableViaWiFi))
    await finishMainQueue()
    #expect(log.all == [.block(.reachableViaWiFi)])
    observation.cancel()
  }

  @Test func `every start delivers the current status, even an unchanged one`() async {
    let manager = stage.makeManager()
    manager.note(in: log)
    for _ in 0..<3 {
      manager.startMonitoring()
      #expect(await log.next() == .block(.reachableViaWiFi))
      manager.stopMonitoring()
    }
    // A start of a running manager first stops it.
    for _ in 0..<3 {
      manager.startMonitoring()
      #expect(await log.next() == .block(.reachableViaWiFi))
    }
    stage.network.setStatus(.notReachable(.noRoute))
    #expect(await log.next() == .block(.notReachable))
    await finishMainQueue()
    #expect(log.all.count == 7)
  }

  @Test func `a start discards the pending events of an earlier start`() async {
    let manager = stage.makeManager()
    manager.note(in: log)
    for _ in 0..<10 { manager.startMonitoring() }
    stage.settle()
    #expect(await log.next() == .block(.reachableViaWiFi))
    await finishMainQueue()
    #expect(log.all.count == 1)
  }

  @Test func `a released manager releases its block and its reference`() async throws {
    weak var weakTarget: SCNetworkReachability?
    weak var weakContent: Content?
    weak var weakManager: AFNetworkReachabilityManager?
    do {
      let target = try makeTarget()
      let content = Content()
      let manager = AFNetworkReachabilityManager(reachability: target)
      let log = log
      manager.setReachabilityStatusChange { status in
        log.note(.block(status))
        withExtendedLifetime(content) {}
      }
      manager.startMonitoring()
      #expect(await log.next() == .block(.reachableViaWiFi))
      (weakTarget, weakContent, weakManager) = (target, content, manager)
    }
    #expect(weakManager == nil)
    #expect(weakContent == nil)
    // The system holds a reference while it is scheduled.
    try await wait { weakTarget == nil }
  }

  private final class Content: Sendable {}

  @Test func `a pending event of a released manager is discarded`() async {
    var manager: AFNetworkReachabilityManager? = stage.makeManager()
    manager?.note(in: log)
    manager?.startMonitoring()
    stage.settle()
    manager = nil
    await finishMainQueue()
    #expect(log.all == [])
  }

  @Test func `managers start and stop on any thread while the network changes`() async {
    let stage = stage
    await withTaskGroup { group in
      group.addTask {
        for number in 0..<200 {
          stage.network.setStatus(
            number.isMultiple(of: 2) ? .notReachable(.noRoute) : .reachable(over: .wifi))
        }
      }
      for _ in 0..<2 {
        group.addTask {
          let kept = stage.makeManager()
          for _ in 0..<100 {
            let manager = stage.makeManager()
            manager.startMonitoring()
            kept.startMonitoring()
            kept.stopMonitoring()
          }
        }
      }
    }
    stage.network.setStatus(.reachable(over: .cellular))
    let manager = stage.makeManager()
    manager.note(in: log)
    manager.startMonitoring()
    while let event = await log.next(), event != .block(.reachableViaWWAN) {}
    #expect(manager.isReachableViaWWAN)
  }

  // MARK: - Two managers of one reference

  private func makeTarget() throws -> SCNetworkReachability {
    try #require(stage.make { unsafe SCNetworkReachabilityCreateWithName(nil, "192.0.2.1") })
  }

  @Test func `all managers of one reference receive its events`() async throws {
    let target = try makeTarget()
    let managers = [
      AFNetworkReachabilityManager(reachability: target), AFNetworkReachabilityManager(reachability: target),
    ]
    let logs = [EventLog(), EventLog()]
    for (manager, log) in zip(managers, logs) {
      manager.note(in: log)
      manager.startMonitoring()
      #expect(await log.next() == .block(.reachableViaWiFi))
    }
    stage.network.setStatus(.notReachable(.noRoute))
    for log in logs { #expect(await log.next() == .block(.notReachable)) }

    // The first manager stops, and the other continues.
    managers[0].stopMonitoring()
    stage.network.setStatus(.reachable(over: .cellular))
    #expect(await logs[1].next() == .block(.reachableViaWWAN))
    managers[0].startMonitoring()
    #expect(await logs[0].next() == .block(.reachableViaWWAN))
    managers[1].stopMonitoring()
    stage.network.setStatus(.reachable(over: .wired))
    #expect(await logs[0].next() == .block(.reachableViaWiFi))
    #expect(logs.map(\.all.count) == [4, 3])
  }

  @Test func `a reference without running managers can be scheduled by its owner`() async throws {
    let target = try makeTarget()
    let managers = [
      AFNetworkReachabilityManager(reachability: target), AFNetworkReachabilityManager(reachability: target),
    ]
    managers.forEach { $0.startMonitoring() }
    stage.settle()
    let queue = DispatchQueue(label: "owner")
    managers[0].stopMonitoring()
    stage.settle()
    #expect(!SCNetworkReachabilitySetDispatchQueue(target, queue))
    managers[1].stopMonitoring()
    stage.settle()
    #expect(SCNetworkReachabilitySetDispatchQueue(target, queue))
    #expect(SCNetworkReachabilitySetDispatchQueue(target, nil))
  }

  @Test func `a reference stays on its owner's queue`() async throws {
    let target = try makeTarget()
    let queue = DispatchQueue(label: "owner")
    #expect(SCNetworkReachabilitySetDispatchQueue(target, queue))
    let manager = AFNetworkReachabilityManager(reachability: target)
    manager.note(in: log)
    manager.startMonitoring()
    #expect(await log.next() == .block(.reachableViaWiFi))
    stage.network.setStatus(.notReachable(.noRoute))
    #expect(await log.next() == .block(.notReachable))
    manager.stopMonitoring()
    stage.settle()
    #expect(SCNetworkReachabilitySetDispatchQueue(target, nil))
  }
}
#endif
