extension WayExplainer {
  /// What a rule or a route refused by, as far as that was found out.
  private struct Decider {
    var rule: PolicyRule
    var route: RefusingRoute?
  }

  private var rules: [PolicyRule] { way.family.flatMap { facts.rules[$0] } ?? [] }

  private func applicable(_ question: RouteQuestion) -> [PolicyRule] {
    let link = question.interface.flatMap { network.links[$0] }
    return rules.filter { $0.applies(to: question, over: link?.names ?? [], userID: facts.userID) }
  }

  var routeStep: ReachabilityExplanation.Step {
    switch status.reason {
    case .noRoute where isUnsupported:
      return step(
        .route, .failed, "the kernel does not support \(familyName)",
        problem: "The kernel does not support \(familyName).",
        advice: "If \(familyName) is wanted, remove ipv6.disable=1 from the kernel's command line.")
    case .systemError: return step(.route, .unknown, "the kernel could not be asked")
    case .blackhole: return refusedStep(.blackhole)
    case .unreachableRoute: return refusedStep(.unreachable)
    case .prohibited: return refusedStep(.prohibit)
    case .noRoute: return noRouteStep
    default: break
    }
    guard case .route(let reply)? = way.answer, let question = way.question else {
      let refusal =
        status.reason == .interfaceDown || status.reason == .noCarrier || status.reason == .linkDormant
      return step(.route, .unknown, refusal ? "none while the interface is so" : "not asked")
    }
    return step(.route, .passed, text(of: way.route ?? reply, question, reply))
  }

  /// Such as `default via 10.1.0.254 over eth0 (wired): table main, metric 100, rule 32766`.
  private func text(of entry: RouteReply, _ question: RouteQuestion, _ reply: RouteReply) -> String {
    var text = entry.kind == .unicast ? "" : "\(word(for: entry.kind)) "
    let prefix = IPPrefix(question.destination, length: entry.prefixLength)
    text += entry.prefixLength == 0 ? "default" : prefix?.description ?? question.destination.description
    if !entry.kind.isHere {
      if let gateway = status.gateway ?? reply.gateway { text += " via \(gateway)" }
      if let link = status.interface ?? reply.interface.flatMap({ network.links[$0]?.interface }) {
        text += " over \(link)"
      }
    }
    if entry.kind == .unicast, entry.table == 0, question.interface != nil {
      return text + ": no route matches, so the kernel treats the destination as a neighbour"
    }
    if entry.nextHops.count > 1 { text += ", one of \(entry.nextHops.count) next hops" }
    // Of an entry the kernel may name another table than that which was asked.
    var table = reply.table == 0 ? entry.table : reply.table
    // While there are no other rules, the kernel keeps two tables of IPv4 in one, and names the wrong one.
    if question.destination.bitWidth == 32, [.local, .broadcast].contains(entry.kind), table == 254,
      rules.allSatisfy({ [0, 32766, 32767].contains($0.priority) })
    {
      table = 255
    }
    var details = ["table \(PolicyRule.name(ofTable: table))"]
    if entry.metric > 0 { details.append("metric \(entry.metric)") }
    let decisive = applicable(question).first { rule in
      rule.table == table && (rule.suppressedPrefixLength.map { entry.prefixLength > $0 } ?? true)
    }
    if let decisive { details.append(decisive.text) }
    text += ": " + details.joined(separator: ", ")
    if let half = textOfOtherHalf(question, entry, reply) { text += "; \(half)" }
    return text
  }

  /// VPNs put two halves in the place of the default route, which is better than to replace it.
  private func textOfOtherHalf(_ question: RouteQuestion, _ entry: RouteReply, _ reply: RouteReply) -> String?
  {
    guard entry.prefixLength == 1, let half = question.otherHalf, let answer = way.otherHalf,
      let prefix = IPPrefix(half.destination, length: 1)
    else { return nil }
    guard case .route(let other) = answer, other.prefixLength == 1 else {
      return "this half is stronger than the default route, and there is no route for the other, \(prefix)"
    }
    let over = other.interface.flatMap { network.links[$0]?.interface.description } ?? "another way"
    guard other.interface == (entry.interface ?? reply.interface), other.gateway == entry.gateway else {
      return "the other half, \(prefix), goes over \(over)"
    }
    return "with the other half, \(prefix), it takes the place of the default route, as VPNs do"
  }

  private func word(for kind: RouteReply.Kind) -> String {
    switch kind {
    case .unicast: "unicast"
    case .local: "local"
    case .broadcast: "broadcast"
    case .anycast: "anycast"
    case .multicast: "multicast"
    }
  }
}

// MARK: - Refusals

extension WayExplainer {
  /// Follows the rules to what refused.
  private func decider(of refusal: PolicyRule.Refusal) -> Decider? {
    guard let question = way.question else { return nil }
    for rule in applicable(question) {
      switch rule.action {
      case .refuse(let own):
        // What follows is never asked.
        return own == refusal ? Decider(rule: rule) : nil
      case .lookUp(let table):
        let routes = way.refusals.filter {
          $0.refusal == refusal && $0.table == table && $0.prefix.contains(question.destination)
        }
        if let route = routes.max(by: { $0.prefix.length < $1.prefix.length }) {
          return Decider(rule: rule, route: route)
        }
      case .other: continue
      }
    }
    return nil
  }

