// SPDX-License-Identifier: Apache-2.0
/// Turns facts into an explanation.
///
/// Pure, so that each sentence has a test without a kernel.
struct Explainer: Sendable {
  let facts: ExplanationFacts

  init(_ facts: ExplanationFacts) {
    self.facts = facts
  }

  /// Explains the status of a target.
  ///
  /// - Parameter names: The answer to the lookup of a host's name, with addresses in the order of the paths; `nil`
  ///   during the lookup, and for other targets.
  func explain(_ target: ReachabilityTarget, names: NameAnswer? = nil) -> ReachabilityExplanation {
    let status = status(of: target, names)
    var steps: [ReachabilityExplanation.Step] = []
    var isHost = false
    if case .host(let name) = target.destination {
      isHost = true
      // A source that evaluates hosts itself does not report the addresses of the name.
      if names != nil || facts.paths.isEmpty { steps.append(step(of: name, names, target.family)) }
    }
    let paths = deciding(status)
    for path in paths { steps += chain(path) }
    // Without an address the name servers matter, and their steps come before the name.
    let isUnresolved = isHost && facts.paths.isEmpty
    if facts.hasTables, isHost ? !target.isLocalHost : target.destination == .defaultRoute {
      let servers = nameServerSteps(names)
      steps = isUnresolved ? servers + steps : steps + servers
    }
    if let evidence = facts.evidence {
      steps.append(evidence.step)
      if facts.probe.connection == nil, !isOutOfRoom(), let filter = evidence.localFilterStep {
        steps.append(filter)
      }
    }
    steps += limitSteps()
    if let report = facts.probe.connection {
      steps += localFilterSteps(report)
      steps += connectionSteps(report, after: steps) + pathSteps
    }
    if let finding = facts.probe.packetSize { steps.append(packetSizeStep(finding)) }
    return ReachabilityExplanation(
      of: target, status: status, steps: steps, summary: summary(target, status, paths: paths, steps: steps),
      connection: facts.probe.connection, evidence: facts.evidence)
  }

  private func status(of target: ReachabilityTarget, _ names: NameAnswer?) -> ReachabilityStatus {
    if case .host = target.destination, facts.hasTables || names != nil {
      return names?.evaluation(of: facts.paths.map(\.evaluation)).status ?? .unknown(.resolving)
    }
    // The first of two equally good ones, as in the evaluator.
    var best: ReachabilityStatus?
    for path in facts.paths where best.map({ path.status.rank > $0.rank }) ?? true { best = path.status }
    return best ?? .unknown(target.destination.isHost ? .resolving : .systemError)
  }

  /// Returns one path for each family, the one that decides first: of equally good addresses, the first.
  private func deciding(_ status: ReachabilityStatus) -> [ExplanationFacts.Path] {
    var families: [ExplanationFacts.Path] = []
    func isBetter(_ one: ExplanationFacts.Path, _ other: ExplanationFacts.Path) -> Bool {
      one.status.usefulness > other.status.usefulness
    }
    for path in facts.paths {
      if let place = families.firstIndex(where: { $0.family == path.family }) {
        if isBetter(path, families[place]) { families[place] = path }
      } else {
        families.append(path)
      }
    }
    var status = status
    status.addresses = []
    guard let first = families.firstIndex(where: { $0.status == status }) else { return families }
    families.insert(families.remove(at: first), at: 0)
    return families
  }

  /// Returns the steps of one path; steps after the first failure have no problem.
  private func chain(_ path: ExplanationFacts.Path) -> [ReachabilityExplanation.Step] {
    guard var steps = path.steps?() else { return [systemStep(path)] }
    var hasFailed = false
    for place in steps.indices {
      if hasFailed { (steps[place].problem, steps[place].advice) = (nil, nil) }
      if steps[place].verdict == .failed { hasFailed = true }
    }
    return steps
  }

  /// Returns the step of a system that reports only the status.
  private func systemStep(_ path: ExplanationFacts.Path) -> ReachabilityExplanation.Step {
    let status = path.status
    switch status.state {
    case .reachable: return .init(.system, family: path.family, .passed, fact: status.description)
    case .unknown: return .init(.system, family: path.family, .unknown, fact: status.description)
    case .notReachable:
      return .init(
        .system, family: path.family, .failed, fact: status.description,
        problem: "The system reports: \(status.reason?.description ?? "not reachable").",
        advice: "Check the system's network settings.")
    }
  }
}

// MARK: - Names

extension Explainer {
  private func step(
    of name: ReachabilityTarget.HostName, _ names: NameAnswer?, _ family: ReachabilityAddress.Family?
  ) -> ReachabilityExplanation.Step {
    var step = untimedStep(of: name, names, family)
    if names != nil, !name.isLocalHost { step.duration = facts.lookUpDuration }
    return step
  }

