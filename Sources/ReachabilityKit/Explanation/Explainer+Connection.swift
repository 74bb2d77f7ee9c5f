// What was tried, and not only asked of this machine.

extension NameServerReply {
  /// Whether names can be looked up there: that one does not exist is an answer, a refusal is none.
  var isAnswer: Bool {
    if case .answered(let code, _) = self { [0, 3].contains(code) } else { false }
  }
}

extension Explainer {
  /// The step of a name server to which packets can leave, with what it replied if it was asked.
  ///
  /// - Parameter isSoleHope: Whether no other one answers.
  func step(
    of server: ReachabilityPath.NameServer, _ text: String, isSoleHope: Bool
  ) -> ReachabilityExplanation.Step {
    guard let reply = facts.replies[server] else { return .init(.nameServer, .passed, fact: text) }
    var step = ReachabilityExplanation.Step(.nameServer, isSoleHope ? .failed : .unknown, fact: text)
    switch reply {
    case .answered(let code, let duration):
      step.duration = duration
      step.fact += ": \(words(forCode: code))"
      if reply.isAnswer {
        step.verdict = .passed
      } else {
        step.problem = "The name server \(server) answers, but with an error: \(words(forCode: code))."
        step.advice = "Look at that server's log, or name another one in /etc/resolv.conf."
      }
    case .silent(let duration):
      step.fact += ": no answer within \(duration.inWords)"
      step.problem = "The name server \(server) does not answer."
      step.advice =
        "Check that it runs and that no firewall is between, or name another one in /etc/resolv.conf."
    case .failed(let words):
      step.fact += ": \(words)"
      step.problem = "The name server \(server) can't be asked: \(words)."
      step.advice = "Check that a name server runs there, or name another one in /etc/resolv.conf."
    }
    return step
  }

  /// The codes of RFC 1035, section 4.1.1.
  private func words(forCode code: UInt8) -> String {
    switch code {
    case 0: "answered"
    case 1: "answered that it did not understand"
    case 2: "answered that it failed (SERVFAIL)"
    case 3: "answered that there is no such name (NXDOMAIN)"
    case 5: "refused to answer (REFUSED)"
    default: "answered with code \(code)"
    }
  }
}

// MARK: - Connections

extension Explainer {
  private typealias Attempt = ReachabilityConnectionReport.Attempt

  /// One step a family, in the order in which they were tried.
  func connectionSteps(_ report: ReachabilityConnectionReport, after steps: [ReachabilityExplanation.Step])
    -> [ReachabilityExplanation.Step]
  {
    guard !report.attempts.isEmpty else {
      return [.init(.connection, .unknown, fact: "nothing to connect to is known")]
    }
    return families(of: report).map { family, attempts in
      var step = step(family, attempts, report)
      // What is wrong with the way there is told already.
      if steps.contains(where: { $0.family == family && $0.verdict == .failed }) {
        (step.problem, step.advice) = (nil, nil)
      }
      return step
    }
  }

  private func families(of report: ReachabilityConnectionReport) -> [(
    family: IPAddress.Family, attempts: [Attempt]
  )] {
    var order: [IPAddress.Family] = []
    for attempt in report.attempts where !order.contains(attempt.address.family) {
      order.append(attempt.address.family)
    }
    return order.map { family in (family, report.attempts.filter { $0.address.family == family }) }
  }

  private func step(
    _ family: IPAddress.Family, _ attempts: [Attempt], _ report: ReachabilityConnectionReport
  ) -> ReachabilityExplanation.Step {
    let port = report.port
    let limit = 6
    var fact = attempts.prefix(limit).map { "\($0.address) port \(port): \(words(for: $0))" }.joined(
      separator: ", ")
    if attempts.count > limit { fact += ", and \(attempts.count - limit) more" }
    guard let best = best(of: attempts) else {
      return .init(.connection, family: family, .unknown, fact: fact)
    }
    var step = ReachabilityExplanation.Step(.connection, family: family, .failed, fact: fact)
    if best.start != nil { step.duration = best.duration }
    switch best.outcome {
    case .connected: step.verdict = .passed
    case .notTried: step.verdict = .unknown
    case .abandoned:
      step.verdict = .unknown
      if let winner = report.connection, let start = winner.start, best.start.map({ $0 < start }) == true {
        step.problem =
          "\(best.address) had not answered when \(winner.address) did, \(best.duration.inWords) after it was asked."
        step.advice =
          "If that is so each time, \(family) is slow or broken there: probe \(best.address) by itself."
      }
    case .refused:
      step.problem =
        best.reporter.map { "A firewall at \($0) refuses connections to \(best.address) port \(port)." }
        ?? "\(best.address) is there, and nothing listens at port \(port), or a firewall there refuses."
      step.advice =
        "Nothing is wrong with the way there: see to the server, or ask for the port that it listens at."
    case .timedOut:
      step.problem = "Nobody answered at \(best.address) port \(port)."
      step.advice =
        "The host may be down, or a firewall drops packets: try a port that surely answers, and trace the way there."
    case .failed(let number):
      (step.problem, step.advice) = sentences(forError: number, best)
    }
    return step
  }

