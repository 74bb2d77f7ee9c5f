public import Foundation

/// What the network has to say about an error.
public struct ReachabilityFailure: Hashable, Sendable {
  /// How an error and the network of now go together.
  public enum Agreement: String, Hashable, Sendable, CaseIterable {
    /// The network says so too: ``ReachabilityFailure/step`` is what failed.
    case confirmed
    /// The error is about the network, which has another trouble now.
    case otherTrouble
    /// The error is about the way there, which is well now: trying again may work.
    case recovered
    /// The way there is well, and the error does not say otherwise: it is the other end's, or what lies between.
    case beyond
    /// The error says nothing of the network.
    case unrelated
    /// The network could not be asked.
    case unknown
  }

  /// What the error says went wrong.
  public var cause: ReachabilityFailure.Cause
  /// The network of now.
  public var explanation: ReachabilityExplanation
  /// The step that the error agrees with, or `nil` if there is none.
  public var step: ReachabilityExplanation.Step?
  /// How both go together.
  public var agreement: Agreement
  /// The proxy that the request goes through, whose way ``explanation`` is about; `nil` without one.
  public var proxy: ReachabilityTarget?
  /// One sentence without its full stop.
  ///
  /// English, for people, and may change; it holds names that come from outside.
  public var summary: String

  /// Makes an explanation of a failure.
  public init(
    cause: ReachabilityFailure.Cause, explanation: ReachabilityExplanation,
    step: ReachabilityExplanation.Step?, agreement: Agreement,
    summary: String, proxy: ReachabilityTarget? = nil
  ) {
    self.cause = cause
    self.explanation = explanation
    self.step = step
    self.agreement = agreement
    self.summary = summary
    self.proxy = proxy
  }

  /// Compares what an error says with the network; nothing is asked.
  ///
  /// - Parameters:
  ///   - cause: What the error says.
  ///   - explanation: The network.
  ///   - proxy: The proxy that the request goes through, if `explanation` is about the way to it.
  public init(
    _ cause: ReachabilityFailure.Cause, _ explanation: ReachabilityExplanation,
    proxy: ReachabilityTarget? = nil
  ) {
    let trouble = explanation.trouble(of: cause)
    let agreement: Agreement
    if cause == .insecure || cause == .cancelled || cause == .other {
      agreement = .unrelated
    } else if explanation.status.state == .unknown {
      agreement = .unknown
    } else if trouble != nil {
      agreement = .confirmed
    } else if explanation.status.state == .notReachable {
      agreement = .otherTrouble
    } else {
      agreement = cause.isOfWay ? .recovered : .beyond
    }
    let step = agreement == .confirmed ? trouble : nil
    self.init(
      cause: cause, explanation: explanation, step: step, agreement: agreement,
      summary: Self.summary(cause, agreement, step, explanation, proxy), proxy: proxy)
  }
}

extension ReachabilityExplanation {
  /// The step that fails, or may, and of which a cause can be.
  fileprivate func trouble(of cause: ReachabilityFailure.Cause) -> Step? {
    switch status.state {
    case .unknown: return nil
    case .notReachable:
      // What comes later is a consequence.
      guard let first = firstFailure, cause.steps.contains(first.kind) else {
        // The name servers come before the name that they could not be asked for.
        return steps.first { $0.kind == .name && $0.verdict == .failed && cause.steps.contains(.name) }
      }
      return first
    case .reachable:
      // Packets do leave; but what did not answer is why nobody does.
      return steps.first { $0.verdict != .failed && $0.problem != nil && cause.steps.contains($0.kind) }
    }
  }
}

extension ReachabilityFailure.Cause {
  /// Whether it is about the way from here, so that it is over when that is well.
  ///
  /// A connection that broke off is not: a server that closes it does the same.
  fileprivate var isOfWay: Bool {
    [.nameNotFound, .noRoute, .hostUnreachable, .sourceMissing, .prohibited].contains(self)
  }

