// SPDX-License-Identifier: Apache-2.0
extension Explainer {
  /// Returns a step for each family whose packets this machine itself stopped, after the route let them pass.
  func localFilterSteps(_ report: ReachabilityConnectionReport) -> [ReachabilityExplanation.Step] {
    var stops = families(of: report).compactMap { family, attempts in
      attempts.mostInformative.flatMap { stop($0, report.port) }.map { (family, $0.fact, $0.advice) }
    }
    if let datagram = facts.probe.refusedDatagram {
      let fact =
        "does not send datagrams to \(datagram.address) port \(datagram.port): "
        + Attempt.words(forError: datagram.errorNumber)
      stops.append(
        (
          datagram.address.family, fact,
          Self.firewallAdvice(to: datagram.address, port: datagram.port, over: .udp)
        ))
    }
    return stops.map { family, fact, advice in
      .init(
        .localFilter, family: family, .failed, fact: "this machine " + fact,
        problem: "This machine itself " + fact + ".", advice: advice)
    }
  }

  /// Returns what this machine did to an attempt, and the advice; `nil` if it did nothing that is known.
  private func stop(_ attempt: Attempt, _ port: UInt16) -> (fact: String, advice: String)? {
    let (address, target) = (attempt.address, "\(attempt.address) port \(port)")
    switch attempt.outcome {
    case .timedOut where attempt.isStoppedHere && isOutOfRoom(address.family): return nil
    case .timedOut where attempt.isStoppedHere:
      return (
        "dropped the packets to \(target) after routing: a firewall's output rule, a traffic filter or a security policy",
        Self.filterAdvice(address, port)
      )
    case .failed(let number) where attempt.isStoppedHere && [1, 13].contains(number):
      return (
        "forbids packets to \(target): a control group's program or a security policy",
        Self.filterAdvice(address, port)
      )
    // Older kernels do not name the sender of the error; a next hop that did not answer leaves an entry.
    case .failed(errorNumber: 113)
    where attempt.isStoppedHere || attempt.reporter == nil && neighbours(of: address).contains(.absent):
      return (
        "reports \(address) as unreachable: a firewall rule", Self.firewallAdvice(to: address, port: port)
      )
    case .failed(let number) where attempt.isStoppedHere || number == 111:
      return (
        "refuses connections to \(target): a firewall rule", Self.firewallAdvice(to: address, port: port)
      )
    default: return nil
    }
  }

  /// The advice about a rule that refuses.
  static func firewallAdvice(
    to address: ReachabilityAddress, port: UInt16, over transport: ReachabilityTarget.Transport = .tcp
  ) -> String {
    let host = address.family == .v4 ? "\(address)" : "[\(address)]"
    return "To name the rule, as root: reachability trace \(transport.rawValue)://\(host):\(port)."
  }

  /// The advice about packets that disappear.
  static func filterAdvice(_ address: ReachabilityAddress, _ port: UInt16) -> String {
    firewallAdvice(to: address, port: port) + " If none is named, look at: tc -s qdisc, ip xfrm policy."
  }
}

extension TrafficEvidence {
  /// What this machine itself did to the packets of its connections; `nil` unless it dropped them.
  var localFilterStep: ReachabilityExplanation.Step? {
    guard fault == .thisMachine else { return nil }
    let own = ownStalledConnections.first
    return .init(
      .localFilter, .unknown,
      fact:
        "the packets of \(stalledConnections == 1 ? "a connection" : "\(stalledConnections) connections") "
        + "did not leave this machine",
      problem:
        "This machine itself drops packets after routing, or holds them back: a firewall's output rule, a traffic "
        + "filter, a security policy or a full queue.",
      advice: own.map { Explainer.filterAdvice($0.peer, $0.port) }
        ?? "Look, as root, at: nft list ruleset, tc -s qdisc, ip xfrm policy.")
  }
}
