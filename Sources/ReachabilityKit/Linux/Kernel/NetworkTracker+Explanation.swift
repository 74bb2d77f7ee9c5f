// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

extension NetworkTracker {
  /// Gathers the facts of an explanation with everything announced so far.
  ///
  /// - Parameter targets: The targets that decide the status; the default route stands for that of each family.
  mutating func facts(about targets: [ReachabilityTarget], _ nameServers: [ReachabilityPath.NameServer]?)
    -> ExplanationFacts
  {
    let ways = targets.flatMap(\.partsByFamily)
    let facts = try? readConsistently { tracker throws(NetlinkError) in
      try tracker.gatherFacts(ways, nameServers)
    }
    return facts
      ?? ExplanationFacts(targets.map { .init(target: $0, evaluation: Evaluation(.unknown(.systemError))) })
  }

  private mutating func gatherFacts(
    _ targets: [ReachabilityTarget], _ nameServers: [ReachabilityPath.NameServer]?
  ) throws(NetlinkError) -> ExplanationFacts {
    var rules: [ReachabilityAddress.Family: [Rule]] = [:]
    for family in [ReachabilityAddress.Family.v4, .v6] {
      // A kernel without rules refuses.
      let listing = try? client.rules(family == .v4 ? .ipv4 : .ipv6)
      if let listing, listing.isComplete { rules[family] = listing.entries.map(UserNamespace.resolve) }
    }
    readSettings(for: targets)
    // Only then does a list of routes say more about a missing one, and it may be long.
    let mayBeSuppressed = rules.values.joined().contains { $0.suppressedPrefixLength != nil }
    var paths: [PathFacts] = []
    for target in targets { paths.append(try way(of: target, mayBeSuppressed: mayBeSuppressed)) }
    let servers = nameServers?.map { (server: $0, status: evaluate($0.target).status) }
    var lostServers: [ReachabilityPath.NameServer: PathFacts] = [:]
    for (server, status) in servers ?? [] where status.state == .notReachable {
      lostServers[server] = try way(of: server.target)
    }
    return ExplanationFacts(
      paths,
      TableFacts(
        network: networkState, rules: rules, userID: SocketUser.effective, radioBlocks: radioBlocks()),
      nameServers: servers, lostServers: lostServers)
  }

  /// The blocks of unused radios; where they can't be read, only the advice is missing.
  private mutating func radioBlocks() -> [Int32: RadioBlock] {
    let radios = networkState.links.filter { _, link in
      link.condition != .up && [.wifi, .cellular, .bluetooth].contains(link.interface.kind)
    }
    guard !radios.isEmpty, let messages = (try? client.links())?.entries else { return [:] }
    var blocks: [Int32: RadioBlock] = [:]
    for message in messages {
      guard let radio = radios[message.index] else { continue }
      blocks[message.index] = RadioSwitches().block(of: message, radio.interface.kind)
    }
    return blocks
  }

  /// Evaluates a target, and looks up what else belongs to the decisive answer.
  private mutating func way(
    of target: ReachabilityTarget, depth: Int = 0, mayBeSuppressed: Bool = false
  ) throws(NetlinkError) -> PathFacts {
    // Each explained status is checked.
    let knowledge = tables.evaluator.policies
    if sources != nil, knowledge == .none { know(.suspected) }
    defer { know(knowledge) }
    var inquiry = StatusInquiry(target)
    inquiry.needsAnswers = true
    tables.evaluator.isWatching = false
    try resolve(&inquiry)
    var way = PathFacts(target: target, evaluation: inquiry.evaluation ?? tables.evaluator.unknown)
    if !way.status.underlays.isEmpty {
      way.routedStatus = tables.evaluator.routedStatus(of: target, inquiry.answers)
      if let remote = remote(of: way.status), way.status.reason != .tunnelLoop, depth < Self.tunnelLimit {
        way.remote = [try self.way(of: remote, depth: depth + 1)]
      }
    }
    if way.status.isReachable || way.status.reason == .blockedByIPsec {
      way.ipsec = ipsec(target, isBlocked: !way.status.isReachable)
      if !way.status.isReachable {
        way.routedStatus = tables.evaluator.routedStatus(of: target, inquiry.answers)
      }
    }
    way.question = tables.evaluator.decisiveQuestion(about: target, way.status, inquiry.answers)
    guard let question = way.question else { return way }
    way.answer = inquiry.answers[question]
    way.entry = inquiry.answers.entry(for: question)
    if way.entry == nil { way.entry = try lookUp(question.exact) }
    if way.route?.destinationLength == 1, let half = question.otherHalf { way.otherHalf = try lookUp(half) }
    if let (hop, link) = PathExplainer.neighbour(of: way, networkState) {
      way.neighbour = neighbour(hop, on: link.index)
    } else if let route = way.route,
      route.kind.isHere || route.interface.flatMap({ networkState.links[$0] })?.isPointToPoint == true
    {
      way.neighbour = .fixed
    }
    if case .failure(let refusal)? = way.answer,
      refusal.isOfRoutes || mayBeSuppressed && refusal == .networkUnreachable
    {
      let routes = try? client.routes(to: question.destination)
      // Routes that changed meanwhile prove nothing.
      if let routes, routes.isComplete, try lookUp(question) == way.answer {
        way.routes = routes.entries
      }
    }
    return way
  }

  /// The number of tunnels in each other that are explained.
  private static var tunnelLimit: Int { 4 }

