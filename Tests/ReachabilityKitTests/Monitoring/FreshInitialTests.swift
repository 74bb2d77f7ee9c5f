// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Dispatch
import ReachabilityKit
import Synchronization
import TestSupport
import Testing

/// Initial events, which are never older than the call that began the observation.
@Suite(.timeLimit(.minutes(10)), .deadline) struct FreshInitialTests {
  private let target = ReachabilityTarget.address("10.9.0.1")
  private let source: SourceDouble
  private let monitor: ReachabilityMonitor

  init() {
    source = SourceDouble(.number(0))
    monitor = ReachabilityMonitor(source: source)
  }

  @Test func `a joining observer receives the present status, the others a change`() async throws {
    let first = monitor.log(target)
    try await first.events.wait(for: 1)
    // Nothing is announced.
    source.set(.number(1))
    #expect(monitor.currentStatus(of: target) == .number(1))
    let second = monitor.log(target)
    #expect(try await second.events.wait(for: 1) == .telling(.number(1), of: target))
    #expect(try await first.events.wait(for: 2) == .telling(.number(0), .number(1), of: target))
    source.set(.number(2))
    source.announce()
    #expect(try await second.events.wait(for: 2) == .telling(.number(1), .number(2), of: target))
    #expect(
      try await first.events.wait(for: 3) == .telling(.number(0), .number(1), .number(2), of: target))
  }

  @Test func `a joining observer causes no event for others while the status is the same`() async throws {
    let first = monitor.log(target)
    try await first.events.wait(for: 1)
    let second = monitor.log(target)
    #expect(try await second.events.wait(for: 1) == .telling(.number(0), of: target))
    source.set(.number(1))
    source.announce()
    try await second.events.wait(for: 2)
    #expect(try await first.events.wait(for: 2) == .telling(.number(0), .number(1), of: target))
  }

  @Test func `waiting does not return a status from before the call`() async throws {
    let first = monitor.log(target)
    try await first.events.wait(for: 1)
    source.set(.notReachable(.noCarrier))
    await #expect(throws: ReachabilityMonitorError.self) {
      try await monitor.waitUntilReachable(target, timeout: .milliseconds(200))
    }
    withExtendedLifetime(first.token) {}
  }

  @Test func `a joining stream begins with the present status`() async throws {
    let first = monitor.log(target)
    try await first.events.wait(for: 1)
    for number in 1...20 {
      source.set(.number(number))
      var iterator = monitor.events(of: target).makeAsyncIterator()
      #expect(
        await iterator.next(isolation: #isolation)
          == ReachabilityEvent(target: target, status: .number(number)))
    }
    withExtendedLifetime(first.token) {}
  }

  @Test func `a joining observer of the path receives the present path`() async throws {
    source.setPath(.number(0))
    let (first, second) = (Log<ReachabilityPath>(), Log<ReachabilityPath>())
    let queue = DispatchQueue(label: "test")
    let one = monitor.observePath(on: queue) { first.append($0) }
    try await first.wait(for: 1)
    source.setPath(.number(1))
    let other = monitor.observePath(on: queue) { second.append($0) }
    #expect(try await second.wait(for: 1) == [.number(1)])
    #expect(try await first.wait(for: 2) == [.number(0), .number(1)])
    withExtendedLifetime((one, other)) {}
  }

  @Test func `while a change settles, a joining observer receives the present status`() async throws {
    let patient = Duration.seconds(3_600)
    let first = monitor.log(target, settling: patient)
    try await first.events.wait(for: 1)
    source.set(.number(1))
    source.announce()
    let second = monitor.log(target, settling: patient)
    #expect(try await second.events.wait(for: 1) == .telling(.number(1), of: target))
    #expect(first.events.elements == .telling(.number(0), of: target))
  }

  @Test func `an answer to a query from before the call is no initial event`() async throws {
    let (isAsked, mayAnswer) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let (status, isGated) = (Box(ReachabilityStatus.number(0)), Box(true))
    let source = SourceDouble { _ in
      let answer = status.value
      if isGated.set(false) {
        isAsked.signal()
        mayAnswer.wait()
      }
      return Evaluation(answer)
    }
    let monitor = ReachabilityMonitor(source: source)
    let first = monitor.log(target)
    await wait(for: isAsked)
    status.set(.number(1))
    let others = (0..<1_000).map { _ in monitor.log(target) }
    mayAnswer.signal()
    for other in others {
      #expect(try await other.events.wait(for: 1) == .telling(.number(1), of: target))
    }
    #expect(try await first.events.wait(for: 2) == .telling(.number(0), .number(1), of: target))
    // All observers that joined meanwhile share one more query.
    #expect(source.calls.elements.count { if case .evaluate = $0 { true } else { false } } == 2)
  }

  @Test func `a joining observer receives the status where the system cannot be watched`() async throws {
    let source = SourceDouble(.number(0), isRefusing: true)
    let monitor = ReachabilityMonitor(source: source)
    let first = monitor.log(target)
    try await first.events.wait(for: 1)
    source.set(.number(1))
    let second = monitor.log(target)
    #expect(try await second.events.wait(for: 1) == .telling(.number(1), of: target))
  }

  /// Waits without blocking a thread of the task pool.
  private func wait(for semaphore: DispatchSemaphore) async {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "waiting").async {
        semaphore.wait()
        continuation.resume()
      }
    }
  }
}
