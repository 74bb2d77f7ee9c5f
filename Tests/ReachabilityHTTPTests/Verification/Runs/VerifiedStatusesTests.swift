// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Dispatch
import Foundation
import ReachabilityHTTP
import ReachabilityKit
import ReachabilityTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10)), .deadline) struct `Verified statuses` {
  private let network = SimulatedNetwork(.reachable(over: .wired))
  private let monitor: ReachabilityMonitor
  private let transport = ScriptedTransport(["http://a.test/": .status(204)])
  private let verification = ReachabilityVerification(of: "http://a.test/")

  init() { monitor = ReachabilityMonitor(simulating: network) }

  private func statuses(
    every pause: Duration? = nil, settling: Duration = .milliseconds(1)
  ) -> VerifiedStatuses {
    monitor.verifiedStatuses(of: verification, every: pause, settling: settling, over: transport)
  }

  /// Returns the next status that meets a condition.
  private func next(
    _ iterator: inout VerifiedStatuses.Iterator,
    until isExpected: (ReachabilityVerification.VerifiedStatus) -> Bool
  ) async throws -> ReachabilityVerification.VerifiedStatus {
    while let status = await iterator.next(isolation: #isolation) {
      if isExpected(status) { return status }
    }
    throw CancellationError()
  }

  @Test func `the path comes first, then the report beside it`() async throws {
    transport.set(.never, for: "http://a.test/")
    var iterator = statuses().makeAsyncIterator()
    #expect(
      await iterator.next(isolation: #isolation)
        == ReachabilityVerification.VerifiedStatus(path: network.path))
    try await eventually { !transport.requested.isEmpty }
    transport.set(.status(204), for: "http://a.test/")
    // The pending request never completes; a change starts another one.
    network.setStatus(.reachable(over: .wifi))
    let status = try await next(&iterator) { $0.state != .unknown }
    #expect(status.state == .verified && status.path == network.path)
    try await eventually { !transport.cancelled.isEmpty }
  }

  @Test func `a lost path makes the state unknown, then failed`() async throws {
    var iterator = statuses().makeAsyncIterator()
    _ = try await next(&iterator) { $0.state == .verified }
    transport.set(.failure(.cannotConnectToHost), for: "http://a.test/")
    network.setStatus(.notReachable(.noCarrier))
    let stale = try await next(&iterator) { $0.path.status == .unsatisfied }
    // The unknown status may have been dropped in favour of the failed one.
    #expect(stale.state == .unknown || stale.state == .failed)
    _ = try await next(&iterator) { $0.state == .failed }
    transport.set(.status(204), for: "http://a.test/")
    network.setStatus(.reachable(over: .wired))
    let status = try await next(&iterator) { $0.state == .verified }
    #expect(status.path.isSatisfied)
  }

  @Test func `a burst of changes is verified once, after it`() async throws {
    var iterator = statuses(settling: .milliseconds(200)).makeAsyncIterator()
    _ = try await next(&iterator) { $0.state == .verified }
    #expect(transport.requested.count == 1)
    for _ in 0..<50 {
      network.setStatus(.notReachable(.noCarrier))
      network.setStatus(.reachable(over: .wifi))
    }
    _ = try await next(&iterator) { $0.state == .verified && $0.path.usesInterfaceKind(.wifi) }
    #expect(transport.requested.count == 2)
  }

  @Test func `a change of an endpoint counts, though the path is the same`() async throws {
    var iterator = statuses().makeAsyncIterator()
    _ = try await next(&iterator) { $0.state == .verified }
    transport.set(.failure(.cannotConnectToHost), for: "http://a.test/")
    let target = try ReachabilityTarget("a.test")
    // The first status of an endpoint is no change, so it must be known first.
    _ = try await monitor.status(of: target)
    // Repeated until the follower knows the status too; each change lasts longer than the settling time.
    var isGone = false
    try await eventually(every: .milliseconds(50)) {
      isGone.toggle()
      network.setStatus(isGone ? .notReachable(.noRoute) : nil, of: target)
      return transport.requested.count > 1
    }
    let status = try await next(&iterator) { $0.state == .failed }
    #expect(status.path == network.path)
  }

  @Test func `the first status of an endpoint and new addresses of its name are no change`() async throws {
    let target = try ReachabilityTarget("a.test")
    network.setStatus(.unknown(.resolving), of: target)
    var iterator = statuses().makeAsyncIterator()
    _ = try await next(&iterator) { $0.state == .verified }
    // Another observer has received each of these.
    var seen = monitor.events(of: target).makeAsyncIterator()
    for number in 1...5 as ClosedRange<UInt32> {
      var status = ReachabilityStatus.reachable(over: .wired)
      status.addresses = [ReachabilityStatus.ResolvedAddress(.v4(.init(rawValue: number)), status: status)]
      network.setStatus(status, of: target)
      while let event = await seen.next(isolation: #isolation), event.status != status {}
    }
    // Progress in another observation proves that time has passed.
    let other = ScriptedTransport([:])
    var others = monitor.verifiedStatuses(
      of: verification, every: .milliseconds(100), settling: .zero, over: other
    ).makeAsyncIterator()
    _ = try await next(&others) { $0.state == .failed }
    try await eventually { other.requested.count >= 3 }
    #expect(transport.requested.count == 1)
  }

  @Test func `an interval repeats verifications only during its observation`() async throws {
    do {
      var iterator = statuses(every: .milliseconds(100)).makeAsyncIterator()
      _ = try await next(&iterator) { $0.state == .verified }
      transport.set(.status(511), for: "http://a.test/")
      _ = try await next(&iterator) { $0.state == .captivePortal(nil) }
      #expect(transport.requested.count > 1)
    }
    // Progress in another observation proves that time has passed.
    let count = transport.requested.count
    let other = ScriptedTransport([:])
    var iterator = monitor.verifiedStatuses(
      of: verification, every: .milliseconds(100), settling: .zero, over: other
    ).makeAsyncIterator()
    _ = try await next(&iterator) { $0.state == .failed }
    try await eventually { other.requested.count >= 5 }
    // One request may have been pending.
    #expect(transport.requested.count <= count + 1)
  }

  @Test func `the pause between verifications is at least 100 milliseconds`() async throws {
    let begin = ContinuousClock.now
    var iterator = statuses(every: .zero).makeAsyncIterator()
    _ = try await next(&iterator) { $0.state == .verified }
    try await eventually { transport.requested.count >= 5 }
    #expect(ContinuousClock.now - begin >= .milliseconds(400))
  }

  @Test func `cancelling the task ends the sequence and the running verification`() async throws {
    transport.set(.never, for: "http://a.test/")
    let statuses = statuses()
    let task = Task {
      var count = 0
      for await _ in statuses { count += 1 }
      return count
    }
    try await eventually { !transport.requested.isEmpty }
    task.cancel()
    #expect(await task.value <= 1)
    try await eventually { !transport.cancelled.isEmpty }
  }

  @Test func `an observation calls its handler on its queue until it is cancelled`() async throws {
    let queue = DispatchQueue(label: "test")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let (delivered, continuation) = AsyncStream.makeStream(of: ReachabilityVerification.VerifiedStatus.self)
    let observation = ReachabilityObservation(of: statuses(), on: queue) { status in
      #expect(DispatchQueue.getSpecific(key: key) == true)
      continuation.yield(status)
    }
    var iterator = delivered.makeAsyncIterator()
    #expect(await iterator.next(isolation: #isolation)?.state == .unknown)
    #expect(await iterator.next(isolation: #isolation)?.state == .verified)
    observation.cancel()
    observation.cancel()
    network.setStatus(.notReachable(.noRoute))
    queue.sync {}
    continuation.finish()
    #expect(await iterator.next(isolation: #isolation) == nil)
  }

  /// The progress of a handler, for another thread.
  private final class Progress: Sendable {
    let starts = Atomic(0)
    let ends = Atomic(0)
  }

  @Test func `a cancellation waits for a handler that may not have begun yet`() async throws {
    // The wait cannot distinguish a handler that is about to begin from a running one, so it covers both, for a short
    // time.
    for round in 0..<20 {
      let progress = Progress()
      let observation = ReachabilityObservation(of: statuses(), on: DispatchQueue(label: "test")) { _ in
        progress.starts.add(1, ordering: .sequentiallyConsistent)
        let end = ContinuousClock.now + .milliseconds(5)
        while ContinuousClock.now < end {}
        progress.ends.add(1, ordering: .sequentiallyConsistent)
      }
      while progress.starts.load(ordering: .sequentiallyConsistent) == 0 { await Task.yield() }
      observation.cancel()
      let ends = progress.ends.load(ordering: .sequentiallyConsistent)
      #expect(ends == progress.starts.load(ordering: .sequentiallyConsistent), "round \(round)")
    }
  }
}
