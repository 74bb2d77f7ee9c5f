// SPDX-License-Identifier: Apache-2.0
/// A failed request, compared with the state of the network.
public struct ReachabilityFailure: Hashable, Sendable {
  /// How an error and the current state of the network agree.
  public enum Agreement: String, Hashable, Sendable, CaseIterable {
    /// The network explains the error: ``ReachabilityFailure/step`` is the step that failed.
    case confirmed
    /// The error is about the network, which has a different problem now.
    case otherTrouble
    /// The error is about the path from this machine, which has no problem now: another attempt may succeed.
    case recovered
    /// The path from this machine has no problem, and the error names none: the cause lies at the other end, or between.
    case beyond
    /// The error does not concern the network.
    case unrelated
    /// The state of the network could not be determined.
    case unknown
  }

  /// The cause that the error names.
  public var cause: ReachabilityFailure.Cause
  /// The explanation of the current state of the network.
  public var explanation: ReachabilityExplanation
  /// The step that the error agrees with, or `nil` if there is none.
  public var step: ReachabilityExplanation.Step?
  /// How the error and the network agree.
  public var agreement: Agreement
  /// The proxy that the request goes through, and that ``explanation`` is about; `nil` without one.
  public var proxy: ReachabilityTarget?
  /// The evidence of whether anything answers over the path of the request; `nil` if it says nothing about the error.
  public var evidence: TrafficEvidence?
  /// One sentence without its full stop.
  ///
  /// The text is English, for people, and may change. It contains names from outside.
  public var summary: String

  /// Creates a failure from its parts.
  public init(
    cause: ReachabilityFailure.Cause, explanation: ReachabilityExplanation,
    step: ReachabilityExplanation.Step?, agreement: Agreement,
    summary: String, proxy: ReachabilityTarget? = nil, evidence: TrafficEvidence? = nil
  ) {
    self.cause = cause
    self.explanation = explanation
    self.step = step
    self.agreement = agreement
    self.summary = summary
    self.proxy = proxy
    self.evidence = evidence
  }

  /// Compares the cause of an error with an explanation; it queries nothing.
  ///
  /// - Parameters:
  ///   - cause: The cause that the error names.
  ///   - explanation: The explanation of the network.
  ///   - proxy: The proxy that the request goes through, if `explanation` is about the path to it.
  ///   - evidence: The evidence about all connections over the path of the request. It counts only for an error that
  ///     may be a missing answer, while the status is *reachable*.
  public init(
    _ cause: ReachabilityFailure.Cause, _ explanation: ReachabilityExplanation,
    proxy: ReachabilityTarget? = nil, evidence: TrafficEvidence? = nil
  ) {
    let evidence = explanation.status.isReachable && cause.mayBeMissingAnswer ? evidence : nil
    let trouble = explanation.trouble(of: cause) ?? evidence?.troubleOfNetwork
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
      agreement = cause.isLocal ? .recovered : .beyond
    }
    let step = agreement == .confirmed ? trouble : nil
    self.init(
      cause: cause, explanation: explanation, step: step, agreement: agreement,
      summary: Self.summary(
        of: cause, agreement: agreement, step: step, explanation: explanation, proxy: proxy,
        evidence: evidence), proxy: proxy,
      evidence: evidence)
  }
}

extension ReachabilityExplanation {
  /// The step that fails, or may fail, and that can have this cause.
  fileprivate func trouble(of cause: ReachabilityFailure.Cause) -> Step? {
    switch status.state {
    case .unknown: return nil
    case .notReachable:
      // Later failures follow from the first one.
      guard let first = firstFailure, cause.steps.contains(first.kind) else {
        // The steps of the name servers precede that of the name, which they could not resolve.
        return steps.first { $0.kind == .name && $0.verdict == .failed && cause.steps.contains(.name) }
      }
      return first
    case .reachable:
      // Packets leave, but an unresponsive hop explains a missing answer. A server that alone is silent does not.
      return steps.first { step in
        step.verdict != .failed && step.problem != nil && cause.steps.contains(step.kind)
          && (step.kind != .traffic || evidence?.troubleOfNetwork != nil)
      }
    }
  }
}

extension TrafficEvidence {
  /// The step of a network in which nothing answers; `nil` if something does, or if that is not known.
  fileprivate var troubleOfNetwork: ReachabilityExplanation.Step? {
    verdict == .stalled && fault == .network ? step : nil
  }
}

extension ReachabilityFailure.Cause {
  /// Whether the cause may be that the other end does not answer.
  var mayBeMissingAnswer: Bool { [.timedOut, .connectionLost, .cannotConnect, .unclear].contains(self) }

  /// Whether the cause is about the path from this machine, and so is over when that path has no problem.
  ///
  /// A lost connection is not: a server that closes it has the same effect.
  fileprivate var isLocal: Bool {
    [.nameNotFound, .noRoute, .hostUnreachable, .sourceMissing, .prohibited].contains(self)
  }
}