  private func refusedStep(_ refusal: PolicyRule.Refusal) -> ReachabilityExplanation.Step {
    let effect =
      switch refusal {
      case .blackhole: "silently discards packets for"
      case .unreachable: "calls unreachable"
      case .prohibit: "prohibits packets for"
      }
    guard let decider = decider(of: refusal) else {
      return step(
        .route, .failed, status.reason?.description ?? refusal.rawValue,
        problem: "A route or rule \(effect) \(destination).",
        advice: "Look for it: \(tool) rule, and \(tool) route show table all type \(refusal.rawValue).")
    }
    guard let route = decider.route else {
      return step(
        .route, .failed, "\(decider.rule.text): \(refusal.rawValue)",
        problem: "A policy rule \(effect) \(destination).",
        advice: "If that is not wanted, remove it: \(tool) rule del pref \(decider.rule.priority).")
    }
    let table = PolicyRule.name(ofTable: route.table)
    return step(
      .route, .failed, "\(route.text): table \(table), \(decider.rule.text)",
      problem: "The route '\(route.text)' \(effect) \(destination).",
      advice: "If that is not wanted, remove it: \(tool) route del \(route.text) table \(table).")
  }

  private var noRouteStep: ReachabilityExplanation.Step {
    var tables: [String] = []
    if let question = way.question {
      for rule in applicable(question) {
        if case .refuse(.unreachable) = rule.action {
          return step(
            .route, .failed, "\(rule.text): unreachable",
            problem: "A policy rule calls unreachable \(destination).",
            advice: "If that is not wanted, remove it: \(tool) rule del pref \(rule.priority).")
        }
        guard let table = rule.table.map(PolicyRule.name), !tables.contains(table) else { continue }
        tables.append(table)
      }
    }
    var fact = isDefault ? "no default route" : "no route for \(destination)"
    if let wanted = way.target.interface { fact += " over \(wanted)" }
    if let source = way.target.source { fact += " from \(source)" }
    if !tables.isEmpty {
      fact +=
        " in table" + (tables.count == 1 ? " " : "s ") + tables.joined(separator: ", ")
        + ", which the rules ask"
    }
    let isPlain = Set(tables).isSubset(of: ["local", "main", "default"]) && tables.contains("main")
    let source =
      way.family == .v6
      ? "Check that a router announces itself" : "Check that DHCP or the network's manager sets one"
    let advice =
      isPlain || tables.isEmpty
      ? "\(source), or add one: \(tool) route add default via GATEWAY dev \(likelyDevice)."
      : "Add a route to one of these tables, or have a rule ask another one: see '\(tool) rule'."
    let problem =
      isDefault
      ? "There is no \(familyName) default route."
      : "No route leads to \(destination), not even a default route."
    return step(.route, .failed, fact, problem: problem, advice: advice)
  }
}

extension RouteQuestion {
  /// The same question about an address in the other half of all addresses.
  var otherHalf: RouteQuestion? {
    var octets = destination.octets
    octets[0] ^= 0x80
    guard let other = IPAddress(octets: octets) else { return nil }
    var question = exact
    question.destination = other
    return question
  }
}

// MARK: - Next hop

extension WayExplainer {
  /// The neighbour that packets go to first, or `nil` if they go to none.
  static func neighbour(of way: ExplanationFacts.Way, _ network: NetworkState) -> (IPAddress, LinkState)? {
    guard case .route(let reply)? = way.answer, reply.kind == .unicast, let question = way.question,
      let index = way.status.interface.flatMap({ Int32(exactly: $0.index) }) ?? reply.interface,
      let link = network.links[index], link.interface.kind != .loopback
    else { return nil }
    let hop = way.status.gateway ?? reply.gateway
    // Nobody is asked for on a link with one other end. The default route's own stand-in is nobody's address.
    guard !link.isPointToPoint, hop != nil || way.target.destination != .defaultRoute else { return nil }
    return (hop ?? question.destination, link)
  }

  var nextHopStep: ReachabilityExplanation.Step {
    if isLocal { return step(.nextHop, .passed, "none: packets are delivered on this machine") }
    guard let (address, link) = Self.neighbour(of: way, network) else {
      guard case .route(let reply)? = way.answer else {
        return step(.nextHop, .unknown, "not known without a route")
      }
      let outgoing = reply.interface.flatMap { network.links[$0] }
      let why =
        outgoing?.isPointToPoint == true
        ? ": \(outgoing?.name ?? "it") has one other end" : isDefault ? ": all are on the link" : ""
      return step(.nextHop, status.isReachable ? .passed : .unknown, "none" + why)
    }
    let hop = (status.gateway != nil ? "router " : "") + "\(address) on \(link.name)"
    switch way.neighbour {
    case .reachable: return step(.nextHop, .passed, "\(hop) answered a moment ago")
    case .stale: return step(.nextHop, .passed, "\(hop) answered some time ago")
    case .fixed: return step(.nextHop, .passed, "\(hop) needs no asking")
    case .absent: return step(.nextHop, .unknown, "\(hop) was not asked for lately")
    case .incomplete: return step(.nextHop, .unknown, "\(hop) is being asked for now")
    case .unknown: return step(.nextHop, .unknown, "\(hop): not known")
    case .failed:
      let suspicious = status.isReachable
      return step(
        .nextHop, .unknown, "\(hop) did not answer when it was last asked for",
        problem: suspicious
          ? "\(address) did not answer on \(link.name), so that packets may get no further." : nil,
        advice: suspicious
          ? "Check that \(address) is right and switched on, and that \(link.name) is in the right network."
          : nil)
    }
  }
}
