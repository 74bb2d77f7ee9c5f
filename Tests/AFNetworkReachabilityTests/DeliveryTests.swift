// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import Dispatch
import Foundation
import Observation
import ReachabilityKit
import ReachabilityTesting
import SystemConfiguration
import Testing

@testable import AFNetworkReachability

@MainActor
@Suite(.timeLimit(.minutes(10)), .deadline)
struct DeliveryTests {
  private let stage = Stage()
  private let log = EventLog()

  @Test func `a start delivers the current status, but not before it returns`() async {
    let manager = stage.makeManager()
    manager.note(in: log)
    #expect(manager.networkReachabilityStatus == .unknown)
    #expect(!manager.isReachable)
    manager.startMonitoring()
    stage.settle()
    #expect(manager.networkReachabilityStatus == .unknown)
    #expect(await log.next() == .block(.reachableViaWiFi))
    #expect(manager.networkReachabilityStatus == .reachableViaWiFi)
  }

  @Test func `changes are delivered in order`() async {
    let manager = stage.makeManager()
    manager.note(in: log)
    manager.startMonitoring()
    #expect(await log.next() == .block(.reachableViaWiFi))
    stage.network.setStatus(.reachable(over: .cellular))
    #expect(await log.next() == .block(.reachableViaWWAN))
    stage.network.setStatus(.notReachable(.noRoute))
    #expect(await log.next() == .block(.notReachable))
    stage.network.setStatus(.reachable(over: .wired))
    #expect(await log.next() == .block(.reachableViaWiFi))
    #expect(log.all.count == 4)
  }

  @Test func `every event calls the block and is posted, even with an equal status`() async {
    let manager = stage.makeManager()
    manager.note(in: log)
    let token = noteNotifications(of: manager)
    defer { NotificationCenter.default.removeObserver(token) }
    manager.startMonitoring()
    for kind in [ReachabilityInterface.Kind.wired, .wifi, .bluetooth] {
      #expect(await log.next() == .block(.reachableViaWiFi))
      #expect(await log.next() == .notification(.reachableViaWiFi))
      stage.network.setStatus(.reachable(over: kind))
    }
    #expect(await log.next() == .block(.reachableViaWiFi))
    #expect(await log.next() == .notification(.reachableViaWiFi))
    #expect(log.all.count == 8)
  }

  @Test func `an event with an equal status changes no property`() async {
    let manager = stage.makeManager()
    manager.note(in: log)
    manager.startMonitoring()
    #expect(await log.next() == .block(.reachableViaWiFi))
    let log = log
    withObservationTracking {
      _ = manager.networkReachabilityStatus
    } onChange: {
      log.note(.change)
    }
    stage.network.setStatus(.reachable(over: .wired))
    #expect(await log.next() == .block(.reachableViaWiFi))
    stage.network.setStatus(.notReachable(.noRoute))
    #expect(await log.next() == .change)
    #expect(await log.next() == .block(.notReachable))
  }

  @Test func `a domain's first status is delivered once`() async {
    let manager = stage.make { AFNetworkReachabilityManager(forDomain: "host.example") }
    manager.note(in: log)
    manager.startMonitoring()
    #expect(await log.next() == .block(.reachableViaWiFi))
    await stage.finishLookup(of: "host.example")
    stage.network.setStatus(.notReachable(.nameNotFound))
    #expect(await log.next() == .block(.notReachable))
    #expect(log.all.count == 2)
  }

  @Test func `each manager of a domain's reference receives its first status once`() async throws {
    let made = stage.make { unsafe SCNetworkReachabilityCreateWithName(nil, "host.example") }
    let target = try #require(made)
    let logs = [EventLog(), EventLog()]
    let managers = logs.map { log in
      let manager = AFNetworkReachabilityManager(reachability: target)
      manager.note(in: log)
      return manager
    }
    managers[0].startMonitoring()
    #expect(await logs[0].next() == .block(.reachableViaWiFi))
    await stage.finishLookup(of: "host.example")
    managers[1].startMonitoring()
    #expect(await logs[1].next() == .block(.reachableViaWiFi))
    // The name is resolved already, so this event repeats nothing.
    stage.network.setStatus(.reachable(over: .wired))
    for log in logs {
      #expect(await log.next() == .block(.reachableViaWiFi))
      #expect(log.all.count == 2)
    }
  }

  @Test func `the properties follow the status`() async {
    let manager = stage.makeManager()
    func properties() -> [Bool] {
      [manager.isReachable, manager.isReachableViaWWAN, manager.isReachableViaWiFi]
    }
    #expect(properties() == [false, false, false])
    manager.note(in: log)
    manager.startMonitoring()
    #expect(await log.next() == .block(.reachableViaWiFi))
    #expect(properties() == [true, false, true])
    stage.network.setStatus(.reachable(over: .cellular))
    #expect(await log.next() == .block(.reachableViaWWAN))
    #expect(properties() == [true, true, false])
    stage.network.setStatus(.notReachable(.noRoute))
    #expect(await log.next() == .block(.notReachable))
    #expect(properties() == [false, false, false])
  }

