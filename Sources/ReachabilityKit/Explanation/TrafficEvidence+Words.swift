extension TrafficEvidence {
  /// The evidence as a step of an explanation.
  ///
  /// A stall stops no packets by itself, so the step never fails.
  package var step: ReachabilityExplanation.Step {
    let trouble = trouble
    let verdict: ReachabilityExplanation.Step.Verdict =
      self.verdict == .answering && trouble == nil ? .passed : .unknown
    return .init(.traffic, verdict, fact: words, problem: trouble?.problem, advice: trouble?.advice)
  }

  /// The evidence in words, for example `2 peers answer, last segment received 0.4 ms ago`.
  package var words: String {
    switch verdict {
    case .answering:
      let age = received.map { "last segment received \($0.inWords) ago" }
      let answering = answeringPeers > 0 ? count(answeringPeers, "peer answers", "peers answer") : nil
      return [answering, age, stalling, weakness].compactMap(\.self).joined(separator: ", ")
    case .stalled:
      if stalledPeers == 0, let silentTunnel {
        return "a tunnel has sent packets for \(silentTunnel.inWords), and received none"
      }
      let age = "no answer for \((stalled ?? .zero).inWords)"
      return [age, stalling, weakness].compactMap(\.self).joined(separator: ", ")
    case .none where obstacle != nil: return "TCP connections cannot be read: \(obstacleWords)"
    case .none: return ["no TCP traffic to judge by", stalling].compactMap(\.self).joined(separator: ", ")
    }
  }

  /// The number of peers or else of connections that stall, and the first of the calling user's own.
  private var stalling: String? {
    guard stalledConnections > 0 else { return nil }
    let limit = 3
    var own = ownStalledConnections.prefix(limit).map { "\($0.peer) port \($0.port)" }
    if ownStalledConnections.count > limit { own.append("and others") }
    let text =
      stalledPeers > 0
      ? count(stalledPeers, "peer stalls", "peers stall")
      : count(stalledConnections, "connection stalls", "connections stall")
    return own.isEmpty ? text : text + " (\(own.joined(separator: ", ")))"
  }

  private var weakness: String? { strength == .weak ? "weak evidence" : nil }

  private func count(_ number: Int, _ one: String, _ many: String) -> String {
    "\(number) \(number == 1 ? one : many)"
  }

  private var obstacleWords: String {
    switch obstacle?.value {
    case .notPermitted: "the system does not permit it"
    case .unsupported: "the system does not list them"
    case .namesNotResolved: "the host's addresses are not known"
    case .systemError, nil: "the system failed to answer"
    }
  }

  /// The problem and the advice; `nil` unless there is a stall, or large segments do not pass.
  private var trouble: (problem: String, advice: String)? {
    if let mtu = suspectedMTU {
      return (
        "Segments of full size stall while smaller ones pass: a router probably drops packets of \(mtu) bytes.",
        "Lower the MTU of the interface, or let ICMP errors pass on the path: ip link set INTERFACE mtu 1280."
      )
    }
    guard verdict == .stalled else { return nil }
    switch fault {
    case .peer:
      return (
        "The target does not answer, but other peers over the same path do.",
        "The path works: check that the target is up, and trace the route to it."
      )
    case .network:
      return (
        "Nothing on this network answers: several peers stall, and none over the same path answers.",
        routerAdvice
      )
    case .undetermined where silentTunnel != nil && stalledPeers == 0:
      return (
        "Nothing answers through the tunnel.", "Check the keys and the remote end of the tunnel."
      )
    case .undetermined, .connection, nil:
      return (
        "The only peer with traffic does not answer: the fault is the peer's or the network's.",
        "Compare with another host: reachability explain HOST --probe PORT."
      )
    }
  }

  private var routerAdvice: String {
    guard let nextHop else { return "Check the link to the other machines, or the router and its uplink." }
    return switch nextHop.state {
    case .confirmed: "The router \(nextHop.address) answers, so check its uplink."
    case .failed: "Check that the router \(nextHop.address) is switched on and on this link."
    case .unconfirmed, .probing: "Check the router \(nextHop.address) and its uplink."
    }
  }
}
