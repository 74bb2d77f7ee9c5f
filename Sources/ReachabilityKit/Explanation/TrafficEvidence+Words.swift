// SPDX-License-Identifier: Apache-2.0
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

  /// Whether nothing answers, by strong evidence.
  package var isStrongStall: Bool { verdict == .stalled && strength == .strong }

  /// The evidence in words, for example `2 peers answer, last segment received 0.4 ms ago`.
  package var words: String { words { $0.inWords } }

  /// Whether other evidence reads the same, except for ages.
  package func readsSame(as other: TrafficEvidence) -> Bool {
    verdict == other.verdict && words { _ in "" } == other.words { _ in "" }
  }

  private func words(_ age: (Duration) -> String) -> String {
    let left = leftBehind.map { left in
      "\(count(left.connections, one: "connection", many: "connections")) left behind by a change"
        + " (no answer for \(age(left.duration)))"
    }
    let suspicion = suspectedMTU.map { "packets of \($0) bytes probably do not pass" }
    let clauses: [String?]
    switch verdict {
    case .answering:
      let received = received.map { "last segment received \(age($0)) ago" }
      let answering =
        answeringPeers > 0 ? count(answeringPeers, one: "peer answers", many: "peers answer") : nil
      clauses = [answering, received, stalling, unsent, suspicion, left, weakness]
    case .stalled:
      if stalledPeers == 0, let silentTunnel {
        clauses = ["a tunnel has sent packets for \(age(silentTunnel)), and received none", left]
      } else {
        clauses = ["no answer for \(age(stalled ?? .zero))", stalling, unsent, suspicion, left, weakness]
      }
    case .none where obstacle != nil: return "TCP connections cannot be read: \(obstacleWords)"
    case .none: clauses = ["no TCP traffic to judge by", stalling, unsent, suspicion, left]
    }
    return clauses.compactMap(\.self).joined(separator: ", ")
  }

  /// The number of peers or else of connections that stall, and the first of the calling user's own.
  private var stalling: String? {
    guard stalledConnections > 0 else { return nil }
    let limit = 3
    var own = ownStalledConnections.prefix(limit).map { "\($0.peer) port \($0.port)" }
    if ownStalledConnections.count > limit { own.append("and others") }
    let text =
      stalledPeers > 0
      ? count(stalledPeers, one: "peer stalls", many: "peers stall")
      : count(stalledConnections, one: "connection stalls", many: "connections stall")
    return own.isEmpty ? text : text + " (\(own.joined(separator: ", ")))"
  }

  private var unsent: String? { fault == .thisMachine ? "none of its packets left this machine" : nil }

  private var weakness: String? { strength == .weak ? "weak evidence" : nil }

  private func count(_ number: Int, one: String, many: String) -> String {
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

  /// The problem and the advice; `nil` unless there is a stall, large segments do not pass, or connections were left
  /// behind.
  private var trouble: (problem: String, advice: String)? {
    if let mtu = suspectedMTU {
      return (
        "Segments of full size stall while smaller ones pass: a router probably drops packets of \(mtu) bytes.",
        "Lower the MTU of the interface, or let ICMP errors pass on the path: ip link set dev INTERFACE mtu 1280."
      )
    }
    guard verdict == .stalled else { return leftBehind.map { (problem(of: $0), advice(about: $0)) } }
    switch fault?.value {
    // Which has a step of its own.
    case .thisMachine: return nil
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

  private func problem(of left: LeftBehind) -> String {
    left.connections == 1
      ? "A connection was left behind by a change: it keeps an address of an interface that its packets no longer take."
      : "\(left.connections) connections were left behind by a change: they keep addresses of interfaces that their "
        + "packets no longer take."
  }

  private func advice(about left: LeftBehind) -> String {
    let filters = left.addresses.map { "src " + ($0.family == .v6 ? "[\($0)]" : "\($0)").shellWord }
    let path = verdict == .answering ? "The path works: restart" : "Restart"
    return "\(path) their programs, or let them reconnect. To list them: ss -tnp "
      + filters.joined(separator: " or ") + "."
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
