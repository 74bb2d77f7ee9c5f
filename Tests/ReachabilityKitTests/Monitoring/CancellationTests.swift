// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Dispatch
import ReachabilityKit
import ReachabilityTesting
import TestSupport
import Testing

/// After `cancel()` returns, no handler of that observation starts.
@Suite(.timeLimit(.minutes(10)), .deadline) struct CancellationTests {
  private let target = ReachabilityTarget.address("10.9.0.1")
  private let network = SimulatedNetwork(.number(0))
  private let monitor: ReachabilityMonitor
  /// A serial queue: an event that did not arrive before a later observer's event does not arrive at all.
  private let queue = DispatchQueue(label: "test")

  init() { monitor = ReachabilityMonitor(simulating: network) }

  @Test func `an observation cancelled in its own handler delivers no further event`() async throws {
    let token = Box<ReachabilityObservation?>(nil)
    let events = Log<ReachabilityEvent>()
    token.set(
      monitor.observe(target, on: queue) { event in
        events.append(event)
        if !event.isInitial { token.value?.cancel() }
      })
    let fence = monitor.log(target, on: queue)
    for number in 1...3 {
      try await fence.events.wait(for: number)
      network.setStatus(.number(number))
    }
    try await fence.events.wait(for: 4)
    #expect(events.elements == .telling(.number(0), .number(1), of: target))
    token.set(nil)
  }

  @Test func `events that wait for their queue are not delivered after the cancellation`() async throws {
    let events = monitor.log(target, on: queue)
    let fence = monitor.log(target)
    try await events.events.wait(for: 1)
    queue.suspend()
    for number in 1...3 {
      try await fence.events.wait(for: number)
      network.setStatus(.number(number))
    }
    try await fence.events.wait(for: 4)
    events.token.cancel()
    queue.resume()
    queue.sync {}
    #expect(events.events.elements == .telling(.number(0), of: target))
  }

  @Test func `releasing the token ends the observation`() async throws {
    let events = Log<ReachabilityEvent>()
    var token: ReachabilityObservation? = monitor.observe(target, on: queue) { events.append($0) }
    let fence = monitor.log(target, on: queue)
    try await fence.events.wait(for: 1)
    #expect(token != nil)
    token = nil
    network.setStatus(.number(1))
    try await fence.events.wait(for: 2)
    #expect(events.elements == .telling(.number(0), of: target))
  }

  @Test func `a cancellation leaves other observations alone and can be repeated`() async throws {
    let first = monitor.log(target, on: queue)
    let second = monitor.log(target, on: queue)
    try await second.events.wait(for: 1)
    first.token.cancel()
    first.token.cancel()
    network.setStatus(.number(1))
    try await second.events.wait(for: 2)
    first.token.cancel()
    network.setStatus(.number(2))
    #expect(try await second.events.wait(for: 3) == .telling(.number(0), .number(1), .number(2), of: target))
    #expect(first.events.elements == .telling(.number(0), of: target))
  }

  @Test func `an observation that is started again begins with an initial event`() async throws {
    for number in 0..<5 {
      network.setStatus(.number(number))
      let events = monitor.log(target)
      #expect(try await events.events.wait(for: 1) == .telling(.number(number), of: target))
      events.token.cancel()
    }
  }

  @Test func `two observations with one handler are independent`() async throws {
    let events = Log<ReachabilityEvent>()
    let handler: @Sendable (ReachabilityEvent) -> Void = { events.append($0) }
    let tokens = (0..<2).map { _ in monitor.observe(target, on: queue, handler: handler) }
    try await events.wait(for: 2)
    network.setStatus(.number(1))
    let initial = ReachabilityEvent(target: target, status: .number(0))
    let change = ReachabilityEvent(target: target, status: .number(1), previous: .number(0))
    #expect(try await events.wait(for: 4) == [initial, initial, change, change])
    #expect(tokens.count == 2)
  }

  @Test func `a running handler does not delay its cancellation`() async throws {
    let (began, go, ended) = (Log<Void>(), DispatchSemaphore(value: 0), Log<Void>())
    let token = monitor.observe(target, on: queue) { _ in
      began.note()
      go.wait()
      ended.note()
    }
    try await began.wait(for: 1)
    token.cancel()
    #expect(ended.elements.isEmpty)
    go.signal()
    try await ended.wait(for: 1)
  }

  @Test func `a handler that never returns delays its cancellation for a limited time only`() async throws {
    let (began, mayEnd) = (Log<Void>(), Box(false))
    let token = monitor.observe(target, on: queue) { _ in
      began.note()
      while !mayEnd.value {}
    }
    try await began.wait(for: 1)
    token.cancel()
    mayEnd.set(true)
    queue.sync {}
  }

  @Test func `cancellations on several threads all return while the handler runs`() async throws {
    let (began, go, returned) = (Log<Void>(), DispatchSemaphore(value: 0), Log<Void>())
    let token = monitor.observe(target, on: queue) { _ in
      began.note()
      go.wait()
    }
    try await began.wait(for: 1)
    for number in 0..<4 {
      DispatchQueue(label: "canceller \(number)").async {
        token.cancel()
        returned.note()
      }
    }
    try await returned.wait(for: 4)
    go.signal()
  }

  @Test func `observers can join and leave on many threads while the network changes`() async throws {
    let done = Log<Void>()
    let last = monitor.log(target)
    for worker in 0..<8 {
      DispatchQueue(label: "worker \(worker)").async { [monitor, network, target] in
        for round in 0..<100 {
          let wasTold = DispatchSemaphore(value: 0)
          let token = monitor.observe(
            round.isMultiple(of: 2) ? target : .address(.v4(.init(rawValue: UInt32(worker + 1)))),
            on: DispatchQueue(label: "test")
          ) { _ in wasTold.signal() }
          network.setStatus(.number(1 + worker * 1_000 + round))
          if round.isMultiple(of: 3), wasTold.wait(timeout: .now() + 10) != .success { return }
          token.cancel()
        }
        done.note()
      }
    }
    try await done.wait(for: 8)
    network.setStatus(.number(99_999))
    let told = try await last.events.wait { $0.last?.status == .number(99_999) }
    #expect(told == .telling(told.map(\.status), of: target))
  }
}
