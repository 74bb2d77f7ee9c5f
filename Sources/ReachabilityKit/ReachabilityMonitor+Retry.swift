import Synchronization

extension ReachabilityMonitor {
  /// Runs an operation, and runs it again when the network is back, for as long as the network is why it fails.
  ///
  /// Nothing is waited for before: the operation is tried at once. When it throws, it is run again if the network explains the
  /// failure: the target is not reachable now, or its status changed while the operation ran. In the first case this waits for the
  /// moment at which the target is reachable again, not for a timer. Resolved addresses are no part of such a change: name servers
  /// rotate them. What fails while the network is as it was, such as a refused
  /// connection or an answer that is no good, no waiting mends: that is thrown at once. So is, while the path is satisfied, the
  /// failure with a host whose name does not exist or has no address.
  ///
  /// ```swift
  /// let page = try await monitor.withReachability(of: "example.com", deadline: .now + .seconds(60)) {
  ///   try await fetch(address)
  /// }
  /// ```
  ///
  /// The operation runs where the caller runs, one run after the other. It may run several times, so it should do no harm when it is
  /// done twice; ``withReachability(of:deadline:jitter:retrying:onWait:isolation:operation:)`` can't know how far it came.
  ///
  /// - Parameters:
  ///   - target: What the operation needs.
  ///   - deadline: Until when it is waited, and when no new run begins any more; `nil` for never. A run that has begun is not ended.
  ///   - jitter: How long a run is put off at most once the target is reachable again: a random time from zero to this, so that
  ///     not all who lost a server come back to it in the same moment.
  ///   - isRetried: Whether the operation may be run again after an error; all errors by default. `CancellationError` is always thrown.
  ///   - onWait: Called each time the waiting begins, with the status that is waited for to change.
  ///   - isolation: The actor that the operation and the other closures run on, by default the caller's.
  ///   - operation: What to do.
  /// - Returns: What the operation returns.
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

  /// Does the same until somebody cancels the waiting.
  package func withReachability<Success>(
    of target: ReachabilityTarget, deadline: ContinuousClock.Instant?, jitter: Duration,
    interruptedBy canceller: Canceller, retrying isRetried: (any Error) -> Bool,
    onWait: (ReachabilityStatus) -> Void,
    isolation: isolated (any Actor)? = #isolation, operation: () async throws -> Success
  ) async throws -> Success {
    let changes = ChangeCounter(of: target, in: self)
    while true {
      let before = changes.count
      // News of a change may come later than a failure that comes at once.
      let wasReachable = status(of: target).state != .notReachable
      do {
        return try await operation()
      } catch  where !(error is CancellationError) && isRetried(error) {
        var isExplained = !wasReachable || changes.count != before
        var status = try await firstKnownStatus(of: target, until: deadline, canceller, else: error)
        repeat {
          try Task.checkCancellation()
          if !status.isReachable {
            guard waitingMends(status) else { throw error }
            isExplained = true
            onWait(status)
            status = try await waitForWorth(of: target, until: deadline, canceller, else: error)
          }
          guard isExplained, status.isReachable else { throw error }
          try await Self.putOff(by: jitter, until: deadline, canceller, else: error)
          // It may be gone again meanwhile.
          status = self.status(of: target)
        } while !status.isReachable
      }
    }
  }

  /// Whether a target that is not reachable can become so without anybody's doing but the network's.
  ///
  /// What a name server says of a name is believed while the path is satisfied. Without one, a server on this machine may say
  /// so of every name.
  package func waitingMends(_ status: ReachabilityStatus) -> Bool {
    switch status.reason {
    case .nameNotFound, .noAddressRecords, .zoneMissing: !path.isSatisfied
    default: true
    }
  }

