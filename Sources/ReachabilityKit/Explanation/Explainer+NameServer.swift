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
    guard let reply = facts.replies[server] else { return .init(.nameServer, .passed, fact: text) }
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
      step.advice = Self.firewallAdvice(server.address)
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
