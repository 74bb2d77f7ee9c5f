// SPDX-License-Identifier: Apache-2.0
extension Explainer {
  typealias Attempt = ReachabilityConnectionReport.Attempt

  /// Returns one step for each family, in the order in which they were tried.
  func connectionSteps(_ report: ReachabilityConnectionReport, after steps: [ReachabilityExplanation.Step])
    -> [ReachabilityExplanation.Step]
  {
    guard !report.attempts.isEmpty else {
      return [.init(.connection, .unknown, fact: "no address to connect to")]
    }
    return families(of: report).map { family, attempts in
      var step = step(family, attempts: attempts, report: report)
      // An earlier step of this family has the problem already.
      if steps.contains(where: { $0.family == family && $0.verdict == .failed }) {
        (step.problem, step.advice) = (nil, nil)
      }
      return step
    }
  }

  func families(of report: ReachabilityConnectionReport) -> [(
    family: ReachabilityAddress.Family, attempts: [Attempt]
  )] {
    report.attempts.map(\.address.family).uniqued.map { family in
      (family, report.attempts.filter { $0.address.family == family })
    }
  }

  private func step(
    _ family: ReachabilityAddress.Family, attempts: [Attempt], report: ReachabilityConnectionReport
  ) -> ReachabilityExplanation.Step {
    let port = report.port
    let fact = attempts.words(to: port, limit: 6)
    guard let best = attempts.mostInformative else {
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
          "\(best.address) had not answered after \(best.duration.inWords), when \(winner.address) did."
        step.advice =
          "If this repeats, \(family) is slow or broken there: probe \(best.address) alone."
      }
    case .refused where best.reporter == nil && neighbours(of: best.address).contains(.absent):
      step.problem = "The connection to \(best.address) was refused, but nothing shows that it is up."
      step.advice = Self.firewallAdvice(to: best.address, port: port)
    case .refused:
      step.problem =
        best.reporter.map { "A firewall at \($0) refuses connections to \(best.address) port \(port)." }
        ?? "\(best.address) is up, but nothing listens on port \(port), or its firewall refuses."
      step.advice =
        "The path there works: start the server, or use the port that it listens on."
    case .timedOut:
      step.problem = "\(best.address) did not answer on port \(port)."
      step.advice =
        "The host may be down, or a firewall drops packets: try a port that is known to answer."
    case .failed(let number):
      (step.problem, step.advice) = usedPorts(best, port) ?? sentences(forError: number, best, port)
    }
    return step
  }

  private func sentences(
    forError number: Int32, _ attempt: Attempt, _ port: UInt16
  ) -> (problem: String, advice: String) {
    let address = attempt.address
    if let reporter = attempt.reporter {
      switch number {
      case 101:
        return (
          "\(reporter) reports that it has no route to \(address).",
          "Check the routes and the uplink of \(reporter)."
        )
      case 113:
        return (
          "\(reporter) reports that it cannot reach \(address): the host does not answer there, or a route or a firewall forbids it.",
          "Check that \(address) is switched on and connected; if it is, check the routes and the firewall of \(reporter)."
        )
      default:
        return (
          "\(reporter) reports that \(address) is unreachable: \(Attempt.words(forError: number)).",
          "The path ends at \(reporter): check its firewall."
        )
      }
    }
    if number == 113 {
      let isSilent = neighbours(of: address).contains(.failed)
      // Older kernels do not name the sender of the error.
      let more = isSilent ? "" : ", or a router reports that \(address) is unreachable"
      return (
        "The next hop towards \(address) did not answer\(more).",
        "Check that it is switched on and on this link; the next-hop step names it."
      )
    }
    return (
      "The system cannot connect to \(address): \(Attempt.words(forError: number)).",
      "See the previous steps; a firewall of this machine may also refuse."
    )
  }

  func neighbours(of address: ReachabilityAddress) -> [ExplanationFacts.Neighbour] {
    facts.paths.filter { $0.target.destination == .address(address) }.map(\.neighbour)
  }

  /// Returns the clauses of the summary about attempts to connect, which replace those about paths.
  func connectionClauses(_ report: ReachabilityConnectionReport) -> [String] {
    let families = families(of: report)
    return families.compactMap { family, attempts -> String? in
      guard let best = attempts.mostInformative else { return nil }
      let subject = families.count > 1 ? family.description : best.address.description
      switch best.outcome {
      case .connected: return "\(subject) answered on port \(report.port) after \(best.duration.inWords)"
      case .refused: return "\(subject) refused port \(report.port)"
      case .timedOut where best.isStoppedHere: return "\(subject): \(best.words)"
      case .timedOut: return "\(subject) did not answer on port \(report.port)"
      case .failed: return "\(subject): \(best.words)"
      case .abandoned:
        guard let start = report.connection?.start, best.start.map({ $0 < start }) == true else { return nil }
        return "\(subject) did not answer in time"
      case .notTried: return nil
      }
    }
  }
}

