// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Synchronization

extension ReachabilityMonitor {
  /// Waits until a target is reachable.
  ///
  /// It ends early if no change of the network can make the target reachable: its name does not exist or has no address,
  /// or TCP cannot connect to such an address.
  ///
  /// - Parameters:
  ///   - target: The target to wait for.
  ///   - timeout: The time limit; `nil` waits without a limit.
  ///   - awaitingName: Whether to wait also while the name does not exist, as that of a container that starts later.
  /// - Returns: The status with which the target became reachable, without waiting if it is reachable.
  /// - Throws: ``ReachabilityMonitorError`` with code `timedOut`, or `invalidTarget` at once if waiting cannot help;
  ///   its ``ReachabilityMonitorError/status`` says why the target was not reachable. The code is `cancelled` if the task
  ///   is cancelled.
  @discardableResult
  public func waitUntilReachable(
    _ target: ReachabilityTarget, timeout: Duration? = nil, awaitingName: Bool = false
  ) async throws(ReachabilityMonitorError) -> ReachabilityStatus {
    if Task.isCancelled { throw .cancelled }
    // The time limit covers waiting only: a reachable target never times out.
    var status = currentStatus(of: target)
    if status.isReachable { return status }
    let end = timeout.map { clock.now + $0.boundedForClocks }
    status = try await hopefulStatus(of: target, until: end, awaitingName) ?? currentStatus(of: target)
    // It may have become reachable at the end of the time.
    if status.isReachable { return status }
    throw ReachabilityMonitorError(
      .timedOut, "\(target) was not reachable within \(timeout ?? .zero)",
      because: status.reason?.description, status: status)
  }

  /// Waits until a target accepts a TCP connection, as a server does that has started.
  ///
  /// It tries to connect at once, and again after a pause, or as soon as the status of the target changes. While the
  /// target is not reachable, it waits for the network instead. Each attempt is one of
  /// ``connect(to:port:timeout:attemptDelay:)``, ends after 10 s, and closes its connection immediately.
  ///
  /// ```swift
  /// let database = try ReachabilityTarget(host: "db.test", port: 5432)
  /// try await ReachabilityMonitor.shared.waitUntilAccepting(database, timeout: .seconds(60))
  /// ```
  ///
  /// - Parameters:
  ///   - target: An address or a host, with its constraints.
  ///   - port: The port, from 1; `nil` for the target's own.
  ///   - timeout: The time limit; `nil` waits without a limit.
  ///   - pause: The time from an attempt that failed to the next; values below 10 ms count as 10 ms.
  ///   - awaitingName: Whether to wait also while the name does not exist, as that of a container that starts later.
  /// - Returns: The report of the attempt that connected.
  /// - Throws: ``ReachabilityMonitorError`` with code `timedOut`, whose description has the outcome of the last attempt,
  ///   or of the one before if the limit cuts it short within a second; and the other errors of
  ///   ``connect(to:port:timeout:attemptDelay:)`` and ``waitUntilReachable(_:timeout:awaitingName:)``.
  @discardableResult
  public func waitUntilAccepting(
    _ target: ReachabilityTarget, port: UInt16? = nil, timeout: Duration? = nil,
    pause: Duration = .seconds(1), awaitingName: Bool = false
  ) async throws(ReachabilityMonitorError) -> ReachabilityConnectionReport {
    let end = timeout.map { clock.now + $0.boundedForClocks }
    var outcome: String?
    while true {
      let left = end.map { clock.now.duration(to: $0) } ?? .seconds(10)
      let report = try await connect(to: target, port: port, timeout: min(max(left, .zero), .seconds(10)))
      if report.isConnected { return report }
      let status = report.status
      // A wait for an answer that the time limit cuts short says less than the outcome before.
      if let attempt = report.attempts.mostInformative, attempt.outcome != .notTried,
        outcome == nil || attempt.outcome != .timedOut || left >= .seconds(1)
      {
        outcome = attempt.words
      }
      if status.isReachable {
        let next = clock.now + max(pause, .milliseconds(10)).boundedForClocks
        _ = try await first(of: report.target, until: end.map { min($0, next) } ?? next) {
          !$0.isOfSameNetwork(as: status)
        }
      } else {
        outcome = status.reason?.description
        _ = try await hopefulStatus(of: report.target, until: end, awaitingName)
      }
      if let end, end <= clock.now {
        throw ReachabilityMonitorError(
          .timedOut, "\(report.target) accepted no connection within \(timeout ?? .zero)", because: outcome,
          status: currentStatus(of: report.target))
      }
    }
  }

