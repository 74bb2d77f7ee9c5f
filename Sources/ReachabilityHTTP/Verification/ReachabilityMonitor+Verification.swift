public import Dispatch
public import ReachabilityKit

extension ReachabilityMonitor {
  /// Verifies once: asks the endpoints, up to 16 at the same time, until it is decided whether enough of them are as expected.
  ///
  /// This sends packets, to nobody but the endpoints, the network's own interface if one is given, proxies that the environment names
  /// and name servers. Neither the caller nor a thread of Swift's tasks is blocked. What is decided early ends early: the endpoints
  /// that are left are given up. That an endpoint does not answer is no error.
  ///
  /// Connections and requests are made in the network that the monitor is of; a simulated network has no connections, and requests go out
  /// by the real one. On Linux with glibc libcurl makes the requests, without `URLSession`, so that no answer can end the process. With
  /// Musl they are made by `URLSession`, always in the network of this process.
  ///
  /// - Parameters:
  ///   - verification: Whom to ask, and what to expect.
  ///   - isolation: The actor that `progress` is called on, by default the caller's.
  ///   - progress: Called with each outcome as soon as it is known.
  /// - Returns: What came of it; unknown only if there is nobody to ask.
  /// - Throws: `CancellationError` if the task is cancelled.
  public func verify(
    _ verification: ReachabilityVerification, isolation: isolated (any Actor)? = #isolation,
    progress: (ReachabilityVerification.Outcome) -> Void = { _ in }
  ) async throws -> ReachabilityVerification.Report {
    try await VerificationRun(verification, over: SystemTransport(monitor: self))(telling: progress)
  }

  /// Follows the path and what verifying finds: verifies at once, and again when the network has changed.
  ///
  /// What was found is out of date as soon as the path is seen to change, or the way to an endpoint or to the proxy that it is asked
  /// by, and what is under way is given up. A path that is back as it was before that was seen is no change. Names of endpoints
  /// are looked up every minute while somebody follows.
  ///
  /// - Parameters:
  ///   - verification: Whom to ask, and what to expect.
  ///   - pause: How long after the end of each time it is verified again though nothing has changed; `nil` for never. Less
  ///     than 100 ms counts as that.
  ///   - settling: How long the network must not have changed before it is verified again.
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

  /// Calls a handler with the present path, not verified yet, then with each change of the path or of what verifying finds.
  ///
  /// - Parameters:
  ///   - verification: Whom to ask, and what to expect.
  ///   - pause: How long after the end of each time it is verified again though nothing has changed; `nil` for never. Less
  ///     than 100 ms counts as that.
  ///   - settling: How long the network must not have changed before it is verified again.
  ///   - queue: Where the handler is called, with one status after the other, in order; a serial one.
  ///   - handler: What to call.
  /// - Returns: The observation, which ends when it is cancelled or let go.
  public func observeVerification(
    _ verification: ReachabilityVerification, every pause: Duration? = nil,
    settling: Duration = .milliseconds(500),
    on queue: DispatchQueue, handler: @escaping @Sendable (ReachabilityVerification.VerifiedStatus) -> Void
  ) -> ReachabilityVerification.Observation {
    ReachabilityVerification.Observation(
      of: verifiedStatuses(of: verification, every: pause, settling: settling), on: queue, handler: handler)
  }
}