  private func untimedStep(
    of name: ReachabilityTarget.HostName, _ names: NameAnswer?, _ family: ReachabilityAddress.Family?
  ) -> ReachabilityExplanation.Step {
    switch names {
    case .addresses(let addresses):
      let list = addresses.map(\.address.description).joined(separator: ", ")
      return .init(.name, .passed, fact: "\(name) resolves to \(list)")
    case .failure(let reason) where reason == .systemError || reason == .namesNotResolved:
      let domain = reason == .systemError ? facts.overlongSearchDomain : nil
      return .init(
        .name, .unknown, fact: "\(name): \(reason)", problem: domain?.problem, advice: domain?.advice)
    case .failure(let reason):
      let (problem, advice) = words(for: reason, name, family)
      return .init(.name, .failed, fact: "\(name): \(reason)", problem: problem, advice: advice)
    case nil:
      return .init(.name, .unknown, fact: "\(name) is still being looked up")
    }
  }

  private func words(
    for reason: ReachabilityStatus.Reason, _ name: ReachabilityTarget.HostName,
    _ family: ReachabilityAddress.Family?
  ) -> (String, String) {
    if reason == .noAddressRecords, let family {
      let record = family == .v4 ? "A" : "AAAA"
      return (
        "The name \(name) has no \(family) address.",
        "Use a name that has one, or the other family, or add a record of type \(record) to the zone."
      )
    }
    return switch reason {
    case .nameNotFound:
      ("The name \(name) does not exist.", "Check its spelling, /etc/hosts and the DNS zone.")
    case .noAddressRecords:
      (
        "The name \(name) exists, but has no address.",
        "Use a name that has one, or add an address record to the zone."
      )
    case .nameServerNotConfigured:
      ("No name server is configured, so \(name) cannot be resolved.", Self.nameServerAdvice)
    case .nameServerUnreachable:
      (
        "No name server is reachable from this machine, so \(name) cannot be resolved.",
        "Fix the route to a name server, or list another one in /etc/resolv.conf."
      )
    case .nameResolutionTimedOut:
      (
        "No name server answered in time.",
        "Check that one runs at the addresses in /etc/resolv.conf, and that no firewall blocks it."
      )
    default:
      (
        "A name server refused or failed.",
        "Check that one runs at the addresses in /etc/resolv.conf, look at its log, or use another one."
      )
    }
  }
}

extension ExplanationFacts.OverlongSearchDomain {
  package var problem: String {
    """
    A search domain in \(path ?? "the variable LOCALDOMAIN") has \(length) bytes: with it, the C library ends every process \
    that looks up a name.
    """
  }

  var advice: String {
    if let path { return "Remove that domain from \(path) (search or domain)." }
    return "Remove that domain from LOCALDOMAIN, and start this program again."
  }
}

// MARK: - Name servers

extension Explainer {
  private static let nameServerAdvice =
    "List one in /etc/resolv.conf (nameserver ADDRESS), or let DHCP or the network manager do so."

  /// Returns the steps of the name servers: an unreachable one is no failure while another is reachable.
  private func nameServerSteps(_ names: NameAnswer?) -> [ReachabilityExplanation.Step] {
    guard let servers = facts.nameServers else {
      return [.init(.nameServer, .unknown, fact: "the configured name servers are not known")]
    }
    guard !servers.isEmpty else {
      return [
        .init(
          .nameServer, .failed, fact: ReachabilityStatus.Reason.nameServerNotConfigured.description,
          problem: "No name server is configured, so names cannot be resolved.",
          advice: Self.nameServerAdvice)
      ]
    }
    let isAnyReachable = servers.contains { $0.status.isReachable }
    var hasProblem = false
    // If all paths fail, their steps have the problem already.
    let isReported = !facts.paths.isEmpty && !facts.paths.contains { $0.status.isReachable }
    return servers.map { server, status in
      var text = server.description
      guard !status.isReachable else {
        if let gateway = status.gateway { text += " via \(gateway)" }
        if let interface = status.interface { text += " over \(interface)" }
        if !facts.areNameServersConfigured { text += ", since none is configured" }
        if names == .failure(.nameServerNotConfigured), facts.probe.replies[server] == nil {
          // The lookup has found that no name server runs there, and its step has the problem.
          return .init(.nameServer, .unknown, fact: text)
        }
        let isLastResort = servers.count == 1 || !facts.probe.replies.values.contains { $0.isAnswer }
        return step(of: server, text, isLastResort: isLastResort)
      }
      let reason = status.reason?.description ?? "not reachable"
      var step = ReachabilityExplanation.Step(
        .nameServer, status.state == .unknown || isAnyReachable ? .unknown : .failed,
        fact: "\(text): \(reason)")
      guard status.state == .notReachable, !isReported, !hasProblem || isAnyReachable else { return step }
      hasProblem = true
      let place = status.interface.map { " on \($0.name)" } ?? ""
      step.problem = "The name server \(server) is not reachable: \(reason)\(place)."
      step.advice =
        facts.serverAdvice[server] ?? "Explain \(server) itself, or list another server in /etc/resolv.conf."
      return step
    }
  }

  // MARK: - Summary

