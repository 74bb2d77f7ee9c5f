// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

extension PathExplainer {
  /// Follows the rules; `nil` if they are not known.
  private func walk(
    _ question: RouteRequest, lookUp: (Rule, UInt32) -> RuleWalk.TableCourse
  ) -> RuleWalk? {
    guard let rules = path.family.flatMap({ tables.rules[$0] }) else { return nil }
    var names: [InterfaceName]? = []
    if let index = question.interface {
      // Older kernels replace the interface of a packet by that of its routing domain.
      names = network.links[index].flatMap { $0.master == nil ? $0.names : nil }
    }
    return RuleWalk(rules) { rule in
      rule.matches(question, over: names, userID: tables.userID)
    } lookUp: { rule, table in
      lookUp(rule, table)
    }
  }

  /// The course of a lookup that no table ends; `nil` if the rules are not known, or nothing was looked up.
  private var walkPastTables: RuleWalk? {
    path.question.flatMap { question in walk(question) { _, _ in .init(isLeft: true) } }
  }

  private var rules: [Rule] { path.family.flatMap { tables.rules[$0] } ?? [] }

  var routeStep: ReachabilityExplanation.Step {
    if let step = segmentStep { return step }
    switch status.reason {
    case .noRoute where isUnsupported:
      return step(
        .route, verdict: .failed, "the kernel does not support \(familyName)",
        problem: "The kernel does not support \(familyName).",
        advice: "If \(familyName) is wanted, remove ipv6.disable=1 from the kernel's command line.")
    case .systemError: return step(.route, verdict: .unknown, "the kernel could not be queried")
    case .blackhole: return discardedStep ?? refusedStep(.blackhole)
    case .unreachableRoute: return refusedStep(.unreachable)
    case .prohibited: return refusedStep(.prohibit)
    case .noRoute: return noRouteStep
    case .notUnicast: return notUnicastStep
    default: break
    }
    guard case .success(let reply)? = path.answer, let question = path.question else {
      let refusal =
        status.reason == .interfaceDown || status.reason == .noCarrier || status.reason == .linkDormant
      return step(
        .route, verdict: .unknown, refusal ? "none while the interface is in this state" : "not queried")
    }
    return step(.route, verdict: .passed, text(of: path.route ?? reply, question, reply))
  }

  /// The text of a route, for example `default via 10.1.0.254 over eth0 (wired): table main, metric 100, rule 32766`.
  private func text(of entry: RouteMessage, _ question: RouteRequest, _ reply: RouteMessage) -> String {
    var text = entry.kind == .unicast ? "" : "\(word(for: entry.kind)) "
    text += path.hasUnnamedRoute ? "a route" : range(of: entry, question)
    if !entry.kind.isHere {
      let used = reply.detour == nil ? status : nil
      if let gateway = used?.gateway ?? reply.gateway { text += " via \(gateway)" }
      if let link = used?.interface ?? reply.interface.flatMap({ network.links[$0]?.interface }) {
        text += " over \(link)"
      }
    }
    if entry.kind == .unicast, entry.table == 0, question.interface != nil {
      return text + ": no route matches, so the kernel treats the destination as a neighbour"
    }
    if let segment = reply.segment { text += " in packets to the segment \(segment)" }
    if path.hasUnnamedRoute { return text + ": the kernel names only another route with its next-hop object" }
    if entry.nextHops.count > 1 { text += ", one of \(entry.nextHops.count) next hops" }
    // The kernel may report another table for the matching entry than the one that it looked up.
    var table = reply.table == 0 ? entry.table : reply.table
    // Without other rules, the kernel keeps two IPv4 tables in one, and reports the wrong one.
    if question.destination.bitWidth == 32, [.local, .broadcast].contains(entry.kind), table == 254,
      rules.allSatisfy({ [0, 32766, 32767].contains($0.priority) })
    {
      table = 255
    }
    var details = ["table \(Rule.name(ofTable: table))"]
    if entry.metric > 0 { details.append("metric \(entry.metric)") }
    if let decisive = sendingRule(question, table: table, entry: entry) { details.append(decisive.text) }
    text += ": " + details.joined(separator: ", ")
    if let half = textOfOtherHalf(question, entry: entry, reply: reply) { text += "; \(half)" }
    return text
  }

