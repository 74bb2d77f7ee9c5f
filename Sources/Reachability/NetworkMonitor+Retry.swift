import Synchronization

extension NetworkMonitor {
  /// Runs an operation, and runs it again when the network is back, for as long as the network is why it fails.
  ///
  /// Nothing is asked before: the operation is tried at once. When it throws, it is run again if the network explains the
  /// failure: the target is not reachable now, or that changed while the operation ran. In the first case this waits for the
  /// moment at which the target is reachable again, not for a timer. What fails while the network is as it was, such as a refused
  /// connection or an answer that is no good, no waiting mends: that is thrown at once.
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
    of target: Target, deadline: ContinuousClock.Instant? = nil, jitter: Duration = .seconds(1),
    retrying isRetried: (any Error) -> Bool = { _ in true }, onWait: (Status) -> Void = { _ in },
    isolation: isolated (any Actor)? = #isolation, operation: () async throws -> Success
  ) async throws -> Success {
    let changes = ChangeCounter(of: target, in: self)
    while true {
      let before = changes.count
      do {
        return try await operation()
      } catch  where !(error is CancellationError) && isRetried(error) {
        var isExplained = changes.count != before
        var status = status(of: target)
        repeat {
          try Task.checkCancellation()
          if !status.isReachable {
            isExplained = true
            onWait(status)
            status = try await waitUntilReachable(target, until: deadline, else: error)
          }
          guard isExplained else { throw error }
          try await Self.putOff(by: jitter, until: deadline, else: error)
          // It may be gone again meanwhile.
          status = self.status(of: target)
        } while !status.isReachable
      }
    }
  }

  private func waitUntilReachable(
    _ target: Target, until deadline: ContinuousClock.Instant?, else failure: any Error
  ) async throws -> Status {
    let timeout = deadline.map { ContinuousClock.now.duration(to: $0) }
    if let timeout, timeout <= .zero { throw failure }
    do {
      return try await waitUntilReachable(target, timeout: timeout)
    } catch let error as NetworkMonitorError where error.code == .timedOut {
      throw failure
    }
  }

  private static func putOff(
    by jitter: Duration, until deadline: ContinuousClock.Instant?, else failure: any Error
  ) async throws {
    let most = jitter.boundedForClocks
    let begin = ContinuousClock.now.advanced(
      by: .nanoseconds(Int64.random(in: 0...Int64(most / .nanoseconds(1)))))
    if let deadline, begin >= deadline { throw failure }
    if most > .zero { try await Task.sleep(until: begin, clock: .continuous) }
  }
}

/// Runs an operation, and runs it again when the network is back; see
/// ``NetworkMonitor/withReachability(of:deadline:jitter:retrying:onWait:isolation:operation:)``.
///
/// The network is that of ``NetworkMonitor/shared``. Where the system can't be asked, the operation is run once.
public func withReachability<Success>(
  of target: Target, deadline: ContinuousClock.Instant? = nil, jitter: Duration = .seconds(1),
  retrying isRetried: (any Error) -> Bool = { _ in true }, onWait: (Status) -> Void = { _ in },
  isolation: isolated (any Actor)? = #isolation, operation: () async throws -> Success
) async throws -> Success {
  guard let monitor = try? NetworkMonitor.shared else { return try await operation() }
  return try await monitor.withReachability(
    of: target, deadline: deadline, jitter: jitter, retrying: isRetried, onWait: onWait, operation: operation)
}

/// Counts how often the network of a target changed while this lives.
private final class ChangeCounter: Sendable {
  private let handle: EngineHandle
  private let sink = CountingSink()
  private let entry: MonitorEngine.Machine.EntryID

  init(of target: Target, in monitor: NetworkMonitor) {
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
    // The first status is no change, nor is it that a name came to be known.
    if case .status(let event) = news, let previous = event.previous, previous.state != .unknown {
      count.add(1, ordering: .relaxed)
    }
    return nil
  }
}
