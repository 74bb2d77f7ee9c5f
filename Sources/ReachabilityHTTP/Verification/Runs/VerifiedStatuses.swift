// SPDX-License-Identifier: Apache-2.0
public import Dispatch
public import ReachabilityKit

/// The path and its verification over time; each iteration verifies on its own.
package struct VerifiedStatuses: AsyncSequence, Sendable {
  package typealias Element = ReachabilityVerification.VerifiedStatus
  package typealias Failure = Never

  let follower: Follower

  package func makeAsyncIterator() -> Iterator {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Element.self, bufferingPolicy: .bufferingNewest(1))
    let follower = follower
    let task = Task { await follower.run { continuation.yield($0) } }
    // The stream ends when its reader does.
    continuation.onTermination = { _ in task.cancel() }
    return Iterator(statuses: stream.makeAsyncIterator())
  }

  package struct Iterator: AsyncIteratorProtocol {
    fileprivate var statuses: AsyncStream<Element>.AsyncIterator
    private var seen: Element?

    fileprivate init(statuses: AsyncStream<Element>.AsyncIterator) { self.statuses = statuses }

    package mutating func next() async -> Element? { await next(isolation: #isolation) }

    package mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
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

extension ReachabilityMonitor {
  /// Verifies once: contacts the endpoints, at most 16 concurrently, until the threshold is decided.
  ///
  /// Packets go to the endpoints, to the network's portal API if that is wanted, to proxies that the environment names
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
  /// - Returns: The report; its state is unknown only if the verification has neither endpoints nor a portal API to query.
  /// - Throws: `CancellationError` if the task is cancelled.
  public func verify(
    _ verification: ReachabilityVerification, isolation: isolated (any Actor)? = #isolation,
    progress: (ReachabilityVerification.Outcome) -> Void = { _ in }
  ) async throws -> ReachabilityVerification.Report {
    try await VerificationRun(verification, on: path, over: SystemTransport(monitor: self))(
      reporting: progress)
  }

  /// Returns the path and its verification over time: first the current path, not verified yet, then each change of
  /// either.
  ///
  /// Each iteration is a separate observation with its own verifications, which ends with its task. If statuses arrive
  /// faster than they are read, only the newest is kept. Two successive statuses are never equal.
  ///
  /// It verifies immediately, and again after each change of the network.
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
  ) -> some AsyncSequence<ReachabilityVerification.VerifiedStatus, Never> & Sendable {
    verifiedStatuses(
      of: verification, every: pause, settling: settling, over: SystemTransport(monitor: self))
  }

  package func verifiedStatuses(
    of verification: ReachabilityVerification, every pause: Duration? = nil, settling: Duration,
    over transport: any VerificationTransport
  ) -> VerifiedStatuses {
    VerifiedStatuses(
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
  /// - Returns: The observation, which ends when it is cancelled or released.
  public func observeVerification(
    _ verification: ReachabilityVerification, every pause: Duration? = nil,
    settling: Duration = .milliseconds(500),
    on queue: DispatchQueue, handler: @escaping @Sendable (ReachabilityVerification.VerifiedStatus) -> Void
  ) -> ReachabilityObservation {
    ReachabilityObservation(
      of: verifiedStatuses(of: verification, every: pause, settling: settling), on: queue, handler: handler)
  }

  /// Calls a handler on the main actor with the current path, not verified yet, then with each change of the path or of
  /// its verification.
  ///
  /// - Parameters:
  ///   - verification: The endpoints to contact, with the answers to expect.
  ///   - pause: The time from the end of each verification to the next one without a change of the network; `nil` to
  ///     verify only after changes. The minimum is 100 ms.
  ///   - settling: The time without changes of the network before the next verification.
  ///   - actor: The main actor, `MainActor.self`.
  ///   - handler: The handler to call, with one status after the other, in order.
  /// - Returns: The observation, which ends when it is cancelled or released.
  public func observeVerification(
    _ verification: ReachabilityVerification, every pause: Duration? = nil,
    settling: Duration = .milliseconds(500), on actor: MainActor.Type,
    handler: @escaping @MainActor (ReachabilityVerification.VerifiedStatus) -> Void
  ) -> ReachabilityObservation {
    observeVerification(verification, every: pause, settling: settling, on: .main) { status in
      MainActor.assumeIsolated { handler(status) }
    }
  }
}