  private func range(of entry: RouteMessage, _ question: RouteRequest) -> String {
    let prefix = IPPrefix(question.destination, length: Int(entry.destinationLength))
    return entry.destinationLength == 0 ? "default" : prefix?.description ?? question.destination.description
  }

  /// Returns the rule that looked up the matching entry, if no other rule may have done so.
  private func sendingRule(_ question: RouteRequest, table: UInt32, entry: RouteMessage) -> Rule? {
    let walk = walk(question) { rule, other in
      guard other == table else { return .init(isLeft: true) }
      let isSuppressed = rule.suppresses(prefixLength: Int(entry.destinationLength))
      return .init(isSent: isSuppressed != true, isLeft: isSuppressed != false)
    }
    let senders = (walk?.ends ?? []).compactMap {
      if case .sent(let position) = $0 { position } else { nil as Int? }
    }
    return senders.count == 1 ? rules[senders[0]] : nil
  }

  /// VPNs add two half routes instead of replacing the default route.
  private func textOfOtherHalf(_ question: RouteRequest, entry: RouteMessage, reply: RouteMessage) -> String?
  {
    guard entry.destinationLength == 1, let half = question.otherHalf, let answer = path.otherHalf,
      let prefix = IPPrefix(half.destination, length: 1)
    else { return nil }
    guard case .success(let other) = answer, other.destinationLength == 1 else {
      return "this half overrides the default route, and no route covers the other half, \(prefix)"
    }
    let over = other.interface.flatMap { network.links[$0]?.interface.description } ?? "an unknown interface"
    guard other.interface == (entry.interface ?? reply.interface), other.gateway == entry.gateway else {
      return "the other half, \(prefix), goes over \(over)"
    }
    return "with the other half, \(prefix), it replaces the default route, as VPNs do"
  }

  private func word(for kind: RouteKind) -> String {
    switch kind {
    case .unicast: "unicast"
    case .local: "local"
    case .broadcast: "broadcast"
    case .anycast: "anycast"
    default: "multicast"
    }
  }

  // MARK: - Refusals

  /// Where the lookup may have ended, given the kernel's answer; `nil` if that is not known.
  private var possibleEnds: Set<RuleWalk.End>? {
    guard let question = path.question, case .failure(let refusal)? = path.answer else { return nil }
    // An IPv4 packet that is bound to an interface needs no route, so such a refusal has another cause.
    if question.destination.bitWidth == 32, question.interface != nil { return nil }
    let walk = walk(question) { rule, table in
      if let routes = path.routes { return .init(rule, table: table, question, routes: routes) }
      // No route explains this refusal, so every table was left.
      if refusal == .networkUnreachable { return .init(isLeft: true) }
      return .init(isUnknown: true, isLeft: true)
    }
    return walk?.ends.filter { $0.agrees(with: refusal, rules) }
  }

  /// Where the lookup of IPv4 packets that are bound to an interface ended, if that follows from the rules alone; else none.
  ///
  /// The kernel then treats the destination as a neighbour.
  private var endsOfBoundPackets: Set<RuleWalk.End> {
    guard let question = path.question, question.interface != nil, question.destination.bitWidth == 32 else {
      return []
    }
    let ends = walkPastTables?.ends ?? []
    let isRefused = ends.allSatisfy {
      if case .rule = $0 { true } else { false }
    }
    return isRefused ? ends : []
  }

  /// The rule that leaves out a route to the destination which its table has; `nil` if none does.
  private var suppressingRule: (rule: Rule, route: RouteMessage)? {
    guard let question = path.question, let routes = path.routes, let walk = walkPastTables else {
      return nil
    }
    for rule in walk.matched.map({ rules[$0] }) {
      let route = routes.first {
        $0.table == rule.table && $0.kind.sends && $0.isUsable(by: question) != false
          && rule.suppresses(prefixLength: Int($0.destinationLength)) == true
      }
      if let route { return (rule, route) }
    }
    return nil
  }

  private func effect(of refusal: Rule.Refusal) -> String {
    switch refusal {
    case .blackhole: "silently discards packets to \(destination)"
    case .unreachable: "rejects \(destination) as unreachable"
    case .prohibit: "prohibits packets to \(destination)"
    }
  }