  @Test
  func `an event is one main-queue job: status, block, observers, notification`()
    async
  {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    defer { DispatchQueue.main.setSpecific(key: key, value: nil) }
    let manager = stage.makeManager()
    let log = log
    manager.setReachabilityStatusChange { [unowned manager] status in
      #expect(manager.networkReachabilityStatus == status)
      #expect(DispatchQueue.getSpecific(key: key) == true)
      log.note(.block(status))
      // If the rest of the event were another job, this one would precede it.
      DispatchQueue.main.async { log.note(.observer(0, status)) }
    }
    let observations = [1, 2].map { number in
      manager.addReachabilityStatusChangeObserver { log.note(.observer(number, $0)) }
    }
    let token = noteNotifications(of: manager)
    defer { NotificationCenter.default.removeObserver(token) }
    withObservationTracking {
      _ = manager.networkReachabilityStatus
    } onChange: {
      log.note(.change)
    }

    manager.startMonitoring()
    while let event = await log.next(), event != .observer(0, .reachableViaWiFi) {}
    #expect(
      log.all == [
        .change, .block(.reachableViaWiFi), .observer(1, .reachableViaWiFi), .observer(2, .reachableViaWiFi),
        .notification(.reachableViaWiFi), .observer(0, .reachableViaWiFi),
      ])
    _ = observations
  }

  @Test func `each event carries its own status`() async {
    let manager = stage.makeManager()
    manager.note(in: log)
    manager.startMonitoring()
    stage.settle()
    // The first event waits for the main queue, which this test occupies.
    stage.network.setStatus(.notReachable(.noRoute))
    stage.block(until: .notReachable)
    #expect(await log.next() == .block(.reachableViaWiFi))
    #expect(await log.next() == .block(.notReachable))
  }

  @Test func `a notification has AFNetworking's name, key, object and number`() async throws {
    #expect(
      Notification.Name.AFNetworkingReachabilityDidChange.rawValue
        == "com.alamofire.networking.reachability.change")
    #expect(AFNetworkingReachabilityDidChangeNotification == .AFNetworkingReachabilityDidChange)
    #expect(
      AFNetworkingReachabilityNotificationStatusItem == "AFNetworkingReachabilityNotificationStatusItem")
    let manager = stage.makeManager()
    let token = noteNotifications(of: manager)
    defer { NotificationCenter.default.removeObserver(token) }
    stage.network.setStatus(.reachable(over: .cellular))
    manager.startMonitoring()
    #expect(await log.next() == .notification(.reachableViaWWAN))
  }

  private func noteNotifications(of manager: AFNetworkReachabilityManager) -> any NSObjectProtocol {
    let log = log
    return NotificationCenter.default.addObserver(
      forName: .AFNetworkingReachabilityDidChange, object: manager, queue: nil
    ) { notification in
      let number = notification.userInfo?[AFNetworkingReachabilityNotificationStatusItem] as? NSNumber
      let status = number.flatMap { AFNetworkReachabilityStatus(rawValue: $0.intValue) }
      if let status { log.note(.notification(status)) }
    }
  }

  @Test func `Observation reports each property whose status changes`() async {
    let manager = stage.makeManager()
    manager.note(in: log)
    manager.startMonitoring()
    #expect(await log.next() == .block(.reachableViaWiFi))
    let properties: [KeyPath<AFNetworkReachabilityManager, Bool>] = [
      \.isReachable, \.isReachableViaWWAN, \.isReachableViaWiFi,
    ]
    for property in properties {
      let log = log
      withObservationTracking {
        _ = manager[keyPath: property]
      } onChange: {
        log.note(.change)
      }
    }
    stage.network.setStatus(.notReachable(.noRoute))
    var events: [EventLog.Event?] = []
    for _ in 0..<4 { events.append(await log.next()) }
    #expect(events == [.change, .change, .change, .block(.notReachable)])
  }

  @Test func `Observations delivers a property, beginning with its current value`() async {
    let manager = stage.makeManager()
    let values = Observations { manager.isReachable }
    var iterator = values.makeAsyncIterator()
    #expect(await iterator.next() == false)
    manager.startMonitoring()
    #expect(await iterator.next() == true)
    stage.network.setStatus(.notReachable(.noRoute))
    #expect(await iterator.next() == false)
    stage.network.setStatus(.reachable(over: .cellular))
    #expect(await iterator.next() == true)
  }
}
#endif
