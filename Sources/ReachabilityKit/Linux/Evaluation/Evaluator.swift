// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

/// Turns the answers of the routing tables and the states of links into statuses.
///
/// Pure: missing answers are part of the result. One call with all answers returns the status, and a test needs no
/// kernel.
package struct Evaluator: Sendable {
  package enum Verdict: Equatable, Sendable {
    case known(Evaluation)
    /// These queries must be answered first.
    case ask([RouteRequest])
    /// An answer names a link that the state does not have.
    case unknownLink(Int32)
  }

  /// The delay before the next query after the kernel could not answer.
  static let retryInterval: Duration = .seconds(1)

  /// The link, address and rule tables.
  var network: NetworkState
  /// Whether the status is observed, so that its lifetime matters.
  var isWatching: Bool
  /// Whether IPv6 sockets can be bound to addresses that no interface has (`ip_nonlocal_bind`).
  ///
  /// For IPv4, the setting allows `bind` only: packets from such an address have no route.
  package var allowsAnySource = false
  /// What is known of IPsec policies.
  package var policies = PolicyKnowledge.none

  package init(network: NetworkState, isWatching: Bool = false) {
    self.network = network
    self.isWatching = isWatching
  }

  /// Returns the first query for a target without constraints, or `nil` for other targets.
  ///
  /// It equals the first query of ``evaluate(_:_:)``, at less cost.
  package static func soleQuestion(about target: ReachabilityTarget) -> RouteRequest? {
    guard case .address(let address) = target.destination, !address.needsZone, target.source == nil,
      target.interface == nil
    else { return nil }
    let question = RouteRequest(address, for: target)
    return question.isNeverSent ? nil : question
  }

  /// Evaluates the answers so far about a target.
  ///
  /// - Parameters:
  ///   - target: The target.
  ///   - answers: The answers so far.
  ///   - tunnels: The answers about the packets of tunnels, if they are kept separately.
  package func evaluate(
    _ target: ReachabilityTarget, _ answers: RouteAnswers, tunnels: RouteAnswers? = nil
  ) -> Verdict {
    var interface: Int32?
    if let constraint = target.interface {
      guard let index = network.index(of: constraint) else {
        return .known(Evaluation(.notReachable(.interfaceNotFound)))
      }
      interface = index
    }
    switch target.destination {
    case .address(let address):
      let question = RouteRequest(address, for: target, over: interface)
      return pastPolicies(
        throughTunnels(verdict(on: question, answers), tunnels ?? answers), question, given: answers)
    case .defaultRoute:
      return evaluateDefaultRoute(target, interface: interface, answers)
    case .host:
      // A host is evaluated by its addresses, once these are known.
      return .known(Evaluation(.unknown(.resolving)))
    }
  }
}

// MARK: - One address

extension Evaluator {
  func verdict(on question: RouteRequest, _ answers: RouteAnswers) -> Verdict {
    if question.isNeverSent { return .known(Evaluation(.notReachable(.notUnicast))) }
    if question.interface == nil, question.destination.needsZone || question.source?.needsZone == true {
      return .known(Evaluation(.notReachable(.zoneMissing)))
    }
    var questions = [question]
    var sourceQuestion: RouteRequest?
    if let source = question.source {
      let isAssigned =
        network.canSend(from: source, over: question.interface)
        || allowsAnySource && source.bitWidth == 128 && !source.isMulticast
      guard source.bitWidth == question.destination.bitWidth,
        isAssigned || source.bitWidth == 32 || network.lacksAddresses
      else { return .known(Evaluation(.notReachable(.sourceAddressMissing))) }
      // An IPv4 socket can also be bound to an address that has a local route, as addresses that could not be read
      // do.
      if !isAssigned {
        sourceQuestion = RouteRequest(source, interface: source.needsZone ? question.interface : nil)
        sourceQuestion?.sender = question.sender
      }
    }
    if let sourceQuestion { questions.append(sourceQuestion) }
    // Only the exact form contains the lifetime of an IPv6 route, whose end is announced up to half a minute late.
    if isWatching, question.destination.bitWidth == 128, answers.entry(for: question) == nil {
      questions.append(question.exact)
    }
    questions.removeAll { answers[$0] != nil }
    guard questions.isEmpty, let answer = answers[question] else { return .ask(questions) }
    if let sourceQuestion {
      let missing = Verdict.known(Evaluation(.notReachable(.sourceAddressMissing)))
      guard case .success(let reply)? = answers[sourceQuestion], reply.kind == .local, reply.isOfLocalTable
      else { return missing }
      if !reply.isOfLocalTableAlone, sourceQuestion.destination.bitWidth == 32 {
        // The main table contains the local one until the namespace has its first rule.
        var own = sourceQuestion
        own.destination = "127.0.0.1"
        guard let answer = answers[own] else { return .ask([own]) }
        if case .success(let reply) = answer, reply.isOfLocalTableAlone { return missing }
      }
    }
    switch followUp(question, answer, given: answers) {
    case .none: return verdict(on: answer, to: question, for: question, answers)
    case .ask(let more): return .ask([more])
    case .decisive(let other, let answer):
      if answers.entry(for: other) == nil, isWatching, question.destination.bitWidth == 128 {
        return .ask([other.exact])
      }
      let used = question.source.map(answer.from) ?? answer
      let verdict = verdict(on: used, to: other, for: question, answers)
      // Another lookup decides only as long as the first one has its answer.
      guard case .success(let first)? = answers[question.exact], let end = first.lifetime,
        case .known(var evaluation) = verdict
      else { return verdict }
      evaluation.lifetime = min(evaluation.lifetime ?? end, end)
      return .known(evaluation)
    }
  }

