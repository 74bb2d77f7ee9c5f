// SPDX-License-Identifier: Apache-2.0
import Synchronization

extension ReachabilityMonitor {
  /// Runs an operation, and runs it again once the network is back, while the network explains the failure.
  ///
  /// The operation runs immediately, without waiting for reachability. When it throws, it runs again if the network
  /// explains the failure: the target is not reachable now, or its status changed during the run. If the target is
  /// not reachable, this waits for the event that makes it reachable, not for a timer. A change of resolved addresses
  /// does not count, since name servers rotate them.
  ///
  /// Other failures are thrown immediately: waiting does not fix a refused connection or an invalid response. Also
  /// thrown immediately, while the path is satisfied, is a failure with a host whose name does not exist or has no
  /// address.
  ///
  /// ```swift
  /// let monitor = ReachabilityMonitor.shared
  /// let host = try ReachabilityTarget("https://example.com")
  /// let (page, _) = try await monitor.withReachability(of: host, deadline: .now + .seconds(60)) {
  ///   try await URLSession.shared.data(from: URL(string: "https://example.com/")!)
  /// }
  /// ```
  ///
  /// The operation runs in the caller's isolation, one run after the other. It may run several times and should be
  /// idempotent: ``withReachability(of:deadline:jitter:retrying:onWait:isolation:operation:)`` cannot know how far a
  /// run came.
  ///
  /// - Parameters:
  ///   - target: The target that the operation needs.
  ///   - deadline: The end of waiting, after which no run begins; `nil` for none. A run that has begun is not ended.
  ///   - jitter: The upper bound of a random delay before a run, once the target is reachable again. It avoids a
  ///     thundering herd after a server's outage. In a simulated network there is no delay.
  ///   - isRetried: Whether the operation may run again after an error; all errors by default. `CancellationError`, and a
  ///     ``ReachabilityMonitorError`` with code `cancelled`, is always thrown.
  ///   - onWait: A closure that is called each time waiting begins, with the status that has to change.
  ///   - isolation: The actor that the operation and the other closures run on, by default the caller's.
  ///   - operation: The operation to run.
  /// - Returns: The result of the operation.
  /// - Throws: The operation's last error; `CancellationError` if the task is cancelled while waiting.
  public func withReachability<Success>(
    of target: ReachabilityTarget, deadline: ContinuousClock.Instant? = nil, jitter: Duration = .seconds(1),
    retrying isRetried: (any Error) -> Bool = { _ in true }, onWait: (ReachabilityStatus) -> Void = { _ in },
    isolation: isolated (any Actor)? = #isolation, operation: () async throws -> Success
  ) async throws -> Success {
    try await withReachability(
      of: target, deadline: deadline, jitter: jitter, interruptedBy: Canceller(), retrying: isRetried,
      onWait: onWait, operation: operation)
  }

  /// Runs an operation in the same way, until a canceller ends the waiting.
  package func withReachability<Success>(
    of target: ReachabilityTarget, deadline: ContinuousClock.Instant?, jitter: Duration,
    interruptedBy canceller: Canceller, retrying isRetried: (any Error) -> Bool,
    onWait: (ReachabilityStatus) -> Void,
    isolation: isolated (any Actor)? = #isolation, operation: () async throws -> Success
  ) async throws -> Success {
    let clock = self.clock
    // The caller's deadline is one of the continuous clock.
    let deadline = deadline.map { $0 + clock.lead }
    var status = currentStatus(of: target)
    let changes = ChangeCounter(of: target, since: status, in: self)
    var before = 0
    while true {
      // A failure may be thrown before the announcement of the change that explains it arrives.
      let wasReachable = status.state != .notReachable
      do {
        return try await operation()
      } catch  where !error.isCancellation && isRetried(error) {
        // The status before the count: the loss of a network that is back already has been counted by then.
        status = currentStatus(of: target)
        var isExplained = !wasReachable || changes.count != before
        if status.reason == .resolving {
          status = try await knownStatus(of: target, until: deadline, canceller, else: error)
        }
        repeat {
          try Task.checkCancellation()
          if !status.isReachable {
            guard mayRecover(status) else { throw error }
            isExplained = true
            onWait(status)
            status = try await waitWhileHopeful(of: target, until: deadline, canceller, else: error)
          }
          guard isExplained, status.isReachable else { throw error }
          if !clock.isSimulated {
            try await delay(by: jitter, until: deadline, canceller, else: error)
          }
          before = changes.count
          // The target may have become unreachable during the delay.
          status = self.currentStatus(of: target)
        } while !status.isReachable
      }
    }
  }

  /// Whether an unreachable target can become reachable by a change of the network alone.
  ///
  /// A name server's negative answer counts while the path is satisfied. Without a path, a server on this machine may
  /// answer so for every name.
  package func mayRecover(_ status: ReachabilityStatus) -> Bool {
    switch status.reason?.value {
    case .nameNotFound, .noAddressRecords, .zoneMissing, .notUnicast: !path.isSatisfied
    case .noRoute, .unreachableRoute, .blackhole, .prohibited, .interfaceDown, .noCarrier, .linkDormant,
      .sourceAddressMissing, .encapsulated, .interfaceNotFound, .tunnelLoop, .blockedByIPsec,
      .nameServerNotConfigured, .nameServerUnreachable, .nameServerFailed, .nameResolutionTimedOut,
      .namesNotResolved, .resolving, .systemError, nil:
      true
    }
  }