  /// Waits until a target is reachable, or returns `nil` after a deadline.
  ///
  /// - Throws: The code `invalidTarget` as soon as waiting cannot make it reachable.
  private func hopefulStatus(
    of target: ReachabilityTarget, until deadline: ContinuousClock.Instant?, _ awaitingName: Bool
  ) async throws(ReachabilityMonitorError) -> ReachabilityStatus? {
    let found = try await first(of: target, until: deadline) {
      $0.isReachable || !(awaitingName || self.mayRecover($0))
    }
    if let found, !found.isReachable {
      throw ReachabilityMonitorError(
        .invalidTarget, "\(target) cannot become reachable", because: found.reason?.description, status: found
      )
    }
    return found
  }

  /// Waits for the first status that satisfies a condition, or returns `nil` after a deadline.
  private func first(
    of target: ReachabilityTarget, until deadline: ContinuousClock.Instant?,
    where isAwaited: @escaping @Sendable (ReachabilityStatus) -> Bool
  ) async throws(ReachabilityMonitorError) -> ReachabilityStatus? {
    do {
      return try await withDeadline(deadline, on: clock) {
        try await self.first(of: target, where: isAwaited)
      }
    } catch {
      throw .cancelled
    }
  }

  /// Waits for the first status that satisfies a condition, the current one included.
  func first(
    of target: ReachabilityTarget, where isAwaited: @Sendable (ReachabilityStatus) -> Bool
  ) async throws(CancellationError) -> ReachabilityStatus {
    for await event in events(of: target) where isAwaited(event.status) { return event.status }
    throw CancellationError()
  }
}

extension ReachabilityMonitorError {
  /// Creates the error of a wait: what did not happen, and why, if that is known.
  fileprivate init(_ code: Code, _ text: String, because reason: String?, status: ReachabilityStatus) {
    self.init(code, description: text + (reason.map { ": \($0)" } ?? ""), status: status)
  }
}

/// The first status of a target that satisfies a condition, for a thread that blocks until it arrives.
package final class AwaitedStatus: Sendable {
  private final class Arrival: Sendable {
    let status = Mutex<ReachabilityStatus?>(nil)
    let semaphore = DispatchSemaphore(value: 0)
  }

  private let arrival = Arrival()
  /// `nil` if the first status satisfied the condition.
  private let observation: ReachabilityObservation?

  /// Begins to observe the target, unless its current status satisfies the condition.
  package init(
    of target: ReachabilityTarget, in monitor: ReachabilityMonitor,
    where isAwaited: @escaping @Sendable (ReachabilityStatus) -> Bool
  ) {
    let current = monitor.currentStatus(of: target)
    if isAwaited(current) {
      arrival.status.withLock { $0 = current }
      observation = nil
      return
    }
    observation = monitor.observe(target, on: .monitorThread) { [arrival] event in
      guard isAwaited(event.status) else { return }
      arrival.status.withLock { $0 = $0 ?? event.status }
      arrival.semaphore.signal()
    }
  }

  /// The status, if it has arrived.
  package var value: ReachabilityStatus? { arrival.status.withLock { $0 } }

  /// Blocks until the status arrives, or returns `nil` after a time limit.
  ///
  /// Never call it on the monitor's thread.
  package func wait(upTo timeout: Duration? = nil) -> ReachabilityStatus? {
    if let value { return value }
    // The sum of a time and an interval is at most the distant future.
    let interval = timeout.map { DispatchTimeInterval.milliseconds($0.milliseconds) }
    _ = arrival.semaphore.wait(timeout: interval.map { .now() + $0 } ?? .distantFuture)
    return value
  }
}
