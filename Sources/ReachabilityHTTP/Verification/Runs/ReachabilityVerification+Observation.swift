public import Dispatch
public import ReachabilityKit
import Synchronization

extension ReachabilityVerification {
  /// An observation of the path and of repeated verifications.
  ///
  /// It ends when it is cancelled, or when the last reference to it goes away. Safe to use from any thread.
  public final class Observation: Sendable {
    private final class Handler: Sendable {
      private struct State {
        var call: (@Sendable (ReachabilityVerification.VerifiedStatus) -> Void)?
        var running = RunningHandler()
      }

      private let state: Mutex<State>

      init(_ call: @escaping @Sendable (ReachabilityVerification.VerifiedStatus) -> Void) {
        state = Mutex(State(call: call))
      }

      func callAsFunction(_ status: ReachabilityVerification.VerifiedStatus) {
        let call = state.withLock { state in
          if state.call != nil { state.running.begin() }
          return state.call
        }
        guard let call else { return }
        call(status)
        state.withLock { $0.running.end() }
      }

      func cancel() {
        let (call, wait) = state.withLock { ($0.call.take(), $0.running.waiter()) }
        // Destroys what the handler captured, outside the lock.
        _ = consume call
        wait?()
      }
    }

    private let handler: Handler
    private let task: Task<Void, Never>

    package init(
      of statuses: ReachabilityVerification.VerifiedStatuses, on queue: DispatchQueue,
      handler: @escaping @Sendable (ReachabilityVerification.VerifiedStatus) -> Void
    ) {
      let handler = Handler(handler)
      self.handler = handler
      task = Task {
        for await status in statuses {
          // One call at a time, so that a slow handler receives the newest status next.
          await withCheckedContinuation { turn in
            queue.async {
              handler(status)
              turn.resume()
            }
          }
        }
      }
    }

    /// Ends the observation: after this returns, no call of its handler begins.
    ///
    /// If the handler is running on another thread, this waits for it as `ReachabilityObservation.cancel()` does: for
    /// 50 milliseconds as a rule, after which the handler runs on to its end. May be called from the handler, and
    /// more than once.
    public func cancel() {
      task.cancel()
      handler.cancel()
    }

    deinit { cancel() }
  }
}

extension ReachabilityVerification {
  /// The path and its verification over time: first the current path, not verified yet, then each change of either.
  ///
  /// Each iteration is a separate observation with its own verifications. It ends with its task, or when its iterator
  /// is destroyed. A slow reader receives the newest status, and never two equal ones in a row. The sequence never
  /// throws.
  public struct VerifiedStatuses: AsyncSequence, Sendable {
    let follower: Follower

    /// Starts an observation.
    public func makeAsyncIterator() -> Iterator {
      let (stream, continuation) = AsyncStream.makeStream(
        of: ReachabilityVerification.VerifiedStatus.self, bufferingPolicy: .bufferingNewest(1))
      let follower = follower
      let task = Task { await follower.run { continuation.yield($0) } }
      // The stream ends when its reader does.
      continuation.onTermination = { _ in task.cancel() }
      return Iterator(statuses: stream.makeAsyncIterator())
    }

    /// The statuses of one observation.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate var statuses: AsyncStream<ReachabilityVerification.VerifiedStatus>.AsyncIterator
      private var seen: ReachabilityVerification.VerifiedStatus?

      fileprivate init(statuses: AsyncStream<ReachabilityVerification.VerifiedStatus>.AsyncIterator) {
        self.statuses = statuses
      }

      /// Returns the next status as soon as there is one; `nil` after the task is cancelled.
      public mutating func next() async -> ReachabilityVerification.VerifiedStatus? {
        await next(isolation: #isolation)
      }

      /// Returns the next status as soon as there is one; `nil` after the task is cancelled.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> ReachabilityVerification
        .VerifiedStatus?
      {
        while let status = await statuses.next(isolation: actor) {
          // A status between two equal ones may have been dropped.
          guard status != seen else { continue }
          seen = status
          return status
        }
        return nil
      }
    }
  }
}

