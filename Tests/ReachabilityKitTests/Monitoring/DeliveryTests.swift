// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Dispatch
import ReachabilityKit
import ReachabilityTesting
import Synchronization
import TestSupport
import Testing

/// Delivery to observers, through the public interface.
@Suite(.timeLimit(.minutes(10)), .deadline) struct DeliveryTests {
  private let target = ReachabilityTarget.address("10.9.0.1")
  private let network = SimulatedNetwork(.number(0))
  private let monitor: ReachabilityMonitor

  init() { monitor = ReachabilityMonitor(simulating: network) }

  @Test(arguments: [ReachabilityStatus.number(7), .notReachable(.noCarrier), .unknown(.systemError)])
  func `an observer receives the present status first, as the initial event`(status: ReachabilityStatus)
    async throws
  {
    network.setStatus(status)
    let events = monitor.log(target)
    let event = try #require(try await events.events.wait(for: 1).first)
    #expect(event == ReachabilityEvent(target: target, status: status, previous: nil))
    #expect(event.isInitial)
  }

  @Test func `handlers on the main actor receive each change there`() async throws {
    let (statuses, paths) = (Log<ReachabilityStatus>(), Log<ReachabilityPath.Status>())
    let observations = [
      monitor.observe(target, on: MainActor.self) { event in
        MainActor.assertIsolated()
        statuses.append(event.status)
      },
      monitor.observePath(on: MainActor.self) { path in
        MainActor.assertIsolated()
        paths.append(path.status)
      },
    ]
    defer { for observation in observations { observation.cancel() } }
    _ = try await (statuses.wait(for: 1), paths.wait(for: 1))
    network.setStatus(.notReachable(.noRoute))
    #expect(try await statuses.wait(for: 2) == [.number(0), .notReachable(.noRoute)])
    #expect(try await paths.wait(for: 2) == [.satisfied, .unsatisfied])
  }

  @Test func `each change is delivered once, with the status before it`() async throws {
    let events = monitor.log(target)
    for number in 1...50 {
      try await events.events.wait(for: number)
      network.setStatus(.number(number))
    }
    #expect(try await events.events.wait(for: 51) == .telling((0...50).map { .number($0) }, of: target))
  }

  @Test func `setting an equal status delivers no event`() async throws {
    let events = monitor.log(target)
    try await events.events.wait(for: 1)
    network.setStatus(.number(0))
    network.setStatus(.number(0), of: target)
    network.setStatus(.number(1), of: target)
    try await events.events.wait(for: 2)
    // Does not affect the target, which has its own status.
    network.setStatus(.number(2))
    network.setStatus(.number(3), of: target)
    #expect(
      try await events.events.wait(for: 3) == .telling(.number(0), .number(1), .number(3), of: target))
  }

  @Test func `a move from Ethernet to Wi-Fi with equal flags is a change`() async throws {
    network.setStatus(.reachable(over: .wired))
    let events = monitor.log(target)
    try await events.events.wait(for: 1)
    network.setStatus(.reachable(over: .wifi))
    let told = try await events.events.wait(for: 2)
    #expect(told == .telling(.reachable(over: .wired), .reachable(over: .wifi), of: target))
    #expect(told[0].status.flags == told[1].status.flags)
  }

  @Test func `an unknown status is delivered as unknown, not as unreachable`() async throws {
    let events = monitor.log(target)
    try await events.events.wait(for: 1)
    network.setStatus(.unknown(.systemError))
    try await events.events.wait(for: 2)
    network.setStatus(.notReachable(.noRoute))
    #expect(
      try await events.events.wait(for: 3)
        == .telling(.number(0), .unknown(.systemError), .notReachable(.noRoute), of: target))
    network.setStatus(.unknown(.systemError))
    #expect(monitor.currentStatus(of: target) == .unknown(.systemError))
  }

  // MARK: Queues

  @Test func `each observer receives its events on its own queue`() async throws {
    let key = DispatchSpecificKey<Int>()
    let heard = Log<[Int?]>()
    let tokens = (0..<5).map { number in
      let queue = DispatchQueue(label: "test \(number)")
      queue.setSpecific(key: key, value: number)
      return monitor.observe(target, on: queue) { _ in
        heard.append([number, DispatchQueue.getSpecific(key: key)])
      }
    }
    try await heard.wait(for: 5)
    network.setStatus(.number(1))
    let places = try await heard.wait(for: 10)
    #expect(Set(places) == Set((0..<5).map { [$0, $0] }))
    #expect(tokens.count == 5)
  }

  @Test func `on a concurrent queue events keep their order and handlers do not overlap`() async throws {
    let restless = ReachabilityMonitor(source: RestlessSource(last: 5_000))
    let (events, overlaps) = (Log<ReachabilityEvent>(), Log<Void>())
    let isInside = Atomic(false)
    let queue = DispatchQueue(label: "test", attributes: .concurrent)
    let token = withExtendedLifetime(restless) {
      restless.observe(target, on: queue) { event in
        if isInside.exchange(true, ordering: .acquiringAndReleasing) { overlaps.note() }
        events.append(event)
        isInside.store(false, ordering: .releasing)
      }
    }
    let told = try await events.wait { $0.last?.status == .number(5_000) }
    // A handler that is slower than the network receives the newest status last.
    #expect(told == .telling(told.map(\.status), of: target))
    #expect(zip(told, told.dropFirst()).allSatisfy { $0.status != $1.status })
    #expect(overlaps.elements.isEmpty)
    token.cancel()
  }

  @Test func `each of a thousand observers receives one event`() async throws {
    let targets = (0..<1_000).map { number -> ReachabilityTarget in
      number.isMultiple(of: 2) ? target : .address(.v4(.init(rawValue: 0x0a09_0000 + UInt32(number))))
    }
    let all = DispatchQueue(label: "test", attributes: .concurrent)
    let observers = targets.map { target in
      (target, monitor.log(target, on: DispatchQueue(label: "test", target: all)))
    }
    for number in 1...2 {
      for (_, observer) in observers { try await observer.events.wait(for: number) }
      network.setStatus(.number(number))
    }
    for (target, observer) in observers {
      let told = try await observer.events.wait(for: 3)
      #expect(told == .telling(.number(0), .number(1), .number(2), of: target))
    }
  }

  @Test func `a blocked handler delays no other observer and misses no event`() async throws {
    let go = DispatchSemaphore(value: 0)
    let blocked = Log<ReachabilityEvent>()
    let token = monitor.observe(target, on: DispatchQueue(label: "blocked")) { event in
      go.wait()
      blocked.append(event)
      go.signal()
    }
    let free = monitor.log(target)
    for number in 1...10 {
      try await free.events.wait(for: number)
      network.setStatus(.number(number))
    }
    let told = try await free.events.wait(for: 11)
    #expect(blocked.elements.isEmpty)
    go.signal()
    #expect(try await blocked.wait(for: 11) == told)
    #expect(told == .telling((0...10).map { .number($0) }, of: target))
    token.cancel()
  }

  @Test func `an observer with constant events yields its queue to others in between`() async throws {
    let queue = DispatchQueue(label: "test")
    let (isReady, isNext) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let order = Log<String>()
    let busy = monitor.observe(target, on: queue) { [network] event in
      if event.isInitial {
        isReady.wait()
        queue.async { order.append("other") }
      }
      order.append("event")
      // When this ends, the next event is already waiting.
      network.setStatus(.number(order.elements.count))
      _ = isNext.wait(timeout: .now() + 10)
    }
    // It joins later, so its event comes later.
    let fenceIsTold = Log<Void>()
    let fence = monitor.observe(target, on: DispatchQueue(label: "fence")) { event in
      fenceIsTold.note()
      if !event.isInitial { isNext.signal() }
    }
    try await fenceIsTold.wait(for: 1)
    isReady.signal()
    let told = try await order.wait(for: 100)
    #expect(told.contains("other"))
    busy.cancel()
    isNext.signal()
    withExtendedLifetime(fence) {}
  }

  @Test func `a handler can query, refresh and start another observation`() async throws {
    let (asked, second) = (Log<ReachabilityStatus>(), Log<ReachabilityEvent>())
    let inner = Box<ReachabilityObservation?>(nil)
    let token = monitor.observe(target, on: DispatchQueue(label: "test")) { [monitor, target] event in
      asked.append(monitor.currentStatus(of: target))
      monitor.refresh()
      if event.isInitial {
        inner.set(monitor.observe(target, on: .global()) { second.append($0) })
      }
    }
    try await second.wait(for: 1)
    network.setStatus(.number(1))
    #expect(try await second.wait(for: 2) == .telling(.number(0), .number(1), of: target))
    #expect(try await asked.wait(for: 2) == [.number(0), .number(1)])
    token.cancel()
    inner.set(nil)
  }

  // MARK: Several targets, several monitors

  @Test func `each target has its own status`() async throws {
    let other = ReachabilityTarget.address("10.9.0.2")
    let (first, second) = (monitor.log(target), monitor.log(other))
    try await first.events.wait(for: 1)
    try await second.events.wait(for: 1)
    network.setStatus(.number(1), of: other)
    #expect(try await second.events.wait(for: 2) == .telling(.number(0), .number(1), of: other))
    network.setStatus(.number(2))
    #expect(try await first.events.wait(for: 2) == .telling(.number(0), .number(2), of: target))
    #expect(second.events.elements.count == 2)
  }

  @Test func `monitors of one network are independent`() async throws {
    var second: ReachabilityMonitor? = ReachabilityMonitor(simulating: network)
    let ours = monitor.log(target)
    let theirs = try #require(second?.log(target))
    try await ours.events.wait(for: 1)
    try await theirs.events.wait(for: 1)
    theirs.token.cancel()
    second = nil
    network.setStatus(.number(1))
    #expect(try await ours.events.wait(for: 2) == .telling(.number(0), .number(1), of: target))
    #expect(theirs.events.elements.count == 1)
  }

  #if os(Linux)
  @Test func `the shared monitor is always the same instance`() throws {
    let shared = ReachabilityMonitor.shared
    #expect(ReachabilityMonitor.shared === shared)
    #expect(try ReachabilityMonitor() !== shared)
    #expect(
      shared.currentStatus(of: .address("::ffff:127.0.0.1"))
        == shared.currentStatus(of: .address("127.0.0.1")))
  }
  #endif

  // MARK: Settling

  @Test func `a change is delivered after its settling time, the initial status immediately`() async throws {
    let clock = SuspendingClock()
    let events = monitor.log(target, settling: .milliseconds(50))
    try await events.events.wait(for: 1)
    let start = clock.now
    network.setStatus(.number(1))
    #expect(try await events.events.wait(for: 2) == .telling(.number(0), .number(1), of: target))
    #expect(start.duration(to: clock.now) >= .milliseconds(50))
  }

  @Test func `a change that reverts before it settles is not delivered`() async throws {
    // On one serial queue, so that a wrong event would precede the fence's.
    let queue = DispatchQueue(label: "test")
    let patient = monitor.log(target, settling: .seconds(3_600), on: queue)
    let fence = monitor.log(target, on: queue)
    try await fence.events.wait(for: 1)
    for (position, number) in [1, 0, 2].enumerated() {
      network.setStatus(.number(number))
      try await fence.events.wait(for: position + 2)
    }
    #expect(patient.events.elements == .telling(.number(0), of: target))
  }

  @Test(.onOwnThreads, arguments: [Int64.max, 10_000_000_000])
  func `a settling time of centuries is valid`(seconds: Int64) async {
    await #expect(processExitsWith: .success) { [seconds] in
      let network = SimulatedNetwork(.number(0))
      let monitor = ReachabilityMonitor(simulating: network)
      let patient = monitor.log(.defaultRoute, settling: .seconds(seconds))
      let fence = monitor.log(.defaultRoute)
      try await fence.events.wait(for: 1)
      for number in 1...2 {
        network.setStatus(.number(number))
        try await fence.events.wait(for: number + 1)
      }
      precondition(patient.events.elements.count == 1)
    }
  }
}