  /// Waits for a name's first look-up, which tells whether there is anything to wait for.
  private func firstKnownStatus(
    of target: ReachabilityTarget, until deadline: ContinuousClock.Instant?, _ canceller: Canceller,
    else failure: any Error
  ) async throws -> ReachabilityStatus {
    try await first(of: target, until: deadline, canceller, else: failure) { $0.reason != .resolving }
  }

  /// Waits until a target is reachable, or until it is known that no waiting makes it so.
  private func waitForWorth(
    of target: ReachabilityTarget, until deadline: ContinuousClock.Instant?, _ canceller: Canceller,
    else failure: any Error
  ) async throws -> ReachabilityStatus {
    try await first(of: target, until: deadline, canceller, else: failure) {
      $0.isReachable || !self.waitingMends($0)
    }
  }

  /// Waits for a status, or throws the failure when the deadline comes first.
  private func first(
    of target: ReachabilityTarget, until deadline: ContinuousClock.Instant?, _ canceller: Canceller,
    else failure: any Error, where isAwaited: @escaping @Sendable (ReachabilityStatus) -> Bool
  ) async throws -> ReachabilityStatus {
    try Task.checkCancellation()
    let status = status(of: target)
    if isAwaited(status) { return status }
    if let deadline, deadline <= .now { throw failure }
    let found = try await canceller.run {
      try await withDeadline(deadline) { try await self.first(of: target, where: isAwaited) }
    }
    guard let found else { throw failure }
    return found
  }

  private static func putOff(
    by jitter: Duration, until deadline: ContinuousClock.Instant?, _ canceller: Canceller,
    else failure: any Error
  ) async throws {
    let most = jitter.boundedForClocks
    let begin = ContinuousClock.now.advanced(
      by: .nanoseconds(Int64.random(in: 0...Int64(most / .nanoseconds(1)))))
    if let deadline, begin >= deadline { throw failure }
    guard most > .zero else { return }
    try await canceller.run { try await Task.sleep(until: begin, clock: .continuous) }
  }
}

/// Runs an operation, and runs it again when the network is back; see
/// ``ReachabilityMonitor/withReachability(of:deadline:jitter:retrying:onWait:isolation:operation:)``.
///
/// The network is that of ``ReachabilityMonitor/shared``. Where the system can't be asked, the operation is run once.
public func withReachability<Success>(
  of target: ReachabilityTarget, deadline: ContinuousClock.Instant? = nil, jitter: Duration = .seconds(1),
  retrying isRetried: (any Error) -> Bool = { _ in true }, onWait: (ReachabilityStatus) -> Void = { _ in },
  isolation: isolated (any Actor)? = #isolation, operation: () async throws -> Success
) async throws -> Success {
  guard let monitor = try? ReachabilityMonitor.shared else { return try await operation() }
  return try await monitor.withReachability(
    of: target, deadline: deadline, jitter: jitter, retrying: isRetried, onWait: onWait, operation: operation)
}

/// Counts how often the network of a target changed while this lives.
private final class ChangeCounter: Sendable {
  private let handle: EngineHandle
  private let sink = CountingSink()
  private let entry: MonitorEngine.Machine.EntryID

  init(of target: ReachabilityTarget, in monitor: ReachabilityMonitor) {
    handle = monitor.handle
    entry = handle.engine.add(sink, for: .init(target: target, settling: .zero))
  }

  deinit { handle.engine.remove(sink, from: entry) }

  var count: Int { sink.count.load(ordering: .relaxed) }
}

/// Counts on the engine's thread, before anybody who hears of the same change can do anything.
// Safe to share: all that changes is atomic.
private final class CountingSink: EventSink, @unchecked Sendable {
  let count = Atomic(0)

  override func deliver(_ news: News) -> WakeUp? {
    // The first status is no change, nor is it that a name came to be known or stands for other addresses.
    if case .status(let event) = news, let previous = event.previous, previous.state != .unknown,
      !event.status.isOfSameNetwork(as: previous)
    {
      count.add(1, ordering: .relaxed)
    }
    return nil
  }
}
