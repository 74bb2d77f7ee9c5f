// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

/// Turns the answers of the routing tables and the states of links into a path.
///
/// Pure: as with ``Evaluator``, missing answers are part of the result. The kernel's own choice decides whether the
/// path is satisfied. The routes of packets that are bound to an interface decide whether that interface can be used
/// too.
struct PathEvaluator: Sendable {
  enum Verdict: Equatable, Sendable {
    case known(PathEvaluation)
    /// These queries must be answered first.
    case ask([RouteRequest])
    /// The tables differ from the kernel's.
    ///
    /// An answer names a link that the tables lack, or reports that a link of theirs does not exist.
    case unknownLink(Int32)
  }

  private let evaluator: Evaluator
  private let nameServers: [ReachabilityPath.NameServer]

  /// Creates an evaluator.
  ///
  /// - Parameters:
  ///   - network: The link and address tables.
  ///   - isWatching: Whether the path is observed, so that its lifetime matters.
  ///   - nameServers: The configured name servers.
  ///   - policies: What is known of IPsec policies.
  init(
    network: NetworkState, isWatching: Bool = false, nameServers: [ReachabilityPath.NameServer] = [],
    policies: PolicyKnowledge = .none
  ) {
    var evaluator = Evaluator(network: network, isWatching: isWatching)
    evaluator.policies = policies
    self.evaluator = evaluator
    self.nameServers = nameServers
  }

  private var network: NetworkState { evaluator.network }

  /// Evaluates the answers so far.
  func evaluate(_ answers: PathAnswers) -> Verdict {
    var inquiry = Inquiry()
    let choice = routes(over: nil, answers, &inquiry)
    var candidates = Set(network.links.values.lazy.filter(isCandidate).map(\.index))
    for route in [choice.ipv4, choice.ipv6] { candidates.formUnion(route.interfaces) }
    candidates = candidates.filter { network.links[$0]?.canCarry == true }
    var bound: [Int32: Routes] = [:]
    for index in candidates { bound[index] = routes(over: index, answers, &inquiry) }
    let servers = nameServers.map { server in
      evaluation(
        inquiry.record(
          evaluator.evaluate(
            server.target, answers.bound(to: zone(of: server)), tunnels: answers.tunnels)))
    }

    if let index = inquiry.unknownLink { return .unknownLink(index) }
    guard inquiry.questions.isEmpty else { return .ask(inquiry.questions) }
    return .known(conclude(choice, bound: bound, servers: servers, lifetime: inquiry.lifetime))
  }

  private func evaluation(_ evaluation: Evaluation?) -> ReachabilityStatus {
    evaluation?.status ?? .unknown(.resolving)
  }

  private func zone(of server: ReachabilityPath.NameServer) -> Int32? {
    server.zone.flatMap { network.index(of: $0) }
  }

  /// Whether to query the routes of packets that are bound to a link.
  ///
  /// A link without a source address is skipped, so that thousands of containers' veth links cause no queries.
  private func isCandidate(_ link: LinkState) -> Bool {
    link.canCarry && (link.isPointToPoint || hasGlobalAddress(link))
  }

  private func hasGlobalAddress(_ link: LinkState) -> Bool {
    network.addresses[link.index]?.contains { !$0.address.isLinkLocal } ?? false
  }
}

/// The answers of the routing tables that a path evaluation has so far.
struct PathAnswers: Sendable {
  /// Separate for each interface, so that a search visits few answers however many interfaces there are.
  private var byInterface: [Int32: RouteAnswers] = [:]
  /// The answers about the packets of tunnels.
  private(set) var tunnels = RouteAnswers()

  init() {}

  subscript(question: RouteRequest) -> RouteAnswer? {
    get { question.sender == .tunnel ? tunnels[question] : byInterface[question.interface ?? 0]?[question] }
    set {
      if question.sender == .tunnel {
        tunnels[question] = newValue
      } else {
        byInterface[question.interface ?? 0, default: RouteAnswers()][question] = newValue
      }
    }
  }

  /// Returns the answers about packets that are bound to an interface, or to none.
  func bound(to interface: Int32?) -> RouteAnswers {
    byInterface[interface ?? 0] ?? RouteAnswers()
  }
}

// MARK: - The default routes of a scope

/// The open queries of an evaluation.
private struct Inquiry {
  var questions: [RouteRequest] = []
  var unknownLink: Int32?
  var lifetime: Duration?

