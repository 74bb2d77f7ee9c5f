// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import ReachabilityTesting
import Testing

@testable import ReachabilityKit

/// The time of a simulated network, which a test lets jump.
///
/// Each test would wait for hours otherwise.
@Suite(.deadline) struct SimulatedTimeTests {
  private struct Failure: Error, Equatable {}

  private let target = ReachabilityTarget.address("10.9.0.1")
  private let up = ReachabilityStatus.reachable(over: .wifi)
  private let down = ReachabilityStatus.notReachable(.noCarrier)
  private let network = SimulatedNetwork(.reachable(over: .wifi))

  private func waitForObserver(of monitor: ReachabilityMonitor) async {
    while !monitor.handle.engine.state.withLock(\.hasObservers) { await Task.yield() }
  }

  @Test func `a change settles when time jumps`() async throws {
    let monitor = ReachabilityMonitor(simulating: network)
    var events = monitor.events(of: target, settling: .seconds(3600)).makeAsyncIterator()
    try await #expect(events.next()?.status == up)
    network.setStatus(down)
    network.advance(by: .seconds(3600))
    try await #expect(events.next()?.status == down)
    network.setStatus(up)
    network.advance(by: .seconds(1800))
    network.advance(by: .seconds(1800))
    try await #expect(events.next()?.status == up)
  }

  @Test func `a change that is undone before it has settled is not delivered`() async throws {
    let monitor = ReachabilityMonitor(simulating: network)
    var events = monitor.events(of: target, settling: .seconds(3600)).makeAsyncIterator()
    try await #expect(events.next()?.status == up)
    network.setStatus(down)
    network.advance(by: .seconds(3599))
    network.setStatus(up)
    network.advance(by: .seconds(3600))
    let slow = ReachabilityStatus.reachable(over: .cellular)
    network.setStatus(slow)
    network.advance(by: .seconds(3600))
    let next = try await events.next()
    #expect(next?.status == slow && next?.previous == up)
  }

  @Test func `every monitor of the network has the time, also one that begins later`() async throws {
    network.advance(by: .seconds(7200))
    let monitors = (0..<3).map { _ in ReachabilityMonitor(simulating: network) }
    for monitor in monitors {
      network.setStatus(up)
      var events = monitor.events(of: target, settling: .seconds(3600)).makeAsyncIterator()
      try await #expect(events.next()?.status == up)
      network.setStatus(down)
      network.advance(by: .seconds(3600))
      try await #expect(events.next()?.status == down)
    }
  }

  @Test func `the clock of a monitor shows this time`() async throws {
    let monitor = ReachabilityMonitor(simulating: network)
    let before = monitor.clock.now
    var events = monitor.events(of: target, settling: .seconds(3600)).makeAsyncIterator()
    try await #expect(events.next()?.status == up)
    network.setStatus(down)
    network.advance(by: .seconds(3600))
    try await #expect(events.next()?.status == down)
    #expect(monitor.clock.lead == .seconds(3600) && MonitorClock().lead == .zero)
    #expect(monitor.clock.now - before >= .seconds(3600))
  }

  @Test func `a wait with a time limit ends when time jumps`() async throws {
    network.setStatus(down)
    let monitor = ReachabilityMonitor(simulating: network)
    let wait = Task { [target] in try await monitor.waitUntilReachable(target, timeout: .seconds(3600)) }
    await waitForObserver(of: monitor)
    network.advance(by: .seconds(3600))
    let error = await #expect(throws: ReachabilityMonitorError.self) { try await wait.value }
    #expect(error?.code == .timedOut && error?.status == down)
  }

  @Test func `a network that returns at the end of the time limit is in time`() async throws {
    for _ in 0..<50 {
      network.setStatus(down)
      let monitor = ReachabilityMonitor(simulating: network)
      async let wait = monitor.waitUntilReachable(target, timeout: .seconds(3600))
      await waitForObserver(of: monitor)
      network.setStatus(up)
      network.advance(by: .seconds(3600))
      try await #expect(wait == up)
    }
  }

  @Test func `a retry waits until its deadline of this time, and has no random delay`() async throws {
    network.setStatus(down)
    network.advance(by: .seconds(86400))
    let monitor = ReachabilityMonitor(simulating: network)
    var runs = 0
    let result = try await monitor.withReachability(
      of: target, deadline: .now + .seconds(3600), jitter: .seconds(3_000_000_000),
      onWait: { _ in
        network.advance(by: .seconds(3000))
        network.setStatus(up)
      }
    ) {
      runs += 1
      if runs == 1 { throw Failure() }
      return runs
    }
    #expect(result == 2)
    network.setStatus(down)
    await #expect(throws: Failure()) {
      try await monitor.withReachability(
        of: target, deadline: .now + .seconds(3600), onWait: { _ in network.advance(by: .seconds(3600)) }
      ) { throw Failure() }
    }
  }

  @Test func `negative durations count as zero`() async throws {
    let monitor = ReachabilityMonitor(simulating: network)
    var events = monitor.events(of: target, settling: .milliseconds(1)).makeAsyncIterator()
    try await #expect(events.next()?.status == up)
    network.advance(by: .seconds(-3600))
    network.setStatus(down)
    try await #expect(events.next()?.status == down)
  }
}