extension ReachabilityMonitor {
  /// Verifies once: contacts the endpoints, at most 16 concurrently, until the threshold is decided.
  ///
  /// Packets go to the endpoints, to the network's portal API if one is given, to proxies that the environment names
  /// and to name servers, and nowhere else. Neither the caller nor a thread of Swift's tasks is blocked. Once the
  /// result is decided, the remaining attempts are cancelled. An endpoint that does not answer is an outcome, not an
  /// error.
  ///
  /// Connections and requests are made in the monitor's network. In a simulated network connections are not possible,
  /// and requests use the real network. On Linux with glibc libcurl makes the requests, without `URLSession`, so that
  /// no answer can end the process. With Musl `URLSession` makes them, always in the network of this process.
  ///
  /// - Parameters:
  ///   - verification: The endpoints to contact, with the answers to expect.
  ///   - isolation: The actor that `progress` is called on, by default the caller's.
  ///   - progress: Called with each outcome as soon as it is known.
  /// - Returns: The report; its state is unknown only if the verification has neither endpoints nor a portal API.
  /// - Throws: `CancellationError` if the task is cancelled.
  public func verify(
    _ verification: ReachabilityVerification, isolation: isolated (any Actor)? = #isolation,
    progress: (ReachabilityVerification.Outcome) -> Void = { _ in }
  ) async throws -> ReachabilityVerification.Report {
    try await VerificationRun(verification, over: SystemTransport(monitor: self))(reporting: progress)
  }

  /// Observes the path and verifies: first immediately, and again after each change of the network.
  ///
  /// A report is out of date, and a running verification is cancelled, as soon as a change of the path is observed,
  /// or of the status of an endpoint or its proxy. A change that is undone before it is observed does not count. The
  /// names of the endpoints are looked up every minute during an observation.
  ///
  /// - Parameters:
  ///   - verification: The endpoints to contact, with the answers to expect.
  ///   - pause: The time from the end of each verification to the next one without a change of the network; `nil` to
  ///     verify only after changes. The minimum is 100 ms.
  ///   - settling: The time without changes of the network before the next verification.
  public func verifiedStatuses(
    of verification: ReachabilityVerification, every pause: Duration? = nil,
    settling: Duration = .milliseconds(500)
  ) -> ReachabilityVerification.VerifiedStatuses {
    verifiedStatuses(
      of: verification, every: pause, settling: settling, over: SystemTransport(monitor: self))
  }

  package func verifiedStatuses(
    of verification: ReachabilityVerification, every pause: Duration? = nil, settling: Duration,
    over transport: any VerificationTransport
  ) -> ReachabilityVerification.VerifiedStatuses {
    ReachabilityVerification.VerifiedStatuses(
      follower: Follower(
        verification: verification, monitor: self, transport: transport,
        pause: pause.map { max($0, .milliseconds(100)).boundedForClocks }, settling: settling.boundedForClocks
      ))
  }

  /// Calls a handler with the current path, not verified yet, then with each change of the path or of its verification.
  ///
  /// - Parameters:
  ///   - verification: The endpoints to contact, with the answers to expect.
  ///   - pause: The time from the end of each verification to the next one without a change of the network; `nil` to
  ///     verify only after changes. The minimum is 100 ms.
  ///   - settling: The time without changes of the network before the next verification.
  ///   - queue: The serial queue on which the handler is called, with one status after the other, in order.
  ///   - handler: The handler.
  /// - Returns: The observation, which ends when it is cancelled or when the last reference to it goes away.
  public func observeVerification(
    _ verification: ReachabilityVerification, every pause: Duration? = nil,
    settling: Duration = .milliseconds(500),
    on queue: DispatchQueue, handler: @escaping @Sendable (ReachabilityVerification.VerifiedStatus) -> Void
  ) -> ReachabilityVerification.Observation {
    ReachabilityVerification.Observation(
      of: verifiedStatuses(of: verification, every: pause, settling: settling), on: queue, handler: handler)
  }
}
