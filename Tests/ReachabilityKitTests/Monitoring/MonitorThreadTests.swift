// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Dispatch
import POSIX
import ReachabilityTesting
import Synchronization
import TestSupport
import Testing

@testable import ReachabilityKit

/// Delivery on the monitor's thread.
@Suite(.timeLimit(.minutes(10)), .deadline) struct MonitorThreadTests {
  private let target = ReachabilityTarget.address("10.9.0.1")
  private let network = SimulatedNetwork(.number(0))
  private let monitor: ReachabilityMonitor

  init() { monitor = ReachabilityMonitor(simulating: network) }

  /// An event, and the thread on which it was handled.
  private struct Handled: Sendable {
    let event: ReachabilityEvent
    let thread: UInt
  }

  private func log(
    _ target: ReachabilityTarget, on monitor: ReachabilityMonitor
  ) -> (token: ReachabilityObservation, handled: Log<Handled>) {
    let handled = Log<Handled>()
    let token = monitor.observe(target, on: .monitorThread) {
      handled.append(Handled(event: $0, thread: Thread.currentNumber))
    }
    return (token, handled)
  }

  @Test func `handlers of all targets and paths run on one thread, which is not the caller's`() async throws {
    let (first, second) = (log(target, on: monitor), log(.address("10.9.0.2"), on: monitor))
    let threads = Log<UInt>()
    let path = monitor.observePath(on: .monitorThread) { _ in threads.append(Thread.currentNumber) }
    try await first.handled.wait(for: 1)
    try await second.handled.wait(for: 1)
    try await threads.wait(for: 1)
    network.setStatus(.number(1))
    let handled = try await first.handled.wait(for: 2) + second.handled.wait(for: 2)
    let all = handled.map { $0.thread } + threads.elements
    #expect(Set(all).count == 1)
    #expect(!all.contains(Thread.currentNumber))
    withExtendedLifetime((first.token, second.token, path)) {}
  }

  @Test func `a handler has returned before another one is called, in the order of the events`() async throws
  {
    let network = SourceDouble(.number(0))
    let monitor = ReachabilityMonitor(source: network)
    let (token, handled) = log(target, on: monitor)
    for number in 1...50 {
      try await handled.wait(for: number)
      network.set(.number(number))
      network.announce(.all)
    }
    let events = try await handled.wait(for: 51).map { $0.event }
    #expect(events == .telling((0...50).map { .number($0) }, of: target))
    withExtendedLifetime(token) {}
  }

  @Test func `a handler may query, observe, refresh and cancel`() async throws {
    let statuses = Log<ReachabilityStatus>()
    let later = Log<ReachabilityEvent>()
    let tokens = Box<[ReachabilityObservation]>([])
    let token = monitor.observe(target, on: .monitorThread) { [monitor, target] event in
      statuses.append(monitor.currentStatus(of: target))
      monitor.refresh()
      if event.isInitial {
        tokens.set([monitor.observe(.address("10.9.0.2"), on: .monitorThread) { later.append($0) }])
      } else {
        tokens.value[0].cancel()
      }
    }
    try await later.wait(for: 1)
    network.setStatus(.number(1), of: target)
    try await statuses.wait(for: 2)
    network.setStatus(.number(2))
    network.setStatus(.number(3), of: target)
    #expect(try await statuses.wait(for: 3) == [.number(0), .number(1), .number(3)])
    #expect(later.elements.map { $0.status } == [.number(0)])
    token.cancel()
    tokens.set([])
  }

  @Test func `no handler starts after a cancellation`() async throws {
    let fence = log(target, on: monitor)
    let cancelled = log(target, on: monitor)
    try await cancelled.handled.wait(for: 1)
    cancelled.token.cancel()
    network.setStatus(.number(1))
    try await fence.handled.wait(for: 2)
    // A later event: a handler that started for the one before would have been called by now.
    network.setStatus(.number(2))
    try await fence.handled.wait(for: 3)
    #expect(cancelled.handled.elements.count == 1)
    withExtendedLifetime(fence.token) {}
  }

  @Test func `without a thread, unknown arrives although the caller holds the handler's lock`() async throws {
    let network = SourceDouble(.number(1))
    network.refuseThreads(1)
    let monitor = ReachabilityMonitor(source: network)
    let lock = Mutex(())
    let handled = Log<ReachabilityEvent>()
    // The handler waits for a lock that the caller holds.
    let token = lock.withLock { _ in
      monitor.observe(target, on: .monitorThread) { event in
        lock.withLock { _ in handled.append(event) }
      }
    }
    let all = try await handled.wait(for: 2)
    #expect(all == .telling(.unknown(.systemError), .number(1), of: target))
    withExtendedLifetime(token) {}
  }
}