  /// Evaluates the answer to the only query for a target without constraints.
  func verdict(on answer: RouteAnswer, to question: RouteRequest) -> Verdict {
    if case .ask(let more) = followUp(question, answer, given: RouteAnswers()) { return .ask([more]) }
    return pastPolicies(
      throughTunnels(verdict(on: answer, to: question, for: question, RouteAnswers()), RouteAnswers()),
      question, given: RouteAnswers())
  }

  /// Evaluates the decisive answer.
  ///
  /// - Parameters:
  ///   - question: The query in the form that a socket's packets use.
  ///   - original: The query for the target.
  func verdict(
    on answer: RouteAnswer, to question: RouteRequest, for original: RouteRequest, _ answers: RouteAnswers
  ) -> Verdict {
    switch answer {
    case .success(let reply): verdict(on: reply, to: question, for: original, answers)
    case .failure(.trouble): .known(Evaluation(.unknown(.systemError), lifetime: Self.retryInterval))
    case .failure(let refusal): .known(Evaluation(status(of: refusal, to: question)))
    }
  }

  private func status(of refusal: RouteRefusal, to question: RouteRequest) -> ReachabilityStatus {
    switch refusal {
    case .networkUnreachable: noRoute(to: question)
    case .hostUnreachable: .notReachable(.unreachableRoute)
    // A source that no route can have makes the query itself invalid.
    case .invalid where question.source.map { $0.isLoopback || $0.isMulticast } == true:
      .notReachable(.sourceAddressMissing)
    case .invalid: .notReachable(.blackhole)
    case .accessDenied: .notReachable(.prohibited)
    case .policy: .notReachable(.blockedByIPsec)
    case .noDevice: .notReachable(.interfaceNotFound)
    case .familyUnsupported: .notReachable(.noRoute)
    case .trouble: .unknown(.systemError)
    }
  }

  /// Returns the reason for a missing route, by the state of the interface that should have it.
  private func noRoute(to question: RouteRequest) -> ReachabilityStatus {
    let owners =
      if let index = question.interface {
        [network.links[index]].compactMap(\.self)
      } else if question.destination.isLoopback {
        network.links.values.filter { $0.interface.kind == .loopback }
      } else {
        network.owners(of: question.destination)
      }
    // With several owners, or one that is up, the interface is not the cause.
    guard owners.count == 1, let owner = owners.first else { return .notReachable(.noRoute) }
    return ReachabilityStatus(dead: owner) ?? .notReachable(.noRoute)
  }

