/// Turns what was found out into a chain of evidence.
///
/// Nothing is asked here, so that each sentence has a test without a kernel.
package struct Explainer: Sendable {
  let facts: ExplanationFacts

  package init(_ facts: ExplanationFacts) {
    self.facts = facts
  }

  /// Explains the status of a target.
  ///
  /// - Parameter names: What a host's name stands for, in the order of the ways; `nil` if it is still being looked up,
  ///   and for other targets.
  package func explain(_ target: ReachabilityTarget, names: NameAnswer? = nil) -> ReachabilityExplanation {
    let status = status(of: target, names)
    var steps: [ReachabilityExplanation.Step] = []
    var isHost = false
    if case .host(let name) = target.destination {
      isHost = true
      // Who works out a host's status by itself does not tell what the name stands for.
      if names != nil || facts.ways.isEmpty { steps.append(step(of: name, names)) }
    }
    let ways = deciding(status)
    for way in ways { steps += chain(way) }
    // Without an address it is the name servers that matter, and they come before the name.
    let isUnresolved = isHost && facts.ways.isEmpty
    if facts.network != nil, isHost ? !target.isLocalHost : target.destination == .defaultRoute {
      steps = isUnresolved ? nameServerSteps + steps : steps + nameServerSteps
    }
    if let report = facts.connection { steps += connectionSteps(report, after: steps) }
    return ReachabilityExplanation(
      of: target, status: status, steps: steps, summary: summary(target, status, ways, steps),
      connection: facts.connection)
  }

  private func status(of target: ReachabilityTarget, _ names: NameAnswer?) -> ReachabilityStatus {
    if case .host = target.destination, facts.network != nil || names != nil {
      return names?.evaluation(of: facts.ways.map(\.evaluation)).status ?? .unknown(.resolving)
    }
    // The first of two that are equally good, as the evaluator has it.
    var best: ReachabilityStatus?
    for way in facts.ways where best.map({ way.status.rank > $0.rank }) ?? true { best = way.status }
    return best ?? .unknown(target.destination.isHost ? .resolving : .systemError)
  }

  /// One way of each family, that which decides first: of several addresses the first that is as good as any.
  private func deciding(_ status: ReachabilityStatus) -> [ExplanationFacts.Way] {
    var families: [ExplanationFacts.Way] = []
    func isBetter(_ one: ExplanationFacts.Way, _ other: ExplanationFacts.Way) -> Bool {
      one.status.usefulness > other.status.usefulness
    }
    for way in facts.ways {
      if let place = families.firstIndex(where: { $0.family == way.family }) {
        if isBetter(way, families[place]) { families[place] = way }
      } else {
        families.append(way)
      }
    }
    var status = status
    status.addresses = []
    guard let first = families.firstIndex(where: { $0.status == status }) else { return families }
    families.insert(families.remove(at: first), at: 0)
    return families
  }

  /// The steps of one way; after the first that failed, the others say nothing of what is wrong.
  private func chain(_ way: ExplanationFacts.Way) -> [ReachabilityExplanation.Step] {
    guard let network = facts.network else { return [systemStep(way)] }
    let chain = WayExplainer(way, network, facts)
    var steps = [
      chain.interfaceStep, chain.addressesStep, chain.routeStep, chain.nextHopStep, chain.sourceStep,
    ]
    var hasFailed = false
    for place in steps.indices {
      if hasFailed { (steps[place].problem, steps[place].advice) = (nil, nil) }
      if steps[place].verdict == .failed { hasFailed = true }
    }
    return steps
  }

  /// What a system says that tells no more than the status.
  private func systemStep(_ way: ExplanationFacts.Way) -> ReachabilityExplanation.Step {
    let status = way.status
    switch status.state {
    case .reachable: return .init(.system, family: way.family, .passed, fact: status.description)
    case .unknown: return .init(.system, family: way.family, .unknown, fact: status.description)
    case .notReachable:
      return .init(
        .system, family: way.family, .failed, fact: status.description,
        problem: "The system says: \(status.reason?.description ?? "not reachable").",
        advice: "Look at the system's network settings.")
    }
  }
}

// MARK: - Names

extension Explainer {
  private func step(of name: ReachabilityTarget.HostName, _ names: NameAnswer?)
    -> ReachabilityExplanation.Step
  {
    var step = untimedStep(of: name, names)
    if names != nil, !name.isLocalHost { step.duration = facts.lookUpDuration }
    return step
  }

  private func untimedStep(of name: ReachabilityTarget.HostName, _ names: NameAnswer?)
    -> ReachabilityExplanation.Step
  {
    switch names {
    case .addresses(let addresses):
      let list = addresses.map(\.address.description).joined(separator: ", ")
      return .init(.name, .passed, fact: "\(name) stands for \(list)")
    case .failure(let reason) where reason == .systemError || reason == .namesNotResolved:
      return .init(.name, .unknown, fact: "\(name): \(reason)")
    case .failure(let reason):
      let (problem, advice) = words(for: reason, name)
      return .init(.name, .failed, fact: "\(name): \(reason)", problem: problem, advice: advice)
    case nil:
      return .init(.name, .unknown, fact: "\(name) is still being looked up")
    }
  }

