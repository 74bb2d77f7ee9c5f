// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import ReachabilityKit
import ReachabilityTesting
import Testing

@testable import AFNetworkReachability

@MainActor
@Suite(.timeLimit(.minutes(10)), .deadline)
struct ObserverTests {
  private let stage = Stage()
  private let log = EventLog()

  private func observe(_ manager: AFNetworkReachabilityManager, _ number: Int)
    -> AFNetworkReachabilityObservation
  {
    let log = log
    return manager.addReachabilityStatusChangeObserver { log.note(.observer(number, $0)) }
  }

  /// Restarts a manager and returns the events of the start.
  private func events(of manager: AFNetworkReachabilityManager) async -> [EventLog.Event] {
    let before = log.all.count
    manager.startMonitoring()
    stage.settle()
    await finishMainQueue()
    return Array(log.all[before...])
  }

  @Test func `a new block replaces the old one, and nil removes it`() async {
    let manager = stage.makeManager()
    let log = log
    manager.setReachabilityStatusChange { log.note(.observer(1, $0)) }
    manager.setReachabilityStatusChange { log.note(.observer(2, $0)) }
    #expect(await events(of: manager) == [.observer(2, .reachableViaWiFi)])
    manager.setReachabilityStatusChange(nil)
    #expect(await events(of: manager) == [])
    manager.note(in: log)
    #expect(await events(of: manager) == [.block(.reachableViaWiFi)])
  }

  @Test func `a block is not called when it is set`() async {
    let manager = stage.makeManager()
    _ = await events(of: manager)
    manager.note(in: log)
    let observation = observe(manager, 1)
    await finishMainQueue()
    #expect(log.all == [])
    observation.cancel()
  }

  @Test func `observers do not displace each other or the block`() async {
    let manager = stage.makeManager()
    let first = observe(manager, 1)
    var second: AFNetworkReachabilityObservation? = observe(manager, 2)
    manager.note(in: log)
    #expect(second != nil)
    #expect(
      await events(of: manager)
        == [.block(.reachableViaWiFi), .observer(1, .reachableViaWiFi), .observer(2, .reachableViaWiFi)])

    first.cancel()
    first.cancel()
    #expect(await events(of: manager) == [.block(.reachableViaWiFi), .observer(2, .reachableViaWiFi)])
    second = nil
    let third = observe(manager, 3)
    #expect(await events(of: manager) == [.block(.reachableViaWiFi), .observer(3, .reachableViaWiFi)])
    manager.setReachabilityStatusChange(nil)
    #expect(await events(of: manager) == [.observer(3, .reachableViaWiFi)])
    third.cancel()
    #expect(await events(of: manager) == [])
  }

  @Test
  func `an event skips cancelled observers and those added during it`()
    async
  {
    let manager = stage.makeManager()
    let cancelled = observe(manager, 1)
    var added: AFNetworkReachabilityObservation?
    let log = log
    manager.setReachabilityStatusChange { [unowned manager] status in
      log.note(.block(status))
      cancelled.cancel()
      added = added ?? manager.addReachabilityStatusChangeObserver { log.note(.observer(2, $0)) }
    }
    #expect(await events(of: manager) == [.block(.reachableViaWiFi)])
    #expect(await events(of: manager) == [.block(.reachableViaWiFi), .observer(2, .reachableViaWiFi)])
    added?.cancel()
  }

  @Test func `an observation does not keep its manager alive`() {
    var manager: AFNetworkReachabilityManager? = stage.makeManager()
    weak let weakManager = manager
    let observation = manager.map { observe($0, 1) }
    manager = nil
    #expect(weakManager == nil)
    observation?.cancel()
  }

  @Test func `an object that a block holds may use the manager in its deinit`() async {
    let manager = stage.makeManager()
    let log = log
    let content = AtEnd { [weak manager] in
      log.note(.observer(1, manager?.networkReachabilityStatus ?? .unknown))
    }
    manager.setReachabilityStatusChange { _ in withExtendedLifetime(content) {} }
    #expect(await events(of: manager) == [])
    manager.setReachabilityStatusChange(nil)
    #expect(log.all == [])
    withExtendedLifetime(content) {}
  }

  private final class AtEnd: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }

    deinit { body() }
  }
}
#endif
