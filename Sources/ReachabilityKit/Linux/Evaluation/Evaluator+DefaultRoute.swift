// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

extension Evaluator {
  func evaluateDefaultRoute(
    _ target: ReachabilityTarget, interface: Int32?, _ answers: RouteAnswers
  ) -> Verdict {
    var questions: [RouteRequest] = []
    var best: Evaluation?
    for family in DefaultRoute.candidates
    where (target.source?.family ?? target.family ?? family[0].family) == family[0].family {
      let verdict = evaluateDefaultRoute(family, for: target, interface: interface, answers)
      let question = RouteRequest(family[0], for: target, over: interface)
      switch pastPolicies(throughTunnels(verdict, answers), question, given: answers) {
      case .ask(let more):
        questions += more
        // Its first answer mostly decides, so that the other family need not be asked.
        if more.allSatisfy({ $0.destination == family[0] }) { return .ask(questions) }
      case .known(let evaluation):
        let better = best.map { $0.better(evaluation) } ?? evaluation
        // No other family can be better.
        if questions.isEmpty, better.status.isReachable { return .known(better) }
        best = better
      case .unknownLink(let index): return .unknownLink(index)
      }
    }
    guard questions.isEmpty else { return .ask(questions) }
    return .known(best ?? Evaluation(.notReachable(.sourceAddressMissing)))
  }

  func evaluateDefaultRoute(
    _ family: [ReachabilityAddress], for target: ReachabilityTarget, interface: Int32?,
    _ answers: RouteAnswers
  ) -> Verdict {
    var statuses: [ReachabilityStatus] = []
    // Of packets that have a route which the kernel does not name.
    var unnamed: Verdict?
    for candidate in family {
      let question = RouteRequest(candidate, for: target, over: interface)
      // Alone: packets without a route match no entry.
      guard answers[question] != nil else { return .ask([question]) }
      let verdict = verdict(on: question, answers)
      guard case .known(let evaluation) = verdict else { return verdict }
      // Whatever entry matches, no packet has a source that is not assigned here, or that needs a zone.
      if target.source != nil, [.sourceAddressMissing, .zoneMissing].contains(evaluation.status.reason) {
        return verdict
      }
      var decisive = question
      if let answer = answers[question],
        case .decisive(let other, _) = followUp(question, answer, given: answers)
      {
        decisive = other
      }
      guard let exact = answers.entry(for: decisive) else { return .ask([decisive.exact]) }
      if case .success(let entry) = exact {
        if entry.isOfAnotherRoute(than: candidate) {
          if let unnamed { return unnamed }
          unnamed = beyondGateway(evaluation)
          continue
        }
        if entry.destinationLength > DefaultRoute.longestPrefix { continue }
        return unnamed ?? beyondGateway(evaluation)
      }
      statuses.append(evaluation.status)
      // Without the interface or the source, no other candidate gives another answer.
      if evaluation.status.reason?.isConclusive == true { return verdict }
      // No route at all, twice: there is no default route either.
      if statuses.filter({ $0.reason == .noRoute }).count == 2 { return verdict }
    }
    // The candidates have no routes of their own: without a name, the route of one is that of all.
    if let unnamed, !statuses.contains(where: { $0.reason == .noRoute }) { return unnamed }
    // If the same kind of route refuses each candidate, the default route refuses.
    guard statuses.count == family.count, Set(statuses.map(\.reason)).count == 1 else {
      return .known(Evaluation(.notReachable(.noRoute)))
    }
    return .known(Evaluation(statuses[0]))
  }

  /// Returns the verdict on the default route from the evaluation of one of its packets.
  private func beyondGateway(_ evaluation: Evaluation) -> Verdict {
    guard evaluation.status.endsAtGateway else { return .known(evaluation) }
    return .known(
      Evaluation(
        .notReachable(.sourceAddressMissing, over: evaluation.status.interface), lifetime: evaluation.lifetime
      ))
  }
}

extension ReachabilityStatus {
  /// Whether a router receives the packets and does not forward them: the source is a link-local IPv6 address (RFC 4291,
  /// 2.5.6), as long as the others are checked for duplicates or no router has advertised a prefix.
  package var endsAtGateway: Bool { isReachable && gateway != nil && source?.needsZone == true }
}

extension ReachabilityStatus.Reason {
  /// Whether it concerns the interface, the source or the system, whatever the destination.
  fileprivate var isConclusive: Bool {
    switch self {
    case .sourceAddressMissing, .zoneMissing, .interfaceNotFound, .interfaceDown, .noCarrier, .linkDormant,
      .systemError:
      true
    default: false
    }
  }
}

extension Evaluation {
  /// The better result of two families, the first if they are equally good; the shorter lifetime of both.
  fileprivate func better(_ other: Evaluation) -> Evaluation {
    var better = other.status.rank > status.rank ? other : self
    better.lifetime = [lifetime, other.lifetime].compactMap(\.self).min()
    return better
  }
}

extension Evaluator {
  /// Returns the query whose answer decided a target's status, in the form that a socket's packets use.
  ///
  /// - Parameter answers: The answers from which the status was evaluated.
  func decisiveQuestion(
    about target: ReachabilityTarget, _ status: ReachabilityStatus, _ answers: RouteAnswers
  ) -> RouteRequest? {
    let interface = target.interface.flatMap { network.index(of: $0) }
    func question(_ destination: ReachabilityAddress) -> RouteRequest {
      RouteRequest(destination, for: target, over: interface)
    }
    func decisive(_ question: RouteRequest) -> RouteRequest? {
      guard let answer = answers[question] else { return nil }
      if case .decisive(let other, _) = followUp(question, answer, given: answers) { return other }
      return question
    }
    switch target.destination {
    case .address(let address): return decisive(question(address))
    case .defaultRoute:
      let family = target.source?.family ?? target.family
      for candidate in DefaultRoute.candidates.first(where: { $0[0].family == family }) ?? [] {
        guard let decisive = decisive(question(candidate)) else { break }
        if case .success(let entry)? = answers[decisive.exact],
          entry.destinationLength > DefaultRoute.longestPrefix, !entry.isOfAnotherRoute(than: candidate)
        {
          continue
        }
        let own = pastPolicies(
          throughTunnels(verdict(on: question(candidate), answers), answers),
          question(DefaultRoute.candidates.first { $0.contains(candidate) }?[0] ?? candidate), given: answers)
        if case .known(let own) = own, own.status == status {
          return decisive
        }
      }
      return nil
    case .host: return nil
    }
  }
}
#endif