  private func refusedStep(_ refusal: Rule.Refusal) -> ReachabilityExplanation.Step {
    let effect = effect(of: refusal)
    var routes: Set<RouteMessage> = []
    var positions: [Int] = []
    var isProven = true
    let ends = possibleEnds ?? [.unknown]
    for end in ends {
      switch end {
      case .rule(let position): positions.append(position)
      case .route(let route, _): routes.insert(route)
      default: isProven = false
      }
    }
    if isProven, positions.isEmpty, routes.count == 1, let route = routes.first,
      route.isRemovedFirst(among: path.routes ?? [])
    {
      return step(of: route, endingAt: ends, effect)
    }
    if isProven, routes.isEmpty, positions.count == 1 { return step(ofRule: positions[0], refusal, effect) }
    return step(
      .route, verdict: .failed, status.reason?.description ?? refusal.rawValue,
      problem: "A route or rule \(effect).",
      advice: "Find it: \(tool) rule, and \(tool) route show table all type \(refusal.rawValue).")
  }

  private func step(
    of route: RouteMessage, endingAt ends: Set<RuleWalk.End>, _ effect: String
  ) -> ReachabilityExplanation.Step {
    let lookups = ends.compactMap {
      if case .route(_, let rule) = $0 { rule } else { nil as Int? }
    }
    var details = ["table \(Rule.name(ofTable: route.table))"]
    if lookups.count == 1 { details.append(rules[lookups[0]].text) }
    let interface = route.interfaces.first.flatMap { network.links[$0]?.names.first }
    return step(
      .route, verdict: .failed, "\(route.text): \(details.joined(separator: ", "))",
      problem: "The route '\(route.text)' \(effect).",
      advice: "If this is not intended, remove it: \(tool) route del \(route.removal(interface: interface)).")
  }

  private func step(
    ofRule position: Int, _ refusal: Rule.Refusal, _ effect: String
  ) -> ReachabilityExplanation.Step {
    let rule = rules[position]
    let advice =
      if let removal = Rule.removal(of: position, among: rules) {
        "If this is not intended, remove it: \(tool) rule del \(removal)."
      } else {
        "If this is not intended, remove it; several rules have its priority, so see them first: \(tool) rule."
      }
    return step(
      .route, verdict: .failed, "\(rule.text): \(refusal.rawValue)", problem: "A policy rule \(effect).",
      advice: advice)
  }

  /// Why no IPv6 packets leave by a link, or none by an IPv6 router, and what to do.
  func words(forLinkWithoutIPv6 link: LinkState) -> (cause: String, advice: String) {
    if (1..<IPv6Support.leastMTU).contains(link.mtu) {
      return (
        "The MTU of \(link.name) is \(link.mtu), and IPv6 needs \(IPv6Support.leastMTU)",
        "Raise it: ip link set dev \(link.shellWord) mtu \(IPv6Support.leastMTU)."
      )
    }
    return (
      "IPv6 is disabled on \(link.name)",
      "Enable it: sysctl -w net/ipv6/conf/\(link.shellWord)/disable_ipv6=0."
    )
  }

  /// The step of a route that discards packets: an IPv6 route over the loopback interface, or any over a link without IPv6.
  private var discardedStep: ReachabilityExplanation.Step? {
    guard case .success(let reply)? = path.answer, let question = path.question, let link else { return nil }
    let entry = path.route ?? reply
    if link.condition == .up, !link.carries(question.destination, via: reply.gateway) {
      let (cause, advice) = words(forLinkWithoutIPv6: link)
      let effect =
        question.destination.bitWidth == 128
        ? "the kernel silently discards packets to \(destination)"
        : "packets to \(destination) cannot leave by an IPv6 gateway"
      return step(
        .route, verdict: .failed, text(of: entry, question, reply), problem: "\(cause): \(effect).",
        advice: advice)
    }
    guard reply.isDiscarded(question.destination, by: link) else { return nil }
    if path.hasUnnamedRoute {
      return step(
        .route, verdict: .failed, text(of: entry, question, reply),
        problem: "A route over \(link.name) silently discards packets to \(destination).",
        advice: "Find it: \(tool) route show table all dev \(link.shellWord).")
    }
    let range = range(of: entry, question)
    let table = Rule.name(ofTable: reply.table)
    return step(
      .route, verdict: .failed, text(of: entry, question, reply),
      problem: "The route '\(range) dev \(link.name)' silently discards packets to \(destination).",
      advice:
        "If this is not intended, remove it: \(tool) route del \(range) dev \(link.shellWord) table \(table)."
    )
  }