  private func words(for reason: ReachabilityStatus.Reason, _ name: ReachabilityTarget.HostName) -> (
    String, String
  ) {
    switch reason {
    case .nameNotFound:
      ("The name \(name) does not exist.", "Check how it is written, and what /etc/hosts and the zone say.")
    case .noAddressRecords:
      ("The name \(name) exists, but has no address.", "Ask for a name that has one, or add it to the zone.")
    case .nameServerNotConfigured:
      ("No name server is configured, so that \(name) can't be looked up.", Self.nameServerAdvice)
    case .nameServerUnreachable:
      (
        "No packet for a name server would leave this machine, so that \(name) can't be looked up.",
        "Mend the way to one of the name servers, or name another one in /etc/resolv.conf."
      )
    case .nameResolutionTimedOut:
      (
        "No name server answered in time.",
        "Check that one runs at the addresses in /etc/resolv.conf and that no firewall is between."
      )
    default:
      ("A name server refused or failed.", "Ask another one, or look at that one's log.")
    }
  }

  private static let nameServerAdvice =
    "Name one in /etc/resolv.conf (nameserver ADDRESS), or let DHCP or the network's manager do so."

  /// The name servers and the ways there: what is wrong with one is no failure while another can be reached.
  private var nameServerSteps: [ReachabilityExplanation.Step] {
    guard let servers = facts.nameServers else {
      return [.init(.nameServer, .unknown, fact: "it is not known which name servers are configured")]
    }
    guard !servers.isEmpty else {
      return [
        .init(
          .nameServer, .failed, fact: ReachabilityStatus.Reason.nameServerNotConfigured.description,
          problem: "No name server is configured, so that names can't be looked up.",
          advice: Self.nameServerAdvice)
      ]
    }
    let isAnyReachable = servers.contains { $0.status.isReachable }
    var hasProblem = false
    // What is wrong with all ways is told already.
    let isTold = !facts.ways.isEmpty && !facts.ways.contains { $0.status.isReachable }
    return servers.map { server, status in
      var text = server.description
      guard !status.isReachable else {
        if let gateway = status.gateway { text += " by \(gateway)" }
        if let interface = status.interface { text += " over \(interface)" }
        let isSoleHope = servers.count == 1 || !facts.replies.values.contains { $0.isAnswer }
        return step(of: server, text, isSoleHope: isSoleHope)
      }
      let reason = status.reason?.description ?? "not reachable"
      var step = ReachabilityExplanation.Step(
        .nameServer, status.state == .unknown || isAnyReachable ? .unknown : .failed,
        fact: "\(text): \(reason)")
      guard status.state == .notReachable, !isTold, !hasProblem || isAnyReachable else { return step }
      hasProblem = true
      step.problem = "No packet for the name server \(server) would leave this machine: \(reason)."
      step.advice = "Explain \(server) itself, or name another server in /etc/resolv.conf."
      return step
    }
  }
}

// MARK: - Summary

extension Explainer {
  private func summary(
    _ target: ReachabilityTarget, _ status: ReachabilityStatus, _ ways: [ExplanationFacts.Way],
    _ steps: [ReachabilityExplanation.Step]
  ) -> String {
    var clauses: [String] = []
    if let report = facts.connection, status.isReachable, !report.attempts.isEmpty {
      clauses = connectionClauses(report)
    } else if ways.count > 1, status.isReachable {
      let isDefault = target.destination == .defaultRoute
      clauses = ways.filter { !$0.status.isReachable }.map { clause(of: $0, isDefault: isDefault) }
      clauses += ways.filter { $0.status.isReachable }.map { clause(of: $0, isDefault: isDefault) }
    } else if status.isReachable {
      let over = status.interface.map { " over \($0)" } ?? ""
      clauses = [status.flags.contains(.isLocalAddress) ? "this machine itself\(over)" : "reachable\(over)"]
    } else {
      let problem = status.state == .notReachable ? steps.first { $0.verdict == .failed }?.problem : nil
      clauses = [problem.map { String($0.dropLast()) } ?? status.description]
    }
    if facts.connection?.isConnected == true { return clauses.joined(separator: "; ") }
    // What makes nothing unreachable, but may be why nobody answers.
    if status.isReachable, let suspect = steps.first(where: { $0.verdict != .failed && $0.problem != nil }) {
      clauses.append("but " + suspect.fact)
    } else if status.isReachable, steps.contains(where: { $0.kind == .nameServer && $0.verdict == .failed }) {
      clauses.append("but names can't be looked up")
    }
    return clauses.joined(separator: "; ")
  }

  private func clause(of way: ExplanationFacts.Way, isDefault: Bool) -> String {
    let family = way.family?.description ?? "it"
    if way.status.isReachable { return "\(family) works" }
    if way.status.state == .unknown { return "\(family) is unknown" }
    if way.status.reason == .noRoute { return "\(family) has no \(isDefault ? "default route" : "route")" }
    return "\(family) does not work: \(way.status.reason?.description ?? "not reachable")"
  }
}

extension ReachabilityTarget.Destination {
  fileprivate var isHost: Bool {
    if case .host = self { true } else { false }
  }
}
