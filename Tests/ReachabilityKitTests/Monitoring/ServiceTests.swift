// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import ReachabilityKit
import ReachabilityTesting
import Testing

@Suite(.deadline) struct ServiceTests {
  private struct Failure: Error {}

  private let target = ReachabilityTarget.address("10.9.0.1")
  private let up = ReachabilityStatus.reachable(over: .wifi)
  private let down = ReachabilityStatus.notReachable(.noRoute)

  /// Runs a service until its handler has received a number of values, then cancels it.
  private func values<Value: Sendable>(
    _ count: Int, _ make: (@escaping @Sendable (Value) -> Void) -> ReachabilityService,
    then change: (Value) -> Void = { _ in }
  ) async throws -> [Value] {
    let received = AsyncStream.makeStream(of: Value.self)
    let service = make { received.continuation.yield($0) }
    let task = Task { try await service.run() }
    var values: [Value] = []
    for await value in received.stream {
      values.append(value)
      if values.count == count { break }
      change(value)
    }
    task.cancel()
    try await task.value
    return values
  }

  @Test func `the handler receives the current status and changes until a cancellation`() async throws {
    let network = SimulatedNetwork(down)
    let monitor = ReachabilityMonitor(simulating: network)
    let events = try await values(2) { handler in
      ReachabilityService(observing: target, monitor: monitor) { handler($0) }
    } then: { _ in
      network.setStatus(up)
    }
    #expect(events.map(\.status) == [down, up])
    #expect(events.map(\.isInitial) == [true, false])
  }

  @Test func `the handler receives the current path and changes until a cancellation`() async throws {
    let network = SimulatedNetwork(down)
    let monitor = ReachabilityMonitor(simulating: network)
    let paths = try await values(2) { handler in
      ReachabilityService(observingPath: .none, monitor: monitor) { handler($0) }
    } then: { _ in
      network.setStatus(up)
    }
    #expect(paths.map(\.isSatisfied) == [false, true])
  }

  @Test func `the handler receives the path that meets the requirements`() async throws {
    let monitor = ReachabilityMonitor(simulating: SimulatedNetwork(up))
    let paths: [ReachabilityPath] = try await values(1) { handler in
      ReachabilityService(observingPath: .requiring(.wired), monitor: monitor) { handler($0) }
    }
    #expect(paths.map(\.isSatisfied) == [false])
  }

  @Test func `a handler that waits when the task is cancelled does not fail the service`() async throws {
    let monitor = ReachabilityMonitor(simulating: SimulatedNetwork(up))
    let waiting = AsyncStream.makeStream(of: Void.self)
    let service = ReachabilityService(observing: target, monitor: monitor) { _ in
      waiting.continuation.yield()
      try await Task.sleep(for: .seconds(3600))
    }
    let task = Task { try await service.run() }
    for await _ in waiting.stream { break }
    task.cancel()
    try await task.value
  }

  @Test func `an error of the handler ends the service with that error`() async {
    let monitor = ReachabilityMonitor(simulating: SimulatedNetwork(up))
    let service = ReachabilityService(observing: target, monitor: monitor) { _ in throw Failure() }
    await #expect(throws: Failure.self) { try await service.run() }
  }

  @Test func `a CancellationError of the handler alone is an error`() async {
    let monitor = ReachabilityMonitor(simulating: SimulatedNetwork(up))
    let service = ReachabilityService(observing: target, monitor: monitor) { _ in throw CancellationError() }
    await #expect(throws: CancellationError.self) { try await service.run() }
  }

  @Test func `the shared monitor is the default`() async throws {
    let events: [ReachabilityEvent] = try await values(1) { handler in
      // The loopback address always exists.
      ReachabilityService(observing: .address("127.0.0.1")) { handler($0) }
    }
    #expect(events.map(\.isInitial) == [true])
  }
}
