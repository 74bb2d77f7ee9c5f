// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

/// The evaluation of packets whose next hop is dead.
extension Evaluator {
  /// The number of hypothetical connections that are queried if a route has several next hops.
  ///
  /// Half of the connections use each of two equal next hops, so the live one of two is missed once in 65,536 times.
  package static let flowCount: UInt8 = 16

  /// Evaluates whether connections to the same destination can use another next hop, which is alive.
  ///
  /// A multipath route sends a packet by the next hop that a hash selects, dead or not. By default, IPv4 hashes the
  /// addresses (`fib_multipath_hash_policy` 0), and IPv6 the protocol too, so the choice is final. Other policies hash
  /// the ports. The answers show which policy applies, in any network namespace.
  ///
  /// - Parameters:
  ///   - question: The query for the target.
  ///   - dead: The status over the next hop that the kernel selected.
  ///   - exact: The matching entry.
  func compareOtherFlows(
    _ question: RouteRequest, dead: ReachabilityStatus, exact: RouteAnswer, _ answers: RouteAnswers,
    lifetime: Duration?
  ) -> Verdict {
    let final = Verdict.known(Evaluation(dead, lifetime: lifetime))
    guard case .success(let entry) = exact else { return final }
    switch hasLiveHop(entry, question) {
    case .failure(let missing): return .unknownLink(missing.index)
    case .success(false): return final
    case .success(true): break
    }
    let flows = (0..<Self.flowCount).map(question.inFlow)
    let open = flows.filter { answers[$0] == nil }
    guard open.isEmpty else { return .ask(open) }
    var again: [RouteRequest] = []
    for flow in flows {
      guard case .success(let first)? = answers[flow], live(first, question) != nil else { continue }
      var reply = first
      // Whatever the next hop, an IPv4 socket looks up the route again, from the source that it was given.
      if flow.source == nil, flow.destination.bitWidth == 32, flow.sender != .tunnel,
        let source = first.preferredSource
      {
        guard let second = answers[flow.from(source)] else {
          again.append(flow.from(source))
          continue
        }
        guard case .success(let answer) = second else { continue }
        reply = answer
      }
      guard let link = live(reply, question), let source = question.source ?? first.preferredSource else {
        continue
      }
      return .known(
        Evaluation(reachable(over: link, gateway: reply.gateway, source: source), lifetime: lifetime))
    }
    return again.isEmpty ? final : .ask(again)
  }

  private struct MissingLink: Error {
    var index: Int32
  }

  /// Whether an entry has a live next hop, or may have one: with `nexthop_compat_mode=0` it does not list them.
  private func hasLiveHop(_ entry: RouteMessage, _ question: RouteRequest) -> Result<Bool, MissingLink> {
    if entry.isOfAnotherRoute(than: question.destination) { return .success(true) }
    if entry.nextHops.isEmpty { return .success(entry.interface == nil) }
    for hop in entry.nextHops where !hop.flags.isDown {
      guard let link = network.links[hop.interface] else {
        return .failure(MissingLink(index: hop.interface))
      }
      if link.carries(question.destination, via: hop.gateway), packets(to: question, mayLeaveBy: link) {
        return .success(true)
      }
    }
    return .success(false)
  }

  /// Returns the link that an answer names, if packets leave by it.
  private func live(_ reply: RouteMessage, _ question: RouteRequest) -> LinkState? {
    guard let link = reply.interface.flatMap({ network.links[$0] }),
      link.carries(question.destination, via: reply.gateway), packets(to: question, mayLeaveBy: link)
    else { return nil }
    return link
  }
}

extension ReachabilityStatus {
  /// The status of all packets over a link that is not up; `nil` if the link is up.
  init?(dead link: LinkState) {
    switch link.condition {
    case .up: return nil
    case .down: self = .notReachable(.interfaceDown, over: link.interface)
    case .noCarrier: self = .notReachable(.noCarrier, over: link.interface)
    case .dormant:
      self = .notReachable(.linkDormant, over: link.interface)
      if link.isTransient { flags.insert(.transientConnection) }
    }
  }

  /// The status of packets for this machine that a link does not deliver; `nil` if it delivers them.
  ///
  /// That link is the loopback interface or a VRF, whichever interface has the address.
  init?(undelivering link: LinkState) {
    guard link.delivers else { return nil }
    self.init(dead: link)
  }
}

extension Evaluator {
  /// Whether packets are delivered on this machine.
  ///
  /// For the anycast addresses of this machine, the kernel names the link that delivers. Packets for the anycast
  /// addresses of an added route leave by its interface.
  func isDelivered(_ reply: RouteMessage) -> Bool {
    guard reply.kind == .anycast, let link = reply.interface.flatMap({ network.links[$0] }) else {
      return reply.kind.isHere
    }
    return link.delivers
  }
}

extension LinkState {
  /// Whether packets for this machine pass this link, whichever interface has the address.
  fileprivate var delivers: Bool { interface.kind == .loopback || interface.linkType == "vrf" }
}
#endif
