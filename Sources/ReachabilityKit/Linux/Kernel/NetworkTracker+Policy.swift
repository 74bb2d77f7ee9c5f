#if os(Linux)
import Netlink

/// IPsec policies that block packets.
extension NetworkTracker {
  /// Changes what is known of policies; remembered evaluations follow from what was known before.
  mutating func know(_ knowledge: PolicyKnowledge) {
    guard knowledge != evaluator.policies else { return }
    evaluator.policies = knowledge
    memory.forgetAll()
  }

  /// Begins to listen for changes of policies where that is permitted.
  mutating func listenForPolicies() {
    guard sources != nil else { return }
    policies.listen()
    if let knowledge = policies.knowledge() { know(knowledge) }
  }

  /// Reads announced changes of policies; returns whether there were any.
  mutating func takePolicyNews() -> Bool {
    guard policies.isAnnounced, policies.takeNews() else { return false }
    know(policies.knowledge() ?? .suspected)
    return true
  }

  /// Answers whether a policy blocks packets.
  mutating func policyAnswer(to question: RouteQuestion) -> RouteAnswer {
    sources?.isBlocked(question) == true ? .refused(.policy) : .route(RouteReply())
  }

  /// Returns whether to evaluate again, with a check of each status, since a policy blocks one of those that were found
  /// reachable without.
  @inline(never)
  mutating func suspectsPolicy(_ reachable: (NetworkState, Int) -> RouteQuestion?, count: Int) -> Bool {
    guard sources != nil, evaluator.policies == .none, !policies.isAnnounced else { return false }
    var trials = 0
    for position in 0..<count {
      guard let question = reachable(evaluator.network, position), !policies.hasJustPassed(question) else {
        continue
      }
      trials += 1
      if trials > PolicyWatch.trials {
        if policies.hasNewBlocks() { return isSuspicious() }
        return false
      }
      if sources?.isBlocked(question) == true, isBlockCounted(question) { return isSuspicious() }
      policies.notePassed(question)
    }
    return false
  }

  /// Whether IPsec refuses a socket, and no program of the control group that refuses it with the same error.
  private mutating func isBlockCounted(_ question: RouteQuestion) -> Bool {
    guard let before = policies.counts() else { return true }
    _ = sources?.isBlocked(question)
    return policies.counts().map { $0.blocked > before.blocked } ?? true
  }

  private mutating func isSuspicious() -> Bool {
    know(.suspected)
    // The kernel's module may have been loaded with the first policy.
    if nextHops != nil { listenForPolicies() }
    return true
  }

  /// Forgets a suspicion once all statuses were checked and none is blocked.
  mutating func endSuspicion(isBlocked: @autoclosure () -> Bool) {
    guard evaluator.policies == .suspected, !isBlocked() else { return }
    policies.noteQuiet()
    know(.none)
  }

  /// Returns what an IPsec policy does to the packets of a target; `nil` if it lets them pass.
  mutating func ipsec(_ target: ReachabilityTarget, isBlocked: Bool) -> ExplanationFacts.IPsec? {
    let interface = target.interface.flatMap { networkState.index(of: $0) }
    var destination: IPAddress?
    switch target.destination {
    case .address(let address): destination = address
    case .defaultRoute: destination = Evaluator.defaultCandidates[target.family == .v6 ? 1 : 0][0]
    case .host: break
    }
    guard let destination, sources != nil else { return nil }
    let question = RouteQuestion(destination, for: target, over: interface)
    if !isBlocked {
      // The counter rises when a socket connects for which there is no state.
      guard let before = policies.counts() else { return nil }
      _ = sources?.isBlocked(question)
      guard let after = policies.counts(), after.stateless > before.stateless else { return nil }
    }
    return ExplanationFacts.IPsec(
      isBlocked: isBlocked, policies.policies(), for: question, from: target.source)
  }
}

extension NetworkState {
  /// Returns the question whether a policy blocks the packets of a reachable status.
  func policyQuestion(about target: ReachabilityTarget, _ status: ReachabilityStatus) -> RouteQuestion? {
    guard status.isReachable else { return nil }
    let interface = target.interface.flatMap { index(of: $0) }
    switch target.destination {
    case .address(let address): return RouteQuestion(address, for: target, over: interface)
    case .defaultRoute:
      let isIPv6 = (status.source ?? status.gateway)?.bitWidth == 128
      return RouteQuestion(Evaluator.defaultCandidates[isIPv6 ? 1 : 0][0], for: target, over: interface)
    case .host: return nil
    }
  }
}
#endif