  /// What the error says, as the beginning of a sentence.
  fileprivate func words(for proxy: ReachabilityTarget?) -> String {
    switch value {
    case .nameNotFound: "the name could not be looked up"
    case .noRoute: "there was no way into the network"
    case .hostUnreachable: "the host could not be reached"
    case .sourceMissing: "there was no address to send from"
    case .prohibited: "sending was forbidden"
    case .refused: "the \(proxy == nil ? "server" : "proxy") refused the connection"
    case .cannotConnect: "no connection came about"
    case .timedOut: "nobody answered in time"
    case .connectionLost: "the connection broke off"
    case .insecure: "the secure connection failed"
    case .cancelled: "the request was cancelled"
    case .unclear: "the request failed"
    case .other: "the request failed for a reason of its own"
    }
  }
}

extension ReachabilityFailure {
  private static func summary(
    _ cause: ReachabilityFailure.Cause, _ agreement: Agreement, _ step: ReachabilityExplanation.Step?,
    _ explanation: ReachabilityExplanation,
    _ proxy: ReachabilityTarget?
  ) -> String {
    func sentence(_ step: ReachabilityExplanation.Step?) -> String {
      let text = step.map { $0.problem ?? $0.fact } ?? explanation.summary
      return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
    let words =
      (proxy.map { "requests go through the proxy at \($0.authority), and " } ?? "") + cause.words(for: proxy)
    let way = proxy == nil ? "the way out of this machine" : "the way to the proxy"
    switch agreement {
    case .confirmed: return "\(words), and this is why: \(sentence(step))"
    case .otherTrouble:
      return "\(words), and the network has another trouble now: \(sentence(explanation.firstFailure))"
    case .recovered: return "\(words), but nothing is in the way any more: it is back, try again"
    case .beyond where cause == .refused:
      return
        "nothing of the network's is wrong: \(words), so nothing listens at that port, or a firewall refuses"
    case .beyond where cause == .timedOut:
      return
        "\(words), and nothing is wrong with \(way): the host is down or busy, or something drops packets"
    case .beyond where cause == .connectionLost:
      return
        "\(words), and nothing is wrong with \(way) now: the network was away, or the other end closed it"
    case .beyond:
      return
        "\(words), and nothing is wrong with \(way): see to the \(proxy == nil ? "" : "proxy or the ")server"
    case .unrelated: return "\(words), which says nothing of the network"
    case .unknown: return "\(words), and what the network is like is not known: \(sentence(nil))"
    }
  }
}

extension ReachabilityTarget {
  /// The host and port of a proxy, such as `proxy.example:3128`.
  fileprivate var authority: String {
    let text = description
    return text.firstRange(of: "://").map { String(text[$0.upperBound...]) } ?? text
  }
}

extension ReachabilityMonitor {
  /// Says which part of the network an error agrees with, if any: why a request failed, or whether it may work now.
  ///
  /// What the network is like now is asked as by `firstKnownExplanation(of:)`; no packet is sent, but a name is looked up. The error
  /// may be older: if nothing is in the way any more, the agreement is `recovered`.
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
  ///   - error: What a request for the URL threw: a `URLError`, a `POSIXError`, or one with such an error below it.
  ///   - url: What was requested; of it the host counts, or the proxy that requests of it go through, as
  ///     ``ReachabilityTarget/init(ofRequestsTo:)`` says.
  /// - Throws: `ReachabilityTargetError` if the URL has no host, and `CancellationError` if the task is cancelled.
  public func explain(_ error: any Error, for url: URL) async throws -> ReachabilityFailure {
    try await explain(ReachabilityFailure.Cause(error), for: url)
  }

  /// Does the same for an error number of this system, as in `errno`.
  public func explain(errorNumber: Int32, for url: URL) async throws -> ReachabilityFailure {
    try await explain(ReachabilityFailure.Cause(errorNumber: errorNumber), for: url)
  }

  private func explain(_ cause: ReachabilityFailure.Cause, for url: URL) async throws -> ReachabilityFailure {
    let proxy = ProxySettings.current.proxy(of: url)
    return ReachabilityFailure(
      cause, try await firstKnownExplanation(of: proxy ?? ReachabilityTarget(url.absoluteString)),
      proxy: proxy)
  }
}
