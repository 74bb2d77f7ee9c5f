// SPDX-License-Identifier: Apache-2.0
extension Explainer {
  /// Returns a step for each family whose packets this machine itself stopped, after the route let them pass.
  func localFilterSteps(_ report: ReachabilityConnectionReport) -> [ReachabilityExplanation.Step] {
    families(of: report).compactMap { family, attempts in
      guard let best = attempts.mostInformative, let (fact, advice) = stop(best, report.port) else { return nil }
      return .init(
        .localFilter, family: family, .failed, fact: fact, problem: "This machine itself " + fact + ".",
        advice: advice)
    }
  }

  /// Returns what this machine did to an attempt, and the advice; `nil` if it did nothing that is known.
  private func stop(_ attempt: Attempt, _ port: UInt16) -> (fact: String, advice: String)? {
    let (address, target) = (attempt.address, "\(attempt.address) port \(port)")
    switch attempt.outcome {
    case .timedOut where attempt.isStoppedHere:
      return (
        "dropped the packets to \(target) after routing: a firewall's output rule, a traffic filter or a security policy",
        Self.filterAdvice(address)
      )
    case .failed(let number) where attempt.isStoppedHere && [1, 13].contains(number):
      return (
        "forbids packets to \(target): a control group's program or a security policy",
        Self.filterAdvice(address)
      )
    // Older kernels do not name the sender of the error; a next hop that did not answer leaves an entry.
    case .failed(errorNumber: 113)
    where attempt.isStoppedHere || attempt.reporter == nil && neighbours(of: address).contains(.absent):
      return ("reports \(address) as unreachable: a firewall rule", Self.firewallAdvice(address))
    case .failed where attempt.isStoppedHere:
      return ("refuses connections to \(target): a firewall rule", Self.firewallAdvice(address))
    default: return nil
    }
  }

  static func firewallAdvice(_ address: ReachabilityAddress) -> String {
    "Look at this machine's firewall rules: nft list ruleset, or \(address.family.rulesProgram)-save."
  }

  static func filterAdvice(_ address: ReachabilityAddress) -> String {
    "Look at this machine's firewall rules, traffic filters and policies: nft list ruleset, "
      + "\(address.family.rulesProgram)-save, tc -s qdisc, ip xfrm policy."
  }
}

extension ReachabilityAddress.Family {
  fileprivate var rulesProgram: String { self == .v4 ? "iptables" : "ip6tables" }
}

extension TrafficEvidence {
  /// What this machine itself did to the packets of its connections; `nil` unless it dropped them.
  var localFilterStep: ReachabilityExplanation.Step? {
    guard fault == .thisMachine else { return nil }
    return .init(
      .localFilter, .unknown,
      fact: "the packets of \(stalledConnections == 1 ? "a connection" : "\(stalledConnections) connections") "
        + "did not leave this machine",
      problem: "This machine itself drops packets after routing, or holds them back: a firewall's output rule, a traffic "
        + "filter, a security policy or a full queue.",
      advice: Explainer.filterAdvice(ownStalledConnections.first?.peer ?? .v4(.init(rawValue: 0))))
  }
}
