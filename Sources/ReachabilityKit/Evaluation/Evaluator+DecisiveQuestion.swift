extension Evaluator {
  /// Returns the query whose answer decided a target's status, in the form that a socket's packets use.
  ///
  /// - Parameter answers: The answers from which the status was evaluated.
  func decisiveQuestion(
    about target: ReachabilityTarget, _ status: ReachabilityStatus, _ answers: RouteAnswers
  ) -> RouteQuestion? {
    let interface = target.interface.flatMap { network.index(of: $0) }
    func question(_ destination: IPAddress) -> RouteQuestion {
      RouteQuestion(destination, for: target, over: interface)
    }
    func decisive(_ question: RouteQuestion) -> RouteQuestion? {
      guard let answer = answers[question] else { return nil }
      if case .decisive(let other, _) = followUp(question, answer, answers) { return other }
      return question
    }
    switch target.destination {
    case .address(let address): return decisive(question(address))
    case .defaultRoute:
      let family = target.source?.family ?? target.family
      for candidate in Self.defaultCandidates.first(where: { $0[0].family == family }) ?? [] {
        guard let decisive = decisive(question(candidate)) else { break }
        if case .route(let reply)? = answers[decisive.exact], reply.prefixLength > Self.longestDefaultPrefix {
          continue
        }
        let own = pastPolicies(
          throughTunnels(verdict(on: question(candidate), answers), answers),
          question(Self.defaultCandidates.first { $0.contains(candidate) }?[0] ?? candidate), answers)
        if case .known(let own) = own, own.status == status {
          return decisive
        }
      }
      return nil
    case .host: return nil
    }
  }
}
