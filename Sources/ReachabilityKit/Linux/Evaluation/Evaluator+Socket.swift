// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

/// The lookups that `connect` makes beyond the first one.
extension Evaluator {
  /// The consequence of the answer to a query.
  enum FollowUp {
    /// The answer is decisive.
    case none
    /// This query must be answered first.
    case ask(RouteRequest)
    /// The answer to another query is decisive.
    case decisive(RouteRequest, RouteAnswer)
  }

  func followUp(_ question: RouteRequest, _ answer: RouteAnswer, given answers: RouteAnswers) -> FollowUp {
    // Of tunnels, only those of UDP over IPv6 look up as sockets do.
    if question.sender == .tunnel, question.hasOtherProtocol || question.destination.bitWidth == 32 {
      return .none
    }
    if question.destination.bitWidth == 32 {
      if question.protocolNumber == nil, question.transport == .tcp, answer.isBroadcast {
        return followUpBroadcast(question, answers)
      }
      guard let again = secondLookUp(question, answer) else { return .none }
      return use(again, answers)
    }
    if question.source != nil {
      return question.interface == nil ? .none : followUpBinding(question, answer, given: answers)
    }
    guard isLeak(answer, question) || isRouteMissing(answer, question) else { return .none }
    // The source is that of a UDP socket. A TCP socket has the same, unless a rule makes its first lookup differ.
    if network.matchesTransports, question.interface != nil, question.transport == .tcp {
      let datagrams = question.over(.udp)
      guard let other = answers[datagrams] else { return .ask(datagrams) }
      guard other == answer else { return .none }
    }
    // An IPv6 socket without a route selects the best source without one, and looks up a route for packets from
    // there: some routes are for some sources only (RFC 8028).
    guard let choice = answers[question.sourceChoice] else { return .ask(question.sourceChoice) }
    guard case .success(let chosen) = choice, let source = chosen.preferredSource else { return .none }
    let again = use(question.from(source), answers)
    // With a source, the interface is a preference: a local delivery is none of its routes.
    if question.interface != nil, isRouteMissing(answer, question),
      case .decisive(_, .success(let reply)) = again, isDelivered(reply)
    {
      return .none
    }
    // The kernel caches the route of a next-hop object's packets. Once a route with that object is removed, it cannot
    // name the others (`inet6_rtm_getroute`), and sockets use them.
    if question.interface == nil, !network.matchesTransports, answer == .failure(.networkUnreachable),
      case .decisive(let other, .failure(.networkUnreachable)) = again
    {
      return .decisive(other, .failure(.trouble))
    }
    return again
  }

  /// Returns the consequence of a broadcast address, which only the answer shows: TCP cannot connect there, so a target
  /// without a protocol takes datagrams.
  private func followUpBroadcast(_ question: RouteRequest, _ answers: RouteAnswers) -> FollowUp {
    let datagrams = question.over(.udp)
    guard let answer = answers[datagrams] else { return .ask(datagrams) }
    if case .none = followUp(datagrams, answer, given: answers) { return .decisive(datagrams, answer) }
    return followUp(datagrams, answer, given: answers)
  }

  private func isRouteMissing(_ answer: RouteAnswer, _ question: RouteRequest) -> Bool {
    guard case .failure(let refusal) = answer else { return false }
    return refusal.isOfRoutes && network.hasSourceBeyondLink
  }

  /// Whether packets that are bound to a VRF leave by a link outside of it: their source is still one of the VRF.
  private func isLeak(_ answer: RouteAnswer, _ question: RouteRequest) -> Bool {
    guard case .success(let reply) = answer, let wanted = question.interface, reply.interface != wanted,
      network.links[wanted]?.interface.linkType == "vrf",
      let link = reply.interface.flatMap({ network.links[$0] })
    else { return false }
    return link.master != wanted
  }

  private func use(_ question: RouteRequest, _ answers: RouteAnswers) -> FollowUp {
    answers[question].map { .decisive(question, $0) } ?? .ask(question)
  }