  /// Waits for the first lookup of a name, which decides whether waiting can help.
  private func knownStatus(
    of target: ReachabilityTarget, until deadline: ContinuousClock.Instant?, _ canceller: Canceller,
    else failure: any Error
  ) async throws -> ReachabilityStatus {
    try await first(of: target, until: deadline, canceller, else: failure) { $0.reason != .resolving }
  }

  /// Waits until a target is reachable, or until waiting can no longer make it reachable.
  private func waitWhileHopeful(
    of target: ReachabilityTarget, until deadline: ContinuousClock.Instant?, _ canceller: Canceller,
    else failure: any Error
  ) async throws -> ReachabilityStatus {
    try await first(of: target, until: deadline, canceller, else: failure) {
      $0.isReachable || !self.mayRecover($0)
    }
  }

  /// Waits for a status, or throws the failure if the deadline comes first.
  private func first(
    of target: ReachabilityTarget, until deadline: ContinuousClock.Instant?, _ canceller: Canceller,
    else failure: any Error, where isAwaited: @escaping @Sendable (ReachabilityStatus) -> Bool
  ) async throws -> ReachabilityStatus {
    try Task.checkCancellation()
    let status = currentStatus(of: target)
    if isAwaited(status) { return status }
    if let deadline, deadline <= clock.now { throw failure }
    let found = try await canceller.run {
      try await withDeadline(deadline, on: self.clock) { try await self.first(of: target, where: isAwaited) }
    }
    if let found { return found }
    // The status changed at the end of the time.
    let last = currentStatus(of: target)
    guard isAwaited(last) else { throw failure }
    return last
  }

  private func delay(
    by jitter: Duration, until deadline: ContinuousClock.Instant?, _ canceller: Canceller,
    else failure: any Error
  ) async throws {
    let limit = jitter.boundedForClocks
    let clock = self.clock
    let begin = clock.now.advanced(
      by: .nanoseconds(Int64.random(in: 0...Int64(limit / .nanoseconds(1)))))
    if let deadline, begin >= deadline { throw failure }
    guard limit > .zero else { return }
    try await canceller.run { try await clock.sleep(until: begin) }
  }
}

/// Runs an operation, and runs it again once the network is back; see
/// ``ReachabilityMonitor/withReachability(of:deadline:jitter:retrying:onWait:isolation:operation:)``.
///
/// Uses ``ReachabilityMonitor/shared``. Where the system cannot be queried, the operation runs once.
public func withReachability<Success>(
  of target: ReachabilityTarget, deadline: ContinuousClock.Instant? = nil, jitter: Duration = .seconds(1),
  retrying isRetried: (any Error) -> Bool = { _ in true }, onWait: (ReachabilityStatus) -> Void = { _ in },
  isolation: isolated (any Actor)? = #isolation, operation: () async throws -> Success
) async throws -> Success {
  guard let monitor = try? ReachabilityMonitor.availableShared() else { return try await operation() }
  return try await monitor.withReachability(
    of: target, deadline: deadline, jitter: jitter, retrying: isRetried, onWait: onWait, operation: operation)
}

extension Error {
  /// Whether the error says that a task was cancelled.
  package var isCancellation: Bool {
    self is CancellationError || (self as? ReachabilityMonitorError)?.code == .cancelled
  }
}

/// Counts the changes of a target's network during its lifetime.
private final class ChangeCounter: Sendable {
  private let handle: EngineOwner
  private let sink: CountingSink
  private let entry: MonitorEngine.Machine.EntryID

  init(of target: ReachabilityTarget, since initial: ReachabilityStatus, in monitor: ReachabilityMonitor) {
    handle = monitor.handle
    sink = CountingSink(since: initial)
    entry = handle.engine.add(sink, for: .init(target: target, settling: .zero))
  }

  deinit { handle.engine.remove(sink, from: entry) }

  var count: Int { sink.count.load(ordering: .relaxed) }
}

/// Counts on the engine's thread, before any observer of the same change can run.
// Safe to share: all mutable state is atomic.
private final class CountingSink: EventSink, @unchecked Sendable {
  let count = Atomic(0)
  /// The status before the first event: a busy thread may deliver that after the network has changed.
  private let initial: ReachabilityStatus

  init(since initial: ReachabilityStatus) { self.initial = initial }

  override func deliver(_ event: MonitorEvent) -> Bool {
    guard case .status(let event) = event.content else { return false }
    let previous = event.previous ?? initial
    // The result of a name lookup is no change of the network.
    if previous.state != .unknown, !event.status.isOfSameNetwork(as: previous) {
      count.add(1, ordering: .relaxed)
    }
    return false
  }
}
