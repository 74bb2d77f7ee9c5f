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
  /// One sentence without its full stop.
  ///
  /// The text is English, for people, and may change. It contains names from outside.
  public var summary: String

  /// Creates a failure from its parts.
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

  /// Compares the cause of an error with an explanation; it queries nothing.
  ///
  /// - Parameters:
  ///   - cause: The cause that the error names.
  ///   - explanation: The explanation of the network.
  ///   - proxy: The proxy that the request goes through, if `explanation` is about the path to it.
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
      agreement = cause.isLocal ? .recovered : .beyond
    }
    let step = agreement == .confirmed ? trouble : nil
    self.init(
      cause: cause, explanation: explanation, step: step, agreement: agreement,
      summary: Self.summary(cause, agreement, step, explanation, proxy), proxy: proxy)
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
      // Packets leave, but an unresponsive hop explains a missing answer.
      return steps.first { $0.verdict != .failed && $0.problem != nil && cause.steps.contains($0.kind) }
    }
  }
}

extension ReachabilityFailure.Cause {
  /// Whether the cause is about the path from this machine, and so is over when that path has no problem.
  ///
  /// A lost connection is not: a server that closes it has the same effect.
  fileprivate var isLocal: Bool {
    [.nameNotFound, .noRoute, .hostUnreachable, .sourceMissing, .prohibited].contains(self)
  }
}
