public import Foundation

extension ReachabilityMonitor {
  /// Explains why a request failed, and whether it may succeed now.
  ///
  /// The current state of the network is evaluated as by `firstKnownExplanation(of:)`. That sends no packets except
  /// the lookup of a name. The error may be older: if the network has no problem any more, the agreement is
  /// `recovered`.
  ///
  /// If an answer is missing while the status is *reachable*, this machine's own TCP traffic over the same path shows
  /// whether other peers answer: the fault is the server's, or the network's. See `evidence(for:)`.
  ///
  /// ```swift
  /// do {
  ///   (data, _) = try await URLSession.shared.data(from: url)
  /// } catch {
  ///   print(try await monitor.explain(error, for: url).summary)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - error: The error of a request for the URL: a `URLError`, a `POSIXError`, or an error with one of these below
  ///     it.
  ///   - url: The URL of the request. Its host counts, or the proxy that requests for it go through; see
  ///     ``ReachabilityTarget/init(ofRequestsTo:)``.
  /// - Throws: `ReachabilityTargetError` if the URL has no host, and `CancellationError` if the task is cancelled.
  public func explain(_ error: any Error, for url: URL) async throws -> ReachabilityFailure {
    try await failure(ReachabilityFailure.Cause(error), for: url)
  }

  /// Explains an error number of this system, as in `errno`, in the same way.
  public func explain(errorNumber: Int32, for url: URL) async throws -> ReachabilityFailure {
    try await failure(ReachabilityFailure.Cause(errorNumber: errorNumber), for: url)
  }

  private func failure(_ cause: ReachabilityFailure.Cause, for url: URL) async throws -> ReachabilityFailure {
    let proxy = ProxySettings.current.proxy(of: url)
    let target = try proxy ?? ReachabilityTarget(url.absoluteString)
    let explanation = try await firstKnownExplanation(of: target)
    let isEvidenceOfUse = cause.mayBeMissingAnswer && explanation.evidence != nil
    return ReachabilityFailure(
      cause, explanation, proxy: proxy, evidence: isEvidenceOfUse ? evidence(onPathTo: target) : nil)
  }
}
