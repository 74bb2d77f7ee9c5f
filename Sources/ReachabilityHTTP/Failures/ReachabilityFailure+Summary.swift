// SPDX-License-Identifier: Apache-2.0
public import Foundation

extension ReachabilityFailure {
  /// One sentence without its full stop, for people.
  static func summary(
    of cause: ReachabilityFailure.Cause, agreement: Agreement, step: ReachabilityExplanation.Step?,
    explanation: ReachabilityExplanation, proxy: ReachabilityTarget?, evidence: TrafficEvidence?
  ) -> String {
    func sentence(_ step: ReachabilityExplanation.Step?) -> String {
      let text = step.map { $0.problem ?? $0.fact } ?? explanation.summary
      return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
    let words =
      (proxy.map { "requests go through the proxy at \($0.authority), and " } ?? "") + cause.words(for: proxy)
    let path = proxy == nil ? "the path from this machine" : "the path to the proxy"
    switch agreement {
    case .confirmed: return "\(words); cause: \(sentence(step))"
    case .otherTrouble:
      return "\(words), and the network has a different problem now: \(sentence(explanation.firstFailure))"
    case .recovered: return "\(words), but the network has recovered: try again"
    case .beyond where evidence?.isAnsweringNow == true:
      let isHostAnswering = explanation.evidence?.isAnsweringNow == true
      return "\(words), and \(path) has no problem: "
        + cause.words(whereOthersAnswer: proxy == nil ? "server" : "proxy", isHostAnswering)
    case .beyond where cause == .refused:
      return
        "\(words), and \(path) has no problem: nothing listens on that port, or a firewall rejects the connection"
    case .beyond where cause == .timedOut:
      return "\(words), and \(path) has no problem: the host is down or busy, or packets are dropped"
    case .beyond where cause == .connectionLost:
      return
        "\(words), and \(path) has no problem now: the network was down, or the other end closed the connection"
    case .beyond:
      return "\(words), and \(path) has no problem: check the \(proxy == nil ? "" : "proxy or the ")server"
    case .unrelated: return "\(words), which does not concern the network"
    case .unknown: return "\(words), and the state of the network is unknown: \(sentence(nil))"
    }
  }
}

extension ReachabilityFailure.Cause {
  /// The cause as the beginning of a sentence.
  fileprivate func words(for proxy: ReachabilityTarget?) -> String {
    switch value {
    case .nameNotFound: "the name could not be resolved"
    case .noRoute: "there was no network or no route"
    case .hostUnreachable: "the host was unreachable"
    case .sourceMissing: "there was no source address"
    case .prohibited: "sending was prohibited"
    case .refused: "the \(proxy == nil ? "server" : "proxy") refused the connection"
    case .cannotConnect: "no connection was established"
    case .timedOut: "no answer arrived in time"
    case .connectionLost: "the connection was lost"
    case .insecure: "the secure connection failed"
    case .cancelled: "the request was cancelled"
    case .unclear: "the request failed"
    case .other: "the request failed for a different reason"
    }
  }

  /// The end of a sentence where other connections over the same path received something a moment ago.
  ///
  /// - Parameter isHostAnswering: Whether connections to the same host did.
  fileprivate func words(whereOthersAnswer end: String, _ isHostAnswering: Bool) -> String {
    switch value {
    case .timedOut where isHostAnswering:
      "the \(end)'s host answers TCP, so the service on it is busy or stuck"
    case .timedOut: "the network answers other connections, this \(end) does not"
    case .connectionLost:
      "the network answers other connections, so the other end probably closed this one"
    // A refusal is an answer, too, and the error does not name it.
    default: "the network answers other connections, so check the \(end)"
    }
  }
}

extension ReachabilityTarget {
  /// The host and port of a proxy, for example `proxy.example:3128`.
  fileprivate var authority: String {
    let text = description
    return text.firstRange(of: "://").map { String(text[$0.upperBound...]) } ?? text
  }
}

extension TrafficEvidence {
  /// Whether something was received in the last ten seconds.
  fileprivate var isAnsweringNow: Bool { verdict == .answering && strength == .strong }
}

extension ReachabilityMonitor {
  /// Explains why a request failed, and whether it may succeed now.
  ///
  /// The current state of the network is evaluated as by `explain(_:)`. That sends no packets except
  /// the lookup of a name. The error may be older: if the network has no problem any more, the agreement is
  /// `recovered`.
  ///
  /// If an answer is missing while the status is *reachable*, this machine's own TCP traffic over the same path shows
  /// whether other peers answer: the fault is the server's, or the network's. See `evidence(for:)`.
  ///
  /// ```swift
  /// let url = URL(string: "https://example.com/feed")!
  /// do {
  ///   let (data, _) = try await URLSession.shared.data(from: url)
  ///   print(data.count)
  /// } catch {
  ///   print(try await ReachabilityMonitor.shared.explain(error, for: url).summary)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - error: The error of a request for the URL: a `URLError`, a `POSIXError`, or an error with one of these below
  ///     it.
  ///   - url: The URL of the request. Its host counts, or the proxy that requests for it go through; see
  ///     ``ReachabilityTarget/init(_:)``.
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
    let explanation = try await explain(target)
    let isEvidenceOfUse = cause.mayBeMissingAnswer && explanation.evidence != nil
    return ReachabilityFailure(
      cause, explanation, proxy: proxy, evidence: isEvidenceOfUse ? evidence(onPathTo: target) : nil)
  }
}