  mutating func record(_ verdict: Evaluator.Verdict) -> Evaluation? {
    switch verdict {
    case .known(let evaluation):
      lifetime = [lifetime, evaluation.lifetime].compactMap(\.self).min()
      return evaluation
    case .ask(let more): questions += more
    case .unknownLink(let index): unknownLink = unknownLink ?? index
    }
    return nil
  }
}

/// The default route of one family.
private struct FamilyRoute {
  var status: ReachabilityStatus
  /// The matching entry.
  var entry: RouteMessage?

  /// Whether packets leave by it; packets that are delivered on this machine do not.
  var leaves: Bool { status.isReachable && !status.flags.contains(.isLocalAddress) }
  var interface: Int32? { status.interface.map { Int32($0.index) } }
  /// Why packets do not leave, or `nil` if they do.
  var reason: ReachabilityStatus.Reason? { leaves ? nil : status.reason ?? .noRoute }
  /// Every interface that the route names, whether or not packets leave by it.
  var interfaces: [Int32] { (interface.map { [$0] } ?? []) + (entry?.nextHops.map(\.interface) ?? []) }

  /// Returns the routers on an interface.
  func gateways(on index: Int32) -> [ReachabilityAddress] {
    guard leaves else { return [] }
    let hops =
      entry?.nextHops.filter { $0.interface == index && !$0.flags.isDown }.compactMap(\.gateway) ?? []
    if !hops.isEmpty { return hops }
    return interface == index ? status.gateway.map { [$0] } ?? [] : []
  }

  /// The kernel's order of preference: the longer prefix, then the lower metric.
  var rank: (Int, UInt32)? { leaves ? entry.map { (-Int($0.destinationLength), $0.metric) } : nil }
}

/// The default routes of both families, for packets that are bound to an interface or to none.
private struct Routes {
  var ipv4: FamilyRoute
  var ipv6: FamilyRoute

  var both: [FamilyRoute] { [ipv4, ipv6] }
  var rank: (Int, UInt32) { both.compactMap(\.rank).min(by: <) ?? (0, .max) }
  /// The status of the family that is closer to working.
  var better: ReachabilityStatus { ipv6.status.rank > ipv4.status.rank ? ipv6.status : ipv4.status }
}

extension PathEvaluator {
  private func routes(over index: Int32?, _ answers: PathAnswers, _ inquiry: inout Inquiry) -> Routes {
    let known = answers.bound(to: index)
    let families = DefaultRoute.candidates.map { family -> FamilyRoute in
      let verdict = evaluator.pastPolicies(
        evaluator.throughTunnels(
          evaluator.evaluateDefaultRoute(family, for: .defaultRoute, interface: index, known), answers.tunnels
        ),
        RouteRequest(family[0], for: .defaultRoute, over: index), given: known)
      guard let evaluation = inquiry.record(verdict) else { return FamilyRoute(status: .unknown(.resolving)) }
      if let index, evaluation.status.reason == .interfaceNotFound { inquiry.unknownLink = index }
      // The status was read from the first entry that represents the default route.
      let entries = family.lazy.compactMap { address -> RouteMessage? in
        let question = RouteRequest(address, interface: index, form: .entry)
        guard case .success(let entry)? = known[question],
          entry.destinationLength <= DefaultRoute.longestPrefix
        else { return nil }
        return entry
      }
      return FamilyRoute(status: evaluation.status, entry: entries.first)
    }
    return Routes(ipv4: families[0], ipv6: families[1])
  }
}

// MARK: - Conclusion

extension PathEvaluator {
  private func conclude(
    _ choice: Routes, bound: [Int32: Routes], servers: [ReachabilityStatus], lifetime: Duration?
  ) -> PathEvaluation {
    var usable: [(index: Int32, interface: ReachabilityPath.Interface)] = []
    for index in order(choice, bound) {
      guard let link = network.links[index], let own = bound[index],
        let interface = interface(link, own: own, choice: choice)
      else { continue }
      usable.append((index, interface))
    }
    let unusable = unusableInterfaces(bound, usable: Set(usable.map(\.index)))

    var path = ReachabilityPath(.satisfied, interfaces: usable.map(\.interface))
    if !choice.both.contains(where: \.leaves) {
      var reason = choice.better.reason ?? .noRoute
      // A missing route says less about the cause than the state of the interfaces.
      if reason == .noRoute, usable.isEmpty { reason = unusable.mostHopefulReason ?? reason }
      path.status = ReachabilityPath.Status(reason)
      path.reason = reason
      path.unusableInterfaces = unusable
    }
    path.reasonAgainstIPv4 = choice.ipv4.reason
    path.reasonAgainstIPv6 = choice.ipv6.reason
    path.isExpensive = path.interfaces.first?.isExpensive
    path.nameServers = zip(nameServers, servers).map { server, status in
      var server = server
      server.reason = status.isReachable ? nil : status.reason ?? .noRoute
      // A forwarder on this machine cannot reach other servers either.
      if server.address.isLoopback, server.reason == nil { server.reason = path.reason }
      return server
    }
    return PathEvaluation(path, unusable: unusable, loopback: loopback, lifetime: lifetime)
  }