  /// The attempt that says most: a connection, else a sign of life, else what the system or a router says.
  private func best(of attempts: [Attempt]) -> Attempt? {
    func rank(_ attempt: Attempt) -> Int {
      switch attempt.outcome {
      case .connected: 5
      case .refused: 4
      case .failed: 3
      case .timedOut: 2
      case .abandoned: 1
      case .notTried: 0
      }
    }
    var best: Attempt?
    for attempt in attempts where best.map({ rank(attempt) > rank($0) }) ?? true { best = attempt }
    return best
  }

  private func words(for attempt: Attempt) -> String {
    switch attempt.outcome {
    case .connected: "connected"
    case .refused: attempt.reporter.map { "refused by \($0)" } ?? "refused"
    case .timedOut: "no answer within \(attempt.duration.inWords)"
    case .failed(let number):
      words(forError: number) + (attempt.reporter.map { ", says \($0)" } ?? "")
    case .abandoned: "no answer yet when another connection came about"
    case .notTried: "not tried"
    }
  }

  /// The error numbers are those of Linux, which have the same meaning on all its machines but for a few old ones.
  private func words(forError number: Int32) -> String {
    switch number {
    case 1: "not permitted (EPERM)"
    case 13: "prohibited (EACCES)"
    case 19: "no such interface (ENODEV)"
    case 22: "refused by the system (EINVAL)"
    case 24, 23: "no descriptors left"
    case 97: "the system does not know this address family (EAFNOSUPPORT)"
    case 99: "the source address is not this machine's (EADDRNOTAVAIL)"
    case 101: "network unreachable (ENETUNREACH)"
    case 104: "broken off (ECONNRESET)"
    case 113: "host unreachable (EHOSTUNREACH)"
    default: "error \(number)"
    }
  }

  private func sentences(forError number: Int32, _ attempt: Attempt) -> (problem: String, advice: String) {
    let address = attempt.address
    if let reporter = attempt.reporter {
      return (
        "\(reporter) says that \(address) can't be reached: \(words(forError: number)).",
        "The way ends at \(reporter): look at its routes and its firewall."
      )
    }
    if number == 113 {
      let isSilent = facts.ways.contains { way in
        way.target.destination == .address(address) && way.neighbour == .failed
      }
      // Older kernels do not tell who says so.
      let more = isSilent ? "" : ", or a router says that it can't be reached"
      return (
        "The next hop on the way to \(address) did not answer\(more).",
        "Check that it is switched on and on this link; the step of the next hop names it."
      )
    }
    return (
      "The system can't connect to \(address): \(words(forError: number)).",
      "See the steps before; a firewall of this machine may refuse as well."
    )
  }

  /// What the summary says in place of what leaves this machine.
  func connectionClauses(_ report: ReachabilityConnectionReport) -> [String] {
    let families = families(of: report)
    return families.compactMap { family, attempts -> String? in
      guard let best = best(of: attempts) else { return nil }
      let subject = families.count > 1 ? family.description : best.address.description
      switch best.outcome {
      case .connected: return "\(subject) answered at port \(report.port) after \(best.duration.inWords)"
      case .refused: return "\(subject) refused port \(report.port)"
      case .timedOut: return "\(subject) did not answer at port \(report.port)"
      case .failed: return "\(subject): \(words(for: best))"
      case .abandoned:
        guard let start = report.connection?.start, best.start.map({ $0 < start }) == true else { return nil }
        return "\(subject) did not answer in time"
      case .notTried: return nil
      }
    }
  }
}