  /// The step of a route that wraps packets into others that do not leave, or may not.
  private var segmentStep: ReachabilityExplanation.Step? {
    guard case .success(let reply)? = path.answer, let question = path.question, reply.detour != nil,
      !status.isReachable
    else { return nil }
    let text = text(of: path.route ?? reply, question, reply)
    guard let reason = status.reason, reason != .encapsulated, let segment = reply.segment else {
      return step(.route, verdict: .unknown, text)
    }
    // The interface's state is its own step.
    guard [.noRoute, .blackhole, .unreachableRoute, .prohibited].contains(reason) else {
      return step(.route, verdict: .passed, text)
    }
    return step(
      .route, verdict: .failed, text,
      problem: "Packets to \(destination) are sent to the segment \(segment): \(reason).",
      advice: "Explain the segment: reachability explain \(segment).")
  }

  private var notUnicastStep: ReachabilityExplanation.Step {
    var kind = "multicast"
    if case .success(let reply)? = path.answer { kind = word(for: reply.kind) }
    if case .address(let address) = path.target.destination, address.isForDatagramsOnly, !address.isMulticast
    {
      kind = "broadcast"
    }
    return step(
      .route, verdict: .failed, "\(destination): \(kind)",
      problem: "TCP cannot connect to the \(kind) address \(destination).",
      advice: "Use the address of one host, or datagrams: \(path.target.overDatagrams).")
  }

  private var noRouteStep: ReachabilityExplanation.Step {
    let ends = possibleEnds ?? endsOfBoundPackets
    var refusing: [Int] = []
    for case .rule(let position) in ends { refusing.append(position) }
    if refusing.count == 1, ends.count == 1, case .refuse(let refusal) = rules[refusing[0]].action {
      return step(ofRule: refusing[0], refusal, effect(of: refusal))
    }
    if !refusing.isEmpty {
      return step(
        .route, verdict: .failed, "no route for \(destination), or a rule rejects it",
        problem: "There is no route to \(destination), or a policy rule rejects it as unreachable.",
        advice: "Find it: \(tool) rule, and \(tool) route show table all.")
    }
    let tables = (walkPastTables?.matched ?? []).compactMap { rules[$0].table.map(Rule.name) }.uniqued
    var fact = isDefault ? "no default route" : "no route for \(destination)"
    if let wanted = path.target.interface { fact += " over \(wanted)" }
    if let source = path.target.source { fact += " from \(source)" }
    if !tables.isEmpty {
      fact +=
        " in table" + (tables.count == 1 ? " " : "s ") + tables.joined(separator: ", ")
        + ", which the rules look up"
    }
    if let (rule, route) = suppressingRule {
      let table = Rule.name(ofTable: route.table)
      return step(
        .route, verdict: .failed,
        "\(fact); \(rule.text) leaves out the route \(route.text) of table \(table)",
        problem: "A rule leaves out the route to \(destination) in table \(table) (suppress_prefixlength).",
        advice:
          "Remove the rule's suppress_prefixlength, or add the route to another table that a rule looks up: see '\(tool) rule'."
      )
    }
    let isPlain = Set(tables).isSubset(of: ["local", "main", "default"]) && tables.contains("main")
    let source =
      path.family == .v6
      ? "Check that a router advertises itself" : "Check that DHCP or the network manager sets one"
    let advice =
      isPlain || tables.isEmpty
      ? "\(source), or add one: \(tool) route add default via GATEWAY dev \(likelyDevice)\(onLink)."
      : "Add a route to one of these tables, or a rule that looks up another one: see '\(tool) rule'."
    let problem =
      isDefault
      ? "There is no \(familyName) default route."
      : "There is no route to \(destination), and no default route."
    return step(.route, verdict: .failed, fact, problem: problem, advice: advice)
  }
}

extension ReachabilityTarget {
  /// The same target for UDP, as text.
  fileprivate var overDatagrams: String {
    var target = self
    target.transport = .udp
    return "\(target)"
  }
}

