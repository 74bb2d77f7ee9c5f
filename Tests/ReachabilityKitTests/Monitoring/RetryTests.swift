// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Dispatch
import ReachabilityTesting
import Synchronization
import TestSupport
import Testing

@testable import ReachabilityKit

/// Operations that run again when the network is back.
@Suite(.deadline) struct RetryTests {
  private struct Failure: Error, Equatable {
    var run: Int
  }

  private let target = ReachabilityTarget.address("10.9.0.1")
  private let up = ReachabilityStatus.reachable(over: .wifi)
  private let down = ReachabilityStatus.notReachable(.noRoute)

  /// An effect of a run on the network before the run fails.
  private typealias Script = @Sendable (_ run: Int) async throws -> Void

  /// An operation that fails a given number of times, and counts its runs.
  private final class Operation: Sendable {
    private let failures: Int
    private let script: Script
    private let count = Atomic(0)

    init(failing failures: Int, _ script: @escaping Script = { _ in }) {
      self.failures = failures
      self.script = script
    }

    var runs: Int { count.load(ordering: .relaxed) }

    func run() async throws -> Int {
      let run = count.add(1, ordering: .relaxed).newValue
      try await script(run)
      if run <= failures { throw Failure(run: run) }
      return run
    }
  }

  @Test func `a successful operation runs once, whatever the status`() async throws {
    let network = SimulatedNetwork(down)
    let monitor = ReachabilityMonitor(simulating: network)
    let operation = Operation(failing: 0)
    let result = try await monitor.withReachability(of: target, onWait: { _ in Issue.record("waited") }) {
      try await operation.run()
    }
    #expect(result == 1)
  }