  private func verdict(
    on reply: RouteMessage, to question: RouteRequest, for original: RouteRequest, _ answers: RouteAnswers
  ) -> Verdict {
    let exact = answers[question.exact]
    var exactReply: RouteMessage?
    if case .success(let reply)? = exact { exactReply = reply }
    let lifetime = exactReply?.lifetime

    if isDelivered(reply) {
      if let status = reply.interface.flatMap({ network.links[$0] }).flatMap(
        ReachabilityStatus.init(undelivering:))
      {
        return .known(Evaluation(status, lifetime: lifetime))
      }
      // The plain form names the loopback interface, whichever interface has the address.
      guard exact != nil else { return .ask([question.exact]) }
      let index = exactReply?.interface ?? reply.interface ?? 0
      guard let link = network.links[index] else { return .unknownLink(index) }
      var status = ReachabilityStatus.notReachable(.sourceAddressMissing, over: link.interface)
      if let source = question.source ?? reply.preferredSource {
        status = ReachabilityStatus(
          .reachable, flags: [.reachable, .isLocalAddress, .isDirect], interface: link.interface,
          source: source)
      }
      return .known(Evaluation(status, lifetime: lifetime))
    }

    // The kernel invents an on-link route for an IPv4 query with an interface and no route: it has no table.
    if reply.kind == .unicast, let index = question.interface, question.destination.bitWidth == 32,
      reply.table == 0, !network.hasNeighbour(question.destination, on: index)
    {
      return .known(Evaluation(noRoute(to: question)))
    }
    guard let index = reply.interface, let link = network.links[index] else {
      return .unknownLink(reply.interface ?? 0)
    }
    guard packets(to: question, mayLeaveBy: link) else {
      return .known(Evaluation(noRoute(to: question), lifetime: lifetime))
    }
    if reply.isDiscarded(question.destination, by: link) {
      return .known(Evaluation(.notReachable(.blackhole, over: link.interface), lifetime: lifetime))
    }
    if question.transport == .tcp, reply.isForDatagramsOnly(question.destination) {
      return .known(Evaluation(.notReachable(.notUnicast, over: link.interface), lifetime: lifetime))
    }
    let usesLink = reply.detour == nil
    let isCarried = link.carries(question.destination, via: reply.gateway)
    guard !usesLink || isCarried && exactReply?.isDeadEverywhere != true else {
      guard let exact else { return .ask([question.exact]) }
      let other: ReachabilityStatus.Reason = isCarried ? .noCarrier : .blackhole
      let dead = ReachabilityStatus(dead: link) ?? .notReachable(other, over: link.interface)
      return compareOtherFlows(original, dead: dead, exact: exact, answers, lifetime: lifetime)
    }
    let source = question.source ?? reply.preferredSource
    // The kernel reports `::1` on another route when all its addresses are tentative.
    let isOverLoopback = link.interface.kind == .loopback
    guard let source, !(source.isLoopback && question.source == nil && !isOverLoopback) else {
      return .known(
        Evaluation(.notReachable(.sourceAddressMissing, over: link.interface), lifetime: lifetime))
    }
    if let detour = reply.detour {
      return verdict(by: detour, question, from: source, answers, lifetime: lifetime)
    }
    return .known(
      Evaluation(reachable(over: link, gateway: reply.gateway, source: source), lifetime: lifetime))
  }

  /// Whether packets over a link leave by the interface of the query.
  ///
  /// Packets that are bound to a VRF leave by the link that the VRF's table names, or, without a route there, the
  /// main table.
  func packets(to question: RouteRequest, mayLeaveBy link: LinkState) -> Bool {
    guard let wanted = question.interface, wanted != link.index else { return true }
    // Packets that are bound to a bridge, or to another master, do not leave by the routes of a port.
    return network.links[wanted]?.interface.linkType == "vrf"
  }

  func reachable(over link: LinkState, gateway: ReachabilityAddress?, source: ReachabilityAddress?)
    -> ReachabilityStatus
  {
    var flags: ReachabilityStatus.Flags = [
      .reachable, .init(over: link.interface, isTransient: link.isTransient),
    ]
    if gateway == nil, !link.isPointToPoint { flags.insert(.isDirect) }
    return ReachabilityStatus(
      .reachable, flags: flags, interface: link.interface, gateway: gateway, source: source)
  }
}

extension RouteRequest {
  /// Whether `connect` refuses the destination before it looks a route up.
  fileprivate var isNeverSent: Bool { destination.isForDatagramsOnly && transport == .tcp }
}

extension RouteMessage {
  /// Whether the kernel discards the packets because the route leads to the loopback interface.
  ///
  /// IPv6 treats such a route as one that rejects (`fib6_is_reject`); IPv4 delivers the packets on this machine.
  func isDiscarded(_ destination: ReachabilityAddress, by link: LinkState) -> Bool {
    kind == .unicast && destination.bitWidth == 128 && link.interface.kind == .loopback
      && !destination.isLoopback
  }

  /// Whether TCP does not connect over the route.
  ///
  /// IPv4 goes by the kind of the route, which shows the broadcast addresses of networks; IPv6 by the address.
  fileprivate func isForDatagramsOnly(_ destination: ReachabilityAddress) -> Bool {
    destination.bitWidth == 32 && [.broadcast, .multicast].contains(kind)
  }
}
#endif