extension RouteRequest {
  /// The same query for an address in the other half of the address space.
  var otherHalf: RouteRequest? {
    var octets = destination.octets
    octets[0] ^= 0x80
    guard let other = ReachabilityAddress(octets: octets) else { return nil }
    var question = exact
    question.destination = other
    return question
  }
}

// MARK: - Next hop

extension PathExplainer {
  /// Returns the first neighbour of packets, or `nil` if they need none.
  static func neighbour(of path: PathFacts, _ network: NetworkState) -> (ReachabilityAddress, LinkState)? {
    guard case .success(let reply)? = path.answer, reply.kind == .unicast, let question = path.question,
      let index = path.status.interface.flatMap({ Int32(exactly: $0.index) }) ?? reply.interface,
      let link = network.links[index], link.interface.kind != .loopback
    else { return nil }
    let hop = path.status.gateway ?? (reply.detour == nil ? reply.gateway : nil)
    // A point-to-point link resolves no addresses, and the address that stands for the default route belongs to no
    // neighbour.
    guard !link.isPointToPoint, hop != nil || path.target.destination != .defaultRoute else { return nil }
    return (hop ?? reply.segment ?? question.destination, link)
  }

  /// What to do about a next hop that does not answer.
  private func advice(onSilent address: ReachabilityAddress, _ link: LinkState) -> String {
    let plain =
      "Check that \(address) is correct and switched on, and that \(link.name) is on the right network"
    // The route of an interface's own prefix says that the destination is on the link.
    guard status.gateway == nil, path.target.destination == .address(address), let route = path.route,
      (8..<bitWidth).contains(Int(route.destinationLength)),
      let own = network.addresses[link.index]?.first(where: {
        $0.prefix.length == Int(route.destinationLength)
      })
    else {
      if let rule = decidingRule {
        return plain
          + ". \(rule.text.prefix(1).uppercased() + rule.text.dropFirst()) sends packets there: check it, too."
      }
      return plain + "."
    }
    return plain
      + "; if it is behind a router, the prefix length of \(own.address)/\(own.prefix.length) is wrong."
  }

  /// The rule that sends the packets, unless it is one that every machine has.
  private var decidingRule: Rule? {
    guard let question = path.question, case .success(let reply)? = path.answer, !path.hasUnnamedRoute else {
      return nil
    }
    let entry = path.route ?? reply
    return sendingRule(question, table: reply.table == 0 ? entry.table : reply.table, entry: entry)
      .flatMap { [0, 32766, 32767].contains($0.priority) ? nil : $0 }
  }

  var nextHopStep: ReachabilityExplanation.Step {
    if isLocal { return step(.nextHop, verdict: .passed, "none: packets are delivered on this machine") }
    guard let (address, link) = Self.neighbour(of: path, network) else {
      guard case .success(let reply)? = path.answer else {
        return step(.nextHop, verdict: .unknown, "unknown without a route")
      }
      let outgoing = reply.interface.flatMap { network.links[$0] }
      let why =
        outgoing?.isPointToPoint == true
        ? ": \(outgoing?.name ?? "it") is point-to-point"
        : isDefault ? ": every destination is on the link" : ""
      return step(.nextHop, verdict: status.isReachable ? .passed : .unknown, "none" + why)
    }
    let hop = (status.gateway != nil ? "router " : "") + "\(address) on \(link.name)"
    switch path.neighbour {
    case .reachable: return step(.nextHop, verdict: .passed, "\(hop) answered a moment ago")
    case .stale: return step(.nextHop, verdict: .passed, "\(hop) answered some time ago")
    case .fixed: return step(.nextHop, verdict: .passed, "\(hop) needs no address resolution")
    case .absent: return step(.nextHop, verdict: .unknown, "\(hop): no recent neighbour entry")
    case .incomplete: return step(.nextHop, verdict: .unknown, "\(hop): address resolution is in progress")
    case .unknown: return step(.nextHop, verdict: .unknown, "\(hop): unknown")
    case .failed:
      let suspicious = status.isReachable
      let request = address.bitWidth == 32 ? "ARP request" : "neighbour solicitation"
      return step(
        .nextHop, verdict: .unknown, "\(hop) did not answer the last \(request)",
        problem: suspicious
          ? "\(address) did not answer on \(link.name), so packets may get no further." : nil,
        advice: suspicious ? advice(onSilent: address, link) : nil)
    }
  }
}
#endif
