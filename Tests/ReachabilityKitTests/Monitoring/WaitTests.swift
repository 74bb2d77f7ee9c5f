// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Dispatch
import ReachabilityKit
import ReachabilityTesting
import TestSupport
import Testing

/// Waiting until a target is reachable.
@Suite(.timeLimit(.minutes(10)), .deadline) struct WaitTests {
  private let target = ReachabilityTarget.address("10.9.0.1")
  private let network = SimulatedNetwork(.notReachable(.noRoute))
  private let monitor: ReachabilityMonitor

  init() { monitor = ReachabilityMonitor(simulating: network) }

  @Test(arguments: [nil, .seconds(10)] as [Duration?])
  func `a wait for a reachable target returns immediately`(timeout: Duration?) async throws {
    network.setStatus(.number(1))
    #expect(try await monitor.waitUntilReachable(target, timeout: timeout) == .number(1))
  }

  @Test(arguments: [nil, .seconds(60)] as [Duration?])
  func `a wait ends when the target becomes reachable`(timeout: Duration?) async throws {
    let source = SourceDouble(.unknown(.systemError))
    let monitor = ReachabilityMonitor(source: source)
    async let status = monitor.waitUntilReachable(target, timeout: timeout)
    for (number, next) in [ReachabilityStatus.notReachable(.noCarrier), .unknown(.systemError), .number(1)]
      .enumerated()
    {
      try await source.calls.wait { $0.count { $0 == .evaluate([target]) } > number }
      source.set(next)
      source.announce()
    }
    #expect(try await status == .number(1))
    // No state is left of the wait.
    #expect(try await source.calls.wait { $0.last == .stop }.count { $0 == .start } == 1)
  }

  @Test(arguments: [Duration.milliseconds(20), .zero, .seconds(-1)])
  func `a wait for an unreachable target ends at its timeout`(timeout: Duration) async throws {
    let clock = ContinuousClock()
    let start = clock.now
    await #expect(
      throws: ReachabilityMonitorError(
        .timedOut, description: "\(target) was not reachable within \(timeout): no route",
        status: .notReachable(.noRoute))
    ) {
      try await monitor.waitUntilReachable(target, timeout: timeout)
    }
    #expect(start.duration(to: clock.now) >= timeout)
  }

  @Test func `an unknown status does not count as reachable`() async throws {
    network.setStatus(.unknown(.systemError))
    let error = await #expect(throws: ReachabilityMonitorError.self) {
      try await monitor.waitUntilReachable(target, timeout: .milliseconds(20))
    }
    #expect(error?.code == .timedOut)
  }

  @Test func `a reachable target is found with a timeout of zero`() async throws {
    network.setStatus(.number(1))
    for _ in 0..<200 {
      #expect(try await monitor.waitUntilReachable(target, timeout: .zero) == .number(1))
    }
  }

  @Test(arguments: [nil, .seconds(60)] as [Duration?])
  func `a wait ends with its task`(timeout: Duration?) async throws {
    let source = SourceDouble(.notReachable(.noRoute))
    let monitor = ReachabilityMonitor(source: source)
    let task = Task { [target] in try await monitor.waitUntilReachable(target, timeout: timeout) }
    try await source.calls.wait { $0.last == .evaluate([target]) }
    task.cancel()
    await #expect(throws: ReachabilityMonitorError.cancelled) { try await task.value }
    #expect(try await source.calls.wait { $0.last == .stop }.count { $0 == .start } == 1)
  }

  @Test(arguments: [nil, .seconds(60)] as [Duration?])
  func `a task that is already cancelled does not wait`(timeout: Duration?) async throws {
    network.setStatus(.number(1))
    let go = Log<Void>()
    let task = Task { [monitor, target] in
      _ = try? await go.wait(for: 1)
      return try await monitor.waitUntilReachable(target, timeout: timeout)
    }
    task.cancel()
    go.note()
    await #expect(throws: ReachabilityMonitorError.cancelled) { try await task.value }
  }

  @Test func `many waits for one target each have their own timeout`() async throws {
    let waits = (0..<50).map { number in
      Task { [monitor, target] in
        try await monitor.waitUntilReachable(
          target, timeout: number.isMultiple(of: 2) ? nil : .milliseconds(1))
      }
    }
    for (number, wait) in waits.enumerated() where !number.isMultiple(of: 2) {
      await #expect(throws: ReachabilityMonitorError.self) { try await wait.value }
    }
    network.setStatus(.number(1))
    for (number, wait) in waits.enumerated() where number.isMultiple(of: 2) {
      #expect(try await wait.value == .number(1))
    }
  }

  @Test(.onOwnThreads, arguments: [Int64.max, 10_000_000_000])
  func `a timeout of centuries is valid`(seconds: Int64) async {
    await #expect(processExitsWith: .success) { [seconds] in
      let network = SimulatedNetwork(.notReachable(.noRoute))
      let monitor = ReachabilityMonitor(simulating: network)
      let fence = monitor.log(.defaultRoute)
      async let status = monitor.waitUntilReachable(.defaultRoute, timeout: .seconds(seconds))
      try await fence.events.wait(for: 1)
      network.setStatus(.number(1))
      let reached = try await status
      precondition(reached == .number(1))
    }
  }
}