  /// Returns the queried links in the kernel's order of preference.
  private func order(_ choice: Routes, _ bound: [Int32: Routes]) -> [Int32] {
    var chosen: [Int32] = []
    for route in choice.both where route.leaves {
      if let index = route.interface, !chosen.contains(index) { chosen.append(index) }
    }
    let others = bound.filter { !chosen.contains($0.key) }.map { (index: $0.key, rank: $0.value.rank) }
    return chosen
      + others.sorted { $0.rank == $1.rank ? $0.index < $1.index : $0.rank < $1.rank }.map(\.index)
  }

  /// Returns the description of a link, or `nil` if no packets can leave by it.
  private func interface(_ link: LinkState, own: Routes, choice: Routes) -> ReachabilityPath.Interface? {
    func working(_ own: FamilyRoute, _ choice: FamilyRoute) -> FamilyRoute? {
      // A packet that is bound to a VRF leaves by one of its members.
      if own.leaves, own.interface == link.index { return own }
      return choice.leaves && choice.interface == link.index ? choice : nil
    }
    let (ipv4, ipv6) = (working(own.ipv4, choice.ipv4), working(own.ipv6, choice.ipv6))
    guard ipv4 != nil || ipv6 != nil else { return nil }
    var interface = describe(link)
    interface.gateways = [ipv4, ipv6].flatMap { $0?.gateways(on: link.index) ?? [] }
    interface.supportsIPv4 = ipv4 != nil
    interface.supportsIPv6 = ipv6 != nil
    interface.underlays = (ipv4 ?? ipv6)?.status.underlays ?? []
    interface.isExpensive = link.interface.kind == .cellular ? true : nil
    return interface
  }

  private func describe(_ link: LinkState) -> ReachabilityPath.Interface {
    ReachabilityPath.Interface(
      link.interface, addresses: addresses(of: link), mtu: link.mtu == 0 ? nil : Int(link.mtu),
      lower: network.lower(of: link.index).map(\.interface))
  }

  private func addresses(of link: LinkState) -> [ReachabilityPath.Address] {
    (network.addresses[link.index] ?? LinkAddresses()).filter(\.isUsable).sorted().map {
      ReachabilityPath.Address($0.address, prefixLength: $0.prefix.length)
    }
  }

  private var loopback: ReachabilityPath.Interface? {
    let links = network.links.values.filter { $0.interface.kind == .loopback && $0.condition == .up }
    return links.min { $0.index < $1.index }.map { link in
      var interface = describe(link)
      interface.supportsIPv4 = interface.addresses.contains { $0.address.bitWidth == 32 }
      interface.supportsIPv6 = interface.addresses.contains { $0.address.bitWidth == 128 }
      // Nothing leaves the machine.
      interface.isExpensive = false
      return interface
    }
  }

  /// Returns the links that no packet can leave by and that are not part of another, each with its reason.
  private func unusableInterfaces(
    _ bound: [Int32: Routes], usable: Set<Int32>
  ) -> [ReachabilityPath.UnusableInterface] {
    let links = network.links.values.filter {
      $0.interface.kind != .loopback && $0.master == nil && !usable.contains($0.index)
    }
    return links.sorted { $0.index < $1.index }.map { link in
      let reason: ReachabilityStatus.Reason =
        switch link.condition {
        case .down: .interfaceDown
        case .noCarrier: .noCarrier
        case .dormant: .linkDormant
        case .up where !hasGlobalAddress(link) && !link.isPointToPoint: .sourceAddressMissing
        case .up: bound[link.index]?.better.reason ?? .noRoute
        }
      var unusable = ReachabilityPath.UnusableInterface(
        link.interface, reason: reason, addresses: addresses(of: link))
      if link.condition == .up { unusable.underlays = bound[link.index]?.better.underlays ?? [] }
      return unusable
    }
  }
}

extension LinkState {
  /// Whether packets can leave by the link.
  fileprivate var canCarry: Bool { condition == .up && interface.kind != .loopback }
}
#endif
