/// What a socket does beyond one look-up when it is connected.
extension Evaluator {
  /// What to make of the answer to a question.
  enum FollowUp {
    /// It is the last word.
    case none
    /// This must be answered first.
    case ask(RouteQuestion)
    /// What counts is the answer to this question.
    case decisive(RouteQuestion, RouteAnswer)
  }

  func followUp(_ question: RouteQuestion, _ answer: RouteAnswer, _ answers: RouteAnswers) -> FollowUp {
    if question.destination.bitWidth == 32 {
      guard let again = secondLookUp(question, answer) else { return .none }
      return use(again, answers)
    }
    if question.source != nil {
      return question.interface == nil ? .none : followUpBinding(question, answer, answers)
    }
    guard isLeak(answer, question) || isRouteMissing(answer, question) else { return .none }
    // An IPv6 socket for which there is no route takes the source that is best without one, and looks for a route for
    // packets from there: there are routes for some sources only (RFC 8028).
    guard let choice = answers[question.sourceChoice] else { return .ask(question.sourceChoice) }
    guard case .route(let chosen) = choice, let source = chosen.source else { return .none }
    let again = use(question.from(source), answers)
    // With a source, the interface is a wish: what is delivered here is none of its routes.
    if question.interface != nil, isRouteMissing(answer, question),
      case .decisive(_, .route(let reply)) = again, isDelivered(reply)
    {
      return .none
    }
    return again
  }

  private func isRouteMissing(_ answer: RouteAnswer, _ question: RouteQuestion) -> Bool {
    // The source is that of a UDP socket, which rules for TCP do not refuse; and with a source, the interface is a wish.
    guard case .refused(let refusal) = answer, question.transport != .tcp || question.interface == nil else {
      return false
    }
    return refusal.isOfRoutes && network.hasSourceBeyondLink
  }

  /// Whether packets that are bound to a VRF leave by a link outside of it: their source is still one of the VRF.
  private func isLeak(_ answer: RouteAnswer, _ question: RouteQuestion) -> Bool {
    guard case .route(let reply) = answer, let wanted = question.interface, reply.interface != wanted,
      network.links[wanted]?.interface.linkType == "vrf",
      let link = reply.interface.flatMap({ network.links[$0] })
    else { return false }
    return link.master != wanted
  }

  private func use(_ question: RouteQuestion, _ answers: RouteAnswers) -> FollowUp {
    answers[question].map { .decisive(question, $0) } ?? .ask(question)
  }

  /// The look-up that an IPv4 socket makes with the source that the first one names, unless it says the same.
  private func secondLookUp(_ question: RouteQuestion, _ answer: RouteAnswer) -> RouteQuestion? {
    guard question.source == nil, case .route(let reply) = answer, let source = reply.source else {
      return nil
    }
    // Packets to an address of this machine come from it, but a route can say that of addresses that are not; and a
    // route that names a source may outlive it, outside of the main table.
    let isForeign = !network.isAssigned(source, likelyOn: reply.interface)
    // To everybody on a link, they are sent over the source's link, without a route.
    let isForAll = question.interface == nil && question.destination.isForAll
    // The second look-up has another hash, so that of several next hops it may choose another one, dead or alive.
    // The kernel may call a next hop one for multicasts that it last kept for these.
    let isRoute = reply.table != 0 && [.unicast, .multicast].contains(reply.kind)
    let isDead = isRoute && mayBeDead(reply.interface)
    guard isForeign || isForAll || isDead || network.sourceRules.contains(where: { $0.applies(to: source) })
    else {
      return nil
    }
    return question.from(source)
  }

  private func mayBeDead(_ index: Int32?) -> Bool {
    network.mayHaveDeadHops || index.flatMap { network.links[$0] }.map { $0.condition != .up } ?? false
  }

  /// What to make of the answer about IPv6 packets from a source over an interface.
  ///
  /// With a source, the kernel's look-up takes an interface for a wish, and so may answer with a route, or an address,
  /// of another one. A socket that is bound to the interface gets what the look-up without the source answers.
  private func followUpBinding(
    _ question: RouteQuestion, _ answer: RouteAnswer, _ answers: RouteAnswers
  ) -> FollowUp {
    let bound = use(question.from(nil), answers)
    switch answer {
    case .route(let reply):
      var index = reply.interface
      if isDelivered(reply) {
        guard let exact = answers[question.exact] else { return .ask(question.exact) }
        if case .route(let reply) = exact, let own = reply.interface { index = own }
      }
      guard let link = index.flatMap({ network.links[$0] }), !packets(to: question, mayLeaveBy: link) else {
        return .none
      }
      return bound
    case .refused(let refusal):
      // Routes that refuse are on no interface, but rules refuse whatever a packet is bound to.
      let isRefusedByRule = network.sourceRules.contains { rule in
        rule.refuses && question.source.map(rule.applies) == true
      }
      guard refusal.isOfRoutes, !isRefusedByRule else { return .none }
      if case .decisive(_, .refused) = bound { return .none }
      return bound
    }
  }
}

extension IPAddress {
  /// Whether this is an IPv4 address for all who want to hear, or `255.255.255.255`.
  var isForAll: Bool {
    guard case .v4(let address) = self else { return false }
    return isMulticast || address.rawValue == .max
  }
}

extension RouteAnswer.Refusal {
  /// Whether it says something about the destination.
  fileprivate var isOfRoutes: Bool { ![.noDevice, .familyUnsupported, .trouble].contains(self) }
}

/// A policy rule that asks where packets come from.
package struct SourceRule: Hashable, Sendable {
  package var prefix: IPPrefix
  /// Whether the rule is for packets from elsewhere.
  package var isInverted: Bool
  /// Whether the rule is the end of all packets that it is for.
  package var refuses: Bool

  package init(_ prefix: IPPrefix, isInverted: Bool = false, refuses: Bool = false) {
    self.prefix = prefix
    self.isInverted = isInverted
    self.refuses = refuses
  }

  /// Whether the rule may be for packets from a source: rules ask for more than that.
  func applies(to source: IPAddress) -> Bool {
    isInverted ? prefix.address.bitWidth == source.bitWidth : prefix.contains(source)
  }
}