  /// Returns the lookup that an IPv4 socket makes with the source of the first answer, unless its answer is the same.
  private func secondLookUp(_ question: RouteRequest, _ answer: RouteAnswer) -> RouteRequest? {
    guard question.source == nil, case .success(let reply) = answer, let source = reply.preferredSource else {
      return nil
    }
    // Packets to an address of this machine come from it, but a route can call other addresses local. And a route
    // that names a source may outlive it, outside of the main table.
    let isForeign = !network.isAssigned(source, likelyOn: reply.interface)
    // Multicasts and broadcasts are sent over the source's link, without a route.
    let isGroupOrBroadcast = question.interface == nil && question.destination.isGroupOrBroadcast
    // The second lookup has another hash, so it may select another of several next hops, dead or alive. The kernel
    // may report a next hop as multicast if it last cached it for multicasts.
    let isRoute = reply.table != 0 && [.unicast, .multicast].contains(reply.kind)
    let isDead = isRoute && mayBeDead(reply, to: question.destination)
    guard
      isForeign || isGroupOrBroadcast || isDead
        || network.sourceRules.contains(where: { $0.applies(to: source) })
    else {
      return nil
    }
    return question.from(source)
  }

  private func mayBeDead(_ reply: RouteMessage, to destination: ReachabilityAddress) -> Bool {
    network.mayHaveDeadHops
      || reply.interface.flatMap { network.links[$0] }.map { !$0.carries(destination, via: reply.gateway) }
        ?? false
  }

  /// Returns the consequence of the answer about IPv6 packets from a source over an interface.
  ///
  /// With a source, the kernel's lookup treats an interface as a preference, so it may answer with a route or an
  /// address of another one. A socket that is bound to the interface gets the answer to the lookup without the
  /// source.
  private func followUpBinding(
    _ question: RouteRequest, _ answer: RouteAnswer, given answers: RouteAnswers
  ) -> FollowUp {
    let bound = use(question.from(nil), answers)
    switch answer {
    case .success(let reply):
      var index = reply.interface
      if isDelivered(reply) {
        guard let exact = answers[question.exact] else { return .ask(question.exact) }
        if case .success(let reply) = exact, let own = reply.interface { index = own }
      }
      guard let link = index.flatMap({ network.links[$0] }), !packets(to: question, mayLeaveBy: link) else {
        return .none
      }
      guard case .decisive(_, .success) = bound else { return bound }
      return followUpGroup(question, answers) ?? bound
    case .failure(let refusal):
      // Routes that refuse have no interface, but rules refuse packets of any binding.
      let isRefusedByRule = network.sourceRules.contains { rule in
        rule.refuses && question.source.map(rule.applies) == true
      }
      guard refusal.isOfRoutes, !isRefusedByRule else { return .none }
      if case .decisive(_, .failure) = bound { return .none }
      return bound
    }
  }

  /// Returns the consequence of a group of next hops, of which the kernel uses any, whatever a socket is bound to.
  ///
  /// `nil` for other routes over another interface.
  private func followUpGroup(_ question: RouteRequest, _ answers: RouteAnswers) -> FollowUp? {
    guard let exact = answers[question.exact] else { return .ask(question.exact) }
    guard case .success(let entry) = exact, let object = entry.nextHopID else { return nil }
    let bound = question.from(nil).exact
    guard let other = answers[bound] else { return .ask(bound) }
    // Only a group has next hops over several interfaces.
    guard case .success(let route) = other, route.nextHopID == object else { return nil }
    if [entry, route].contains(where: { $0.isOfAnotherRoute(than: question.destination) }) {
      return FollowUp.none
    }
    let isSame = route.table == entry.table && route.destinationLength == entry.destinationLength
    return isSame ? FollowUp.none : nil
  }
}

extension RouteRefusal {
  /// Whether the refusal concerns the destination.
  fileprivate var isOfRoutes: Bool { ![.noDevice, .familyUnsupported, .trouble].contains(self) }
}

/// What is known of IPsec policies that block packets.
package enum PolicyKnowledge: Equatable, Sendable {
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
    _ verdict: Verdict, _ question: @autoclosure () -> RouteRequest,
    given answers: @autoclosure () -> RouteAnswers
  ) -> Verdict {
    // Most machines have no policy.
    guard policies != .none, case .known(var evaluation) = verdict, evaluation.status.isReachable else {
      return verdict
    }
    let check = question().policyCheck
    guard let answer = answers()[check] else { return .ask([check]) }
    guard answer == .failure(.policy) else { return verdict }
    evaluation.status = .notReachable(.blockedByIPsec, over: evaluation.status.interface)
    if isWatching, policies == .suspected {
      evaluation.lifetime = min(evaluation.lifetime ?? Self.retryInterval, Self.retryInterval)
    }
    return .known(evaluation)
  }
}
#endif