  private func summary(
    _ target: ReachabilityTarget, _ status: ReachabilityStatus, paths: [ExplanationFacts.Path],
    steps: [ReachabilityExplanation.Step]
  ) -> String {
    var clauses: [String] = []
    if let report = facts.probe.connection, status.isReachable, !report.attempts.isEmpty {
      clauses = connectionClauses(report)
    } else if paths.count > 1, status.isReachable {
      let isDefault = target.destination == .defaultRoute
      clauses = paths.filter { !$0.status.isReachable }.map { clause(of: $0, isDefault: isDefault) }
      clauses += paths.filter { $0.status.isReachable }.map { clause(of: $0, isDefault: isDefault) }
    } else if status.isReachable {
      let over = status.interface.map { " over \($0)" } ?? ""
      clauses = [status.flags.contains(.isLocalAddress) ? "this machine itself\(over)" : "reachable\(over)"]
    } else {
      let problem = steps.first { $0.verdict == .failed }?.problem
      clauses = [problem.map { String($0.dropLast()) } ?? status.description]
    }
    if facts.probe.connection?.isConnected == true {
      if let clause = facts.probe.packetSize.flatMap(packetSizeClause) { clauses.append(clause) }
      return clauses.joined(separator: "; ")
    }
    // A suspicious fact leaves the target reachable, but is a likely cause if no answer arrives. Traffic is about other
    // connections than the next one, unless nothing answers.
    let suspect = steps.first {
      $0.verdict != .failed && $0.problem != nil
        && ($0.kind != .traffic || facts.evidence?.isStrongStall == true)
    }
    if status.isReachable, let suspect {
      clauses.append("but " + suspect.fact)
    } else if status.isReachable, steps.contains(where: { $0.kind == .nameServer && $0.verdict == .failed }) {
      clauses.append("but names cannot be resolved")
    }
    return clauses.joined(separator: "; ")
  }

  private func clause(of path: ExplanationFacts.Path, isDefault: Bool) -> String {
    let family = path.family?.description ?? "it"
    if path.status.isReachable { return "\(family) is routed" }
    if path.status.state == .unknown { return "\(family) is unknown" }
    if path.status.reason == .noRoute { return "\(family) has no \(isDefault ? "default route" : "route")" }
    return "\(family) does not work: \(path.status.reason?.description ?? "not reachable")"
  }
}

extension ReachabilityTarget.Destination {
  fileprivate var isHost: Bool {
    if case .host = self { true } else { false }
  }
}

extension NameServerReply {
  /// Whether the name server resolves names.
  ///
  /// That a name does not exist is an answer; a refusal is not.
  var isAnswer: Bool {
    if case .answered(let code, _) = self { [0, 3].contains(code) } else { false }
  }
}

extension Explainer {
  /// Returns the step of a name server to which packets can leave, with its reply if it was queried.
  ///
  /// - Parameter isLastResort: Whether no other name server answers.
  func step(
    of server: ReachabilityPath.NameServer, _ text: String, isLastResort: Bool
  ) -> ReachabilityExplanation.Step {
    guard let reply = facts.probe.replies[server] else { return .init(.nameServer, .passed, fact: text) }
    var step = ReachabilityExplanation.Step(.nameServer, isLastResort ? .failed : .unknown, fact: text)
    switch reply {
    case .answered(let code, let duration):
      step.duration = duration
      let answer = words(forCode: code)
      step.fact += ": \(answer)"
      if reply.isAnswer {
        step.verdict = .passed
      } else {
        step.problem = "The name server \(server) \(answer)."
        step.advice = "Look at that server's log, or list another one in /etc/resolv.conf."
      }
    case .silent(let duration):
      step.fact += ": no answer within \(duration.inWords)"
      step.problem = "The name server \(server) does not answer."
      step.advice =
        "Check that it runs and that no firewall blocks it, or list another one in /etc/resolv.conf."
    case .failed(let words):
      step.fact += ": \(words)"
      step.problem = "The name server \(server) cannot be queried: \(words)."
      step.advice = "Check that a name server runs there, or list another one in /etc/resolv.conf."
    case .refusedHere:
      step.fact += ": refused on this machine"
      step.problem = "A firewall rule of this machine refuses queries to the name server \(server)."
      step.advice = Self.firewallAdvice(
        to: server.address, port: ReachabilityPath.NameServer.port, over: .udp)
    }
    return step
  }

  /// The names of the response codes of RFC 1035, section 4.1.1.
  private func words(forCode code: UInt8) -> String {
    switch code {
    case 0: "answered"
    case 1: "answered with a format error (FORMERR)"
    case 2: "answered with a server failure (SERVFAIL)"
    case 3: "answered that the name does not exist (NXDOMAIN)"
    case 5: "refused the query (REFUSED)"
    default: "answered with code \(code)"
    }
  }
}

extension Duration {
  /// A few digits and a unit, for example `0.4 ms`, `12 ms` or `1.2 s`.
  package var inWords: String {
    let microseconds = max(Int64(self / .microseconds(1)), 0)
    func tenths(_ number: Int64) -> String { "\(number / 10).\(number % 10)" }
    if microseconds < 9_950 { return tenths((microseconds + 50) / 100) + " ms" }
    if microseconds < 999_500 { return "\((microseconds + 500) / 1000) ms" }
    return tenths((microseconds + 50_000) / 100_000) + " s"
  }
}