  @Test func `a failure with an unchanged network is not retried`() async throws {
    let monitor = ReachabilityMonitor(simulating: SimulatedNetwork(up))
    let operation = Operation(failing: 9)
    await #expect(throws: Failure(run: 1)) {
      try await monitor.withReachability(of: target) { try await operation.run() }
    }
    #expect(operation.runs == 1)
  }

  @Test func `a failure without a network is retried as soon as there is one`() async throws {
    let network = SimulatedNetwork(down)
    let monitor = ReachabilityMonitor(simulating: network)
    let operation = Operation(failing: 2)
    var waits: [ReachabilityStatus] = []
    let result = try await monitor.withReachability(
      of: target, jitter: .zero,
      onWait: { status in
        waits.append(status)
        network.setStatus(up)
      }
    ) {
      // At the second failure the network is down again.
      if operation.runs == 1 { network.setStatus(down) }
      return try await operation.run()
    }
    #expect(result == 3)
    #expect(waits == [down, down])
  }

  @Test func `a network that is lost and restored during a run explains its failure`() async throws {
    let network = SimulatedNetwork(up)
    let monitor = ReachabilityMonitor(simulating: network)
    let (down, up, target) = (down, up, target)
    let operation = Operation(failing: 1) { run in
      guard run == 1 else { return }
      var events = monitor.events(of: target).makeAsyncIterator()
      #expect(await events.next(isolation: #isolation)?.status == up)
      for status in [down, up] {
        network.setStatus(status)
        #expect(await events.next(isolation: #isolation)?.status == status)
      }
    }
    let result = try await monitor.withReachability(
      of: target, jitter: .zero, onWait: { _ in Issue.record("waited") }
    ) { try await operation.run() }
    #expect(result == 2)
  }

  @Test func `a network that is lost before its first event, and restored, explains a failure`()
    async throws
  {
    let other = ReachabilityTarget.address("10.9.0.2")
    let (isBusy, mayGoOn) = (Log<Void>(), DispatchSemaphore(value: 0))
    let source = SourceDouble { [up] target in
      if target == other {
        isBusy.note()
        mayGoOn.wait()
      }
      return Evaluation(up)
    }
    let monitor = ReachabilityMonitor(source: source)
    var events = monitor.events(of: target).makeAsyncIterator()
    #expect(await events.next(isolation: #isolation)?.status == up)
    // The monitor's thread is busy until the network is lost.
    let busy = monitor.observe(other, on: DispatchQueue(label: "other")) { _ in }
    defer { busy.cancel() }
    _ = try await isBusy.wait(for: 1)
    let operation = Operation(failing: 1)
    let result = try await monitor.withReachability(of: target, jitter: .zero) {
      if operation.runs == 0 {
        source.set(down)
        mayGoOn.signal()
        #expect(await events.next(isolation: #isolation)?.status == down)
        // It does not learn of the recovery before the failure.
        source.set(up)
      }
      return try await operation.run()
    }
    #expect(result == 2)
  }

  @Test func `a run that began without a network is retried even if it is back by the failure`()
    async throws
  {
    for _ in 0..<200 {
      let network = SimulatedNetwork(down)
      let monitor = ReachabilityMonitor(simulating: network)
      let operation = Operation(failing: 1) { [up] _ in network.setStatus(up) }
      let result = try await monitor.withReachability(of: target, jitter: .zero) { try await operation.run() }
      #expect(result == 2)
    }
  }

  /// The status of a host with these addresses.
  private func host(_ addresses: [ReachabilityAddress], _ status: ReachabilityStatus) -> ReachabilityStatus {
    var host = status
    host.addresses = addresses.map { ReachabilityStatus.ResolvedAddress($0, status: status) }
    return host
  }

  @Test func `other addresses of a name do not explain a failure`() async throws {
    let host = try ReachabilityTarget("host.test")
    let network = SimulatedNetwork(self.host(["10.9.0.1", "10.9.0.2"], up))
    let monitor = ReachabilityMonitor(simulating: network)
    let rotated = self.host(["10.9.0.3"], up)
    let operation = Operation(failing: 9) { _ in
      var events = monitor.events(of: host).makeAsyncIterator()
      _ = await events.next(isolation: #isolation)
      network.setStatus(rotated)
      #expect(await events.next(isolation: #isolation)?.status == rotated)
    }
    await #expect(throws: Failure(run: 1)) {
      try await monitor.withReachability(of: host, jitter: .zero) { try await operation.run() }
    }
    #expect(operation.runs == 1)
  }

  @Test(
    arguments: [
      { $0.interface?.index = 9 }, { $0.gateway = "10.1.0.253" }, { $0.source = "10.1.0.9" },
    ] as [@Sendable (inout ReachabilityStatus) -> Void])
  func `another interface, gateway or source address explains a failure`(
    change: @escaping @Sendable (inout ReachabilityStatus) -> Void
  ) async throws {
    let network = SimulatedNetwork(up)
    let monitor = ReachabilityMonitor(simulating: network)
    var moved = up
    change(&moved)
    let operation = Operation(failing: 1) { [moved, target] run in
      guard run == 1 else { return }
      var events = monitor.events(of: target).makeAsyncIterator()
      _ = await events.next(isolation: #isolation)
      network.setStatus(moved)
      #expect(await events.next(isolation: #isolation)?.status == moved)
    }
    #expect(
      try await monitor.withReachability(of: target, jitter: .zero) { try await operation.run() } == 2)
  }

  @Test func `a status that becomes known is no change`() async throws {
    let network = SimulatedNetwork(.unknown(.resolving))
    let monitor = ReachabilityMonitor(simulating: network)
    let (up, target) = (up, target)
    let operation = Operation(failing: 9) { run in
      var events = monitor.events(of: target).makeAsyncIterator()
      #expect(await events.next(isolation: #isolation)?.status == .unknown(.resolving))
      network.setStatus(up)
      #expect(await events.next(isolation: #isolation)?.status == up)
    }
    await #expect(throws: Failure(run: 1)) {
      try await monitor.withReachability(of: target) { try await operation.run() }
    }
  }

  @Test func `an error that waiting cannot resolve is thrown immediately`() async throws {
    let monitor = ReachabilityMonitor(simulating: SimulatedNetwork(down))
    let operation = Operation(failing: 9)
    await #expect(throws: Failure(run: 1)) {
      try await monitor.withReachability(
        of: target, retrying: { !($0 is Failure) }, onWait: { _ in Issue.record("waited") }
      ) { try await operation.run() }
    }
  }

  @Test func `a name that does not exist is not waited for while there is a path`() async throws {
    let network = SimulatedNetwork(up)
    network.setStatus(.notReachable(.nameNotFound), of: target)
    let monitor = ReachabilityMonitor(simulating: network)
    let operation = Operation(failing: 9)
    await #expect(throws: Failure(run: 1)) {
      try await monitor.withReachability(of: target, onWait: { _ in Issue.record("waited") }) {
        try await operation.run()
      }
    }
  }

  @Test func `the wait ends when the network is back and the name does not exist`() async throws {
    let network = SimulatedNetwork(down)
    let monitor = ReachabilityMonitor(simulating: network)
    let operation = Operation(failing: 9)
    var waits: [ReachabilityStatus] = []
    await #expect(throws: Failure(run: 1)) {
      try await monitor.withReachability(
        of: target,
        onWait: { status in
          waits.append(status)
          network.setStatus(.notReachable(.nameNotFound), of: target)
          network.setStatus(up)
        }
      ) { try await operation.run() }
    }
    #expect(waits == [down])
  }

  @Test func `a name is resolved before the wait for it is reported`() async throws {
    let network = SimulatedNetwork(.unknown(.resolving))
    let monitor = ReachabilityMonitor(simulating: network)
    let operation = Operation(failing: 1)
    var waits: [ReachabilityStatus] = []
    let result = try await monitor.withReachability(
      of: target, jitter: .zero,
      retrying: { _ in
        // The name is known a moment after the failure.
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) { [down] in
          network.setStatus(down)
        }
        return true
      },
      onWait: { status in
        waits.append(status)
        network.setStatus(up)
      }
    ) { try await operation.run() }
    #expect(result == 2)
    #expect(waits == [down])
  }

  @Test(arguments: [-1, 20] as [Int])
  func `after the deadline the last error is thrown`(milliseconds: Int) async throws {
    let monitor = ReachabilityMonitor(simulating: SimulatedNetwork(down))
    let operation = Operation(failing: 9)
    await #expect(throws: Failure(run: 1)) {
      try await monitor.withReachability(of: target, deadline: .now + .milliseconds(milliseconds)) {
        try await operation.run()
      }
    }
    #expect(operation.runs == 1)
  }

  @Test func `no run is delayed beyond the deadline`() async throws {
    let source = SourceDouble(down)
    let monitor = ReachabilityMonitor(source: source)
    let (operation, up) = (Operation(failing: 9), up)
    // In a delay of up to a hundred years, hardly any instant is within the next minute.
    await #expect(throws: Failure(run: 1)) {
      try await monitor.withReachability(
        of: target, deadline: .now + .seconds(60), jitter: .seconds(3_000_000_000),
        onWait: { _ in
          source.set(up)
          source.announce()
        }
      ) { try await operation.run() }
    }
  }

  @Test func `a cancellation ends the wait`() async throws {
    let monitor = ReachabilityMonitor(simulating: SimulatedNetwork(down))
    let operation = Operation(failing: 9)
    let (waiting, target) = (AsyncStream.makeStream(of: Void.self), target)
    let task = Task {
      try await monitor.withReachability(of: target, onWait: { _ in waiting.continuation.yield() }) {
        try await operation.run()
      }
    }
    for await _ in waiting.stream { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(operation.runs == 1)
  }

  @Test func `a cancellation is not retried`() async throws {
    let monitor = ReachabilityMonitor(simulating: SimulatedNetwork(down))
    await #expect(throws: CancellationError.self) {
      try await monitor.withReachability(of: target, onWait: { _ in Issue.record("waited") }) {
        throw CancellationError()
      }
    }
  }

  /// A class that is not `Sendable`.
  private final class Counter {
    var runs = 0
  }

  @MainActor
  @Test func `an operation runs on its caller's actor`() async throws {
    let network = SimulatedNetwork(down)
    let monitor = ReachabilityMonitor(simulating: network)
    let counter = Counter()
    let failure = Failure(run: 0)
    let result = try await monitor.withReachability(
      of: target, jitter: .zero,
      onWait: { _ in
        MainActor.assertIsolated()
        network.setStatus(up)
      }
    ) {
      MainActor.assertIsolated()
      counter.runs += 1
      if counter.runs == 1 { throw failure }
      return counter
    }
    #expect(result.runs == 2)
  }

  @Test func `the shared monitor is the default`() async throws {
    let operation = Operation(failing: 9)
    // The loopback address always exists.
    await #expect(throws: Failure(run: 1)) {
      try await withReachability(of: .address("127.0.0.1")) { try await operation.run() }
    }
  }
}
