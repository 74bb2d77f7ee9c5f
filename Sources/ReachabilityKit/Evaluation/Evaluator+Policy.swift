/// What is known of IPsec policies that block packets.
package enum PolicyKnowledge: Hashable, Sendable {
  /// None was found.
  case none
  /// There may be some, and nothing announces their changes.
  case suspected
  /// There are some, whose changes are announced.
  case announced
}

extension Evaluator {
  /// Evaluates whether an IPsec policy blocks the packets of a reachable status.
  func pastPolicies(
    _ verdict: Verdict, _ question: @autoclosure () -> RouteQuestion,
    _ answers: @autoclosure () -> RouteAnswers
  ) -> Verdict {
    // Most machines have no policy.
    guard policies != .none, case .known(var evaluation) = verdict, evaluation.status.isReachable else {
      return verdict
    }
    let check = question().policyCheck
    guard let answer = answers()[check] else { return .ask([check]) }
    guard answer == .refused(.policy) else { return verdict }
    evaluation.status = .notReachable(.blockedByIPsec, over: evaluation.status.interface)
    if isWatching, policies == .suspected {
      evaluation.lifetime = min(evaluation.lifetime ?? Self.retryInterval, Self.retryInterval)
    }
    return .known(evaluation)
  }
}
