// SPDX-License-Identifier: Apache-2.0
/// What was found on the way to an address that did not answer.
struct PathFinding: Sendable {
  var address: ReachabilityAddress
  /// The routers that reported packets which ended there, by their number of hops; `nil` if none were sent.
  var routers: [Int: ReachabilityAddress]?
  /// The attempt over another interface that answered, if one did.
  var detour: Detour?

  /// Another interface, over which the address answers.
  struct Detour: Sendable {
    var interface: ReachabilityInterface
    /// The router there; `nil` on the link.
    var gateway: ReachabilityAddress?
    var attempt: ReachabilityConnectionReport.Attempt
  }
}

extension Explainer {
  /// The steps of what lies on the way to the addresses that did not answer.
  var pathSteps: [ReachabilityExplanation.Step] {
    facts.probe.paths.flatMap { [hopsStep($0), detourStep($0)].compactMap(\.self) }
  }

  private func hopsStep(_ finding: PathFinding) -> ReachabilityExplanation.Step? {
    guard let routers = finding.routers,
      let path = facts.paths.first(where: { $0.target.destination == .address(finding.address) }),
      let gateway = path.status.gateway
    else { return nil }
    var step = ReachabilityExplanation.Step(.hops, family: finding.address.family, .unknown, fact: "")
    guard let last = routers.keys.max(), let router = routers[last] else {
      step.fact = "no router on the path answers"
      // A router without a link-layer address has a problem of its own.
      guard [.reachable, .stale].contains(path.neighbour) else { return step }
      step.problem =
        "The router \(gateway) answers on the link, but probably does not forward packets, or sends the answers elsewhere: neither it nor a later router reports packets that end there."
      let source = path.status.source.map { "\($0)" }
      step.advice =
        "Check that it forwards packets, has a route to \(finding.address)\(source.map { " and one back to \($0)" } ?? ""), and that no "
        + "other machine has its address\(source.map { " or \($0)" } ?? "")."
      return step
    }
    step.verdict = .passed
    step.fact = "packets get as far as \(router), hop \(last)"
    return step
  }

  private func detourStep(_ finding: PathFinding) -> ReachabilityExplanation.Step? {
    guard let detour = finding.detour else { return nil }
    let family = finding.address.family
    let via = detour.gateway.map { " via \($0)" } ?? ""
    let tool = family == .v6 ? "ip -6" : "ip"
    return .init(
      .detour, family: family, .unknown,
      fact: "\(finding.address) answers over \(detour.interface)\(via)",
      problem: "\(finding.address) answers over \(detour.interface.name), which its packets do not take.",
      advice:
        "Send them there: \(tool) route replace \(finding.address)\(via) dev \(detour.interface.name.shellWord).",
      duration: detour.attempt.duration)
  }
}
