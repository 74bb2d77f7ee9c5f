// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Dispatch
import ReachabilityTesting
import Synchronization
import TestSupport
import Testing

@testable import ReachabilityKit

/// The locks that are held while a reader is woken.
///
/// Waking a reader runs foreign code: its executor, under the lock of its task. A cancellation holds that lock while
/// it calls the handler that ends a stream.
@Suite(.timeLimit(.minutes(10)), .deadline) struct WakingTests {
  /// An executor that tries, for each job it receives, whether an action can complete on another thread meanwhile.
  private final class CuriousExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "curious")
    private let attempt: @Sendable () -> Void
    let outcomes = Log<DispatchTimeoutResult>()

    init(_ attempt: @escaping @Sendable () -> Void) {
      self.attempt = attempt
    }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      let isDone = DispatchSemaphore(value: 0)
      DispatchQueue(label: "attempt").async { [attempt] in
        attempt()
        isDone.signal()
      }
      outcomes.append(isDone.wait(timeout: .now() + 2))
      queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }

  private let target = ReachabilityTarget.address("10.9.0.1")

  @Test func `a wakeUp reports each change once`() {
    let wakeUp = WakeUpSignal()
    wakeUp.send(isChange: true)
    wakeUp.send(isChange: false)
    #expect(wakeUp.wait(until: nil) == .all)
    wakeUp.send(isChange: false)
    #expect(wakeUp.wait(until: nil).isEmpty)
  }

  @Test func `no lock of a monitor is held while a reader of statuses is woken`() async throws {
    let network = SimulatedNetwork(.number(0))
    let monitor = ReachabilityMonitor(simulating: network)
    let executor = CuriousExecutor { [target] in
      monitor.observe(target, on: DispatchQueue(label: "other")) { _ in }.cancel()
    }
    let log = Log<ReachabilityStatus>()
    let reader = Task(executorPreference: executor) { [target] in
      for await event in monitor.events(of: target) { log.append(event.status) }
    }
    for number in 1...5 {
      try await log.wait { $0.last == .number(number - 1) }
      network.setStatus(.number(number))
    }
    try await log.wait { $0.last == .number(5) }
    reader.cancel()
    await reader.value
    #expect(Set(executor.outcomes.elements) == [.success])
  }

  @Test func `no lock of a monitor is held while a reader of paths is woken`() async throws {
    let network = SimulatedNetwork(.number(0))
    let monitor = ReachabilityMonitor(simulating: network)
    let executor = CuriousExecutor {
      monitor.observePath(on: DispatchQueue(label: "other")) { _ in }.cancel()
    }
    let log = Log<ReachabilityPath>()
    let reader = Task(executorPreference: executor) {
      for await path in monitor.paths() { log.append(path) }
    }
    try await log.wait(for: 1)
    for reason in [ReachabilityStatus.Reason.noRoute, .noCarrier, .prohibited, .interfaceDown, .blackhole] {
      let path = ReachabilityPath(.unsatisfied, reason: reason)
      network.setPath(path)
      try await log.wait { $0.last == path }
    }
    reader.cancel()
    await reader.value
    #expect(Set(executor.outcomes.elements) == [.success])
  }

  @Test func `no lock of a stream is held while its reader is woken`() async throws {
    let sink = StreamSink<ReachabilityEvent>()
    func event(_ number: Int) -> ReachabilityEvent {
      ReachabilityEvent(target: target, status: .number(number))
    }
    let executor = CuriousExecutor { [other = event(0)] in sink.receive(other) }
    let log = Log<ReachabilityEvent>()
    let reader = Task(executorPreference: executor) {
      while let event = await sink.next() { log.append(event) }
    }
    for number in 1...20 {
      sink.receive(event(number))
      try await log.wait { $0.contains { $0.status == .number(number) } }
    }
    sink.finish()
    await reader.value
    #expect(Set(executor.outcomes.elements) == [.success])
  }
}
