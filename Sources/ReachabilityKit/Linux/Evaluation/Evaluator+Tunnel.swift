// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

/// The packets that tunnels make of those that enter them.
extension Evaluator {
  /// Evaluates what carries the tunnel that a reachable status leaves by, and the tunnels below.
  ///
  /// - Parameters:
  ///   - verdict: The verdict on the packets that enter the tunnel.
  ///   - answers: The answers about the tunnels' own packets.
  func throughTunnels(_ verdict: Verdict, _ answers: @autoclosure () -> RouteAnswers) -> Verdict {
    // Most machines have no tunnel.
    guard !network.tunnels.isEmpty, case .known(let evaluation) = verdict, evaluation.status.leaves,
      let index = evaluation.status.interface.flatMap({ Int32(exactly: $0.index) }),
      let tunnel = tunnel(under: index)
    else { return verdict }
    return through(tunnel, evaluation, given: answers())
  }

  /// Returns a link, or the one below that makes its packets, if that is a tunnel with a fixed remote.
  func tunnel(under index: Int32) -> Int32? {
    var index = index
    for _ in 0..<LinkStack.heightLimit {
      if network.tunnels[index] != nil { return index }
      guard let link = network.links[index], link.foundation == .lower, let lower = link.lower else {
        return nil
      }
      index = lower
    }
    return nil
  }

  @inline(never)
  private func through(_ tunnel: Int32, _ evaluation: Evaluation, given answers: RouteAnswers) -> Verdict {
    var evaluation = evaluation
    var underlays: [ReachabilityStatus.Underlay] = []
    var passed: [Int32] = []
    var next: Int32? = tunnel
    while let tunnel = next, let question = network.tunnels[tunnel] {
      passed.append(tunnel)
      let carrier = verdict(on: question, answers)
      guard case .known(let outer) = carrier else { return carrier }
      let status = outer.status
      evaluation.lifetime = [evaluation.lifetime, outer.lifetime].compactMap(\.self).min()
      underlays.append(
        ReachabilityStatus.Underlay(
          to: question.destination, over: status.interface, gateway: status.gateway, source: status.source))
      if !status.isReachable {
        evaluation.status = evaluation.status.stopped(by: status, over: underlays)
        return .known(evaluation)
      }
      next = status.leaves ? status.interface.flatMap { self.tunnel(under: Int32($0.index)) } : nil
      // The kernel discards packets that enter a tunnel again.
      if let next, passed.contains(next) {
        evaluation.status = evaluation.status.stopped(by: .notReachable(.tunnelLoop), over: underlays)
        return .known(evaluation)
      }
    }
    evaluation.status.underlays = underlays
    return .known(evaluation)
  }
}

extension Evaluator {
  /// Returns the status by links, addresses and routes, whatever carries a tunnel, and whatever IPsec policies block.
  func routedStatus(of target: ReachabilityTarget, _ answers: RouteAnswers) -> ReachabilityStatus? {
    var other = self
    other.network.forgetTunnels()
    other.policies = .none
    guard case .known(let evaluation) = other.evaluate(target, answers) else { return nil }
    return evaluation.status
  }
}

extension ReachabilityStatus {
  /// Whether packets leave this machine.
  fileprivate var leaves: Bool { isReachable && !flags.contains(.isLocalAddress) }

  /// The status of packets that enter a tunnel whose own packets do not leave.
  fileprivate func stopped(by outer: ReachabilityStatus, over underlays: [Underlay]) -> ReachabilityStatus {
    var status = ReachabilityStatus.notReachable(outer.reason ?? .noRoute, over: interface)
    if outer.state == .unknown { status = .unknown(outer.reason ?? .systemError) }
    status.underlays = underlays
    return status
  }
}

/// The evaluation of packets that a route wraps into others.
extension Evaluator {
  /// Evaluates packets to a segment (SRv6), which leave by the segment's route, whatever the state of the first route's link.
  ///
  /// The kernel looks that route up as for its own packets: without the socket's interface and protocol, but with its
  /// mark. Where rules for sources or several next hops take part, its choice is not known.
  ///
  /// - Parameter source: The source of the packets inside.
  func verdict(
    by encapsulation: Encapsulation, _ question: RouteRequest, from source: ReachabilityAddress,
    _ answers: RouteAnswers, lifetime: Duration?
  ) -> Verdict {
    let unknown = Verdict.known(Evaluation(.unknown(.encapsulated), lifetime: lifetime))
    guard case .segment(let segment) = encapsulation, !segment.needsZone,
      let outer = question.towards(segment),
      !network.sourceRules.contains(where: { $0.source?.address.bitWidth == 128 })
    else { return unknown }
    let open = [outer, outer.exact].filter { answers[$0] == nil }
    guard open.isEmpty, let answer = answers[outer] else { return .ask(open) }
    if case .success(let reply) = answer {
      // The segment's functions on this machine decide about packets that end here.
      guard !isDelivered(reply), case .success(let entry)? = answers[outer.exact], entry.interface != nil
      else { return unknown }
    }
    let verdict = verdict(on: answer, to: outer, for: outer, answers)
    guard case .known(var evaluation) = verdict else { return verdict }
    if evaluation.status.isReachable {
      evaluation.status.source = source
      evaluation.status.flags.remove(.isDirect)
    }
    // Announcements about the segment do not count as ones about the destination.
    let end = isWatching ? Self.retryInterval : nil
    evaluation.lifetime = [lifetime, evaluation.lifetime, end].compactMap(\.self).min()
    return .known(evaluation)
  }
}
#endif