extension ReachabilityConnectionReport {
  /// Whether this process had no descriptors left (`EMFILE`, `ENFILE`), which says nothing about the target.
  package var isOutOfDescriptors: Bool {
    !isConnected
      && attempts.contains { [.failed(errorNumber: 24), .failed(errorNumber: 23)].contains($0.outcome) }
  }

  /// The outcome in words: of the connection, or of each address that was tried.
  package var words: String {
    if let connection {
      return "\(connection.address) port \(port) after \(connection.duration.inWords)"
    }
    if attempts.isEmpty { return status.reason?.description ?? "no address to connect to" }
    return attempts.words(to: port, limit: 3)
  }
}

extension [ReachabilityConnectionReport.Attempt] {
  /// The first outcomes in words, and how many more there are.
  fileprivate func words(to port: UInt16, limit: Int) -> String {
    prefix(limit).map { "\($0.address) port \(port): \($0.words)" }.joined(separator: ", ")
      + (count > limit ? ", and \(count - limit) more" : "")
  }

  /// The most informative attempt: a connection, else a refusal, else an error of the system or a router.
  var mostInformative: Element? {
    func rank(_ attempt: Element) -> Int {
      switch attempt.outcome {
      case .connected: 5
      case .refused: 4
      case .failed: 3
      case .timedOut: 2
      case .abandoned: 1
      case .notTried: 0
      }
    }
    var best: Element?
    for attempt in self where best.map({ rank(attempt) > rank($0) }) ?? true { best = attempt }
    return best
  }
}

extension ReachabilityConnectionReport.Attempt {
  /// The outcome in words.
  var words: String {
    switch outcome {
    case .connected: "connected"
    case .refused: reporter.map { "refused by \($0)" } ?? "refused"
    case .timedOut where isStoppedHere: "no packet left within \(duration.inWords)"
    case .timedOut: "no answer within \(duration.inWords)"
    case .failed(let number):
      Self.words(forError: number) + (reporter.map { ", reported by \($0)" } ?? "")
    case .abandoned: "no answer before another connection succeeded"
    case .notTried: "not tried"
    }
  }

  /// The error numbers are those of Linux, which are the same on all its architectures but for a few old ones.
  static func words(forError number: Int32) -> String {
    switch number {
    case 1: "not permitted (EPERM)"
    case 13: "prohibited (EACCES)"
    case 19: "no such interface (ENODEV)"
    case 22: "rejected by the system (EINVAL)"
    case 24, 23: "no descriptors left"
    case 97: "address family not supported (EAFNOSUPPORT)"
    case 99: "no local address and port to send from (EADDRNOTAVAIL)"
    case 101: "network unreachable (ENETUNREACH)"
    case 104: "connection reset (ECONNRESET)"
    case 111: "refused on this machine (ECONNREFUSED)"
    case 113: "host unreachable (EHOSTUNREACH)"
    default: "error \(number)"
    }
  }
}