  /// Returns the target of the packets of the tunnel that a status leaves by.
  private func remote(of status: ReachabilityStatus) -> ReachabilityTarget? {
    guard let index = status.interface.flatMap({ Int32(exactly: $0.index) }),
      let question = tables.evaluator.tunnel(under: index).flatMap({ networkState.tunnels[$0] })
    else { return nil }
    return ReachabilityTarget(
      .address(question.destination), source: question.source,
      interface: question.interface.map { .index(Int($0)) }, mark: question.mark,
      transport: question.givenTransport, port: question.destinationPort)
  }

  private mutating func neighbour(_ address: ReachabilityAddress, on index: Int32)
    -> ExplanationFacts.Neighbour
  {
    do throws(NetlinkError) {
      return try client.neighbour(address, on: index).map { .init($0.state) } ?? .absent
    } catch {
      // A kernel older than 5.0 does not support the query.
      return .unknown
    }
  }
}

extension RouteRefusal {
  /// Whether a route may be the cause: its kind is blackhole, unreachable or prohibit.
  fileprivate var isOfRoutes: Bool { [.invalid, .hostUnreachable, .accessDenied].contains(self) }
}

/// IPsec policies that block packets.
extension NetworkTracker {
  /// Changes what is known of policies; remembered evaluations follow from what was known before.
  mutating func know(_ knowledge: PolicyKnowledge) {
    guard knowledge != tables.evaluator.policies else { return }
    tables.evaluator.policies = knowledge
    tables.cache.removeAll()
  }

  /// Begins to listen for changes of policies where that is permitted.
  mutating func listenForPolicies() {
    guard sources != nil else { return }
    policies.listen()
    if let knowledge = policies.knowledge() { know(knowledge) }
  }

  /// Reads announced changes of policies; returns whether there were any.
  mutating func readPolicyChange() -> Bool {
    guard policies.isAnnounced, policies.readChange() else { return false }
    know(policies.knowledge() ?? .suspected)
    return true
  }

  /// Answers whether a policy blocks packets.
  mutating func policyAnswer(to question: RouteRequest) -> RouteAnswer {
    sources?.isBlocked(question) == true ? .failure(.policy) : .success(RouteMessage())
  }

  /// Returns whether to evaluate again, with a check of each status, since a policy blocks one of those that were found
  /// reachable without.
  @inline(never)
  mutating func suspectsPolicy(_ reachable: (NetworkState, Int) -> RouteRequest?, count: Int) -> Bool {
    guard sources != nil, tables.evaluator.policies == .none, !policies.isAnnounced else { return false }
    var trials = 0
    for position in 0..<count {
      guard let question = reachable(tables.evaluator.network, position), !policies.hasJustPassed(question)
      else {
        continue
      }
      trials += 1
      if trials > PolicyWatch.trials {
        if policies.hasNewBlocks() { return isSuspicious() }
        return false
      }
      if sources?.isBlocked(question) == true, isBlockCounted(question) { return isSuspicious() }
      policies.recordPassed(question)
    }
    return false
  }

  /// Whether IPsec refuses a socket, and no program of the control group that refuses it with the same error.
  private mutating func isBlockCounted(_ question: RouteRequest) -> Bool {
    guard let before = policies.counts() else { return true }
    _ = sources?.isBlocked(question)
    return policies.counts().map { $0.blocked > before.blocked } ?? true
  }

  private mutating func isSuspicious() -> Bool {
    know(.suspected)
    // The kernel's module may have been loaded with the first policy.
    if tables.nextHops != nil { listenForPolicies() }
    return true
  }

  /// Forgets a suspicion once all statuses were checked and none is blocked.
  mutating func clearSuspectedPolicies(isBlocked: @autoclosure () -> Bool) {
    guard tables.evaluator.policies == .suspected, !isBlocked() else { return }
    policies.recordQuiet()
    know(.none)
  }

  /// Returns what an IPsec policy does to the packets of a target; `nil` if it lets them pass.
  mutating func ipsec(_ target: ReachabilityTarget, isBlocked: Bool) -> PathFacts.IPsec? {
    let interface = target.interface.flatMap { networkState.index(of: $0) }
    var destination: ReachabilityAddress?
    switch target.destination {
    case .address(let address): destination = address
    case .defaultRoute: destination = DefaultRoute.candidates[target.family == .v6 ? 1 : 0][0]
    case .host: break
    }
    guard let destination, sources != nil else { return nil }
    let question = RouteRequest(destination, for: target, over: interface)
    if !isBlocked {
      // The counter rises when a socket connects for which there is no state.
      guard let before = policies.counts() else { return nil }
      _ = sources?.isBlocked(question)
      guard let after = policies.counts(), after.stateless > before.stateless else { return nil }
    }
    return PathFacts.IPsec(
      isBlocked: isBlocked, policies.policies(), for: question, from: target.source)
  }
}

extension NetworkState {
  /// Returns the question whether a policy blocks the packets of a reachable status.
  func policyQuestion(about target: ReachabilityTarget, _ status: ReachabilityStatus) -> RouteRequest? {
    guard status.isReachable else { return nil }
    let interface = target.interface.flatMap { index(of: $0) }
    switch target.destination {
    case .address(let address): return RouteRequest(address, for: target, over: interface)
    case .defaultRoute:
      let isIPv6 = (status.source ?? status.gateway)?.bitWidth == 128
      return RouteRequest(DefaultRoute.candidates[isIPv6 ? 1 : 0][0], for: target, over: interface)
    case .host: return nil
    }
  }
}
#endif
