// SPDX-License-Identifier: Apache-2.0
import InternetProtocol

/// The decisions about the packets of one flow, in order: pure, and deaf to the packets of others.
///
/// Other processes may trace packets too, and all listeners receive all traces. A trace counts if it comes from a rule that
/// marks the flow, or if its headers are exactly those of the flow. It also counts if it has the number of such a packet and
/// comes without headers, or with headers of which NAT has replaced one end.
package struct DecisionLog: Sendable {
  /// What a rule or a policy decided.
  package struct Decision: Equatable, Sendable {
    package var isOutgoing: Bool
    package var family: FilterFamily
    package var table: [UInt8]
    package var chain: [UInt8]
    /// The chain that the hook calls, from which the packet came to ``chain``.
    package var firstChain: [UInt8]
    /// `nil` if the policy of the chain decided, or the chain ended.
    package var rule: UInt64?
    package var verdict: FilterVerdict
    package var isPolicy: Bool
  }

  /// The name of the table that marks the packets, whose own decisions do not count.
  private let ownTable: [UInt8]
  private var flow: Flow
  /// The packets of the flow by their numbers: the direction, and the chain that a hook called last.
  private var packets: [UInt32: (isOutgoing: Bool, firstChain: [UInt8])] = [:]
  /// The first decisions, without the ends of chains.
  package private(set) var decisions: [Decision] = []
  /// The first decision that dropped a packet of the probe.
  package private(set) var drop: Decision?
  /// The first decision that dropped an answer to the probe.
  package private(set) var answerDrop: Decision?
  /// The decision that gave the probe's last packet to something outside of nf_tables, unless it came back.
  package private(set) var handover: Decision?
  /// Whether a packet of the probe was traced.
  package private(set) var hasSeenProbe = false

  /// The limit of ``decisions``, and of the packets that are distinguished.
  private static var limit: Int { 64 }

  package init(of flow: Flow, markedBy table: TraceTable) {
    self.flow = flow
    ownTable = Array(table.name.utf8)
  }

  /// Records the address of the socket, which the kernel chooses when it connects.
  package mutating func setLocal(_ address: ReachabilityAddress?) { flow.local = address }

  /// Adds a trace; returns whether it is about a packet of the flow.
  @discardableResult
  package mutating func add(_ trace: TraceMessage) -> Bool {
    guard let id = trace.id, let isOutgoing = direction(of: trace, id) else { return false }
    if isOutgoing { hasSeenProbe = true }
    guard trace.table != ownTable else { return true }
    let isPolicy = trace.policy != nil
    guard let verdict = trace.policy.map({ FilterVerdict(Int32(truncatingIfNeeded: $0)) }) ?? trace.verdict
    else { return true }
    let decision = Decision(
      isOutgoing: isOutgoing, family: trace.family, table: trace.table, chain: trace.chain,
      firstChain: packets[id]?.firstChain ?? trace.chain, rule: trace.rule, verdict: verdict,
      isPolicy: isPolicy)
    apply(decision)
    return true
  }

  private mutating func apply(_ decision: Decision) {
    if decision.isOutgoing { handover = nil }
    switch decision.verdict.kind {
    case .drop:
      if decision.isOutgoing { drop = drop ?? decision } else { answerDrop = answerDrop ?? decision }
    case .queue, .stolen: if decision.isOutgoing { handover = decision }
    default: break
    }
    guard decision.rule != nil || decision.isPolicy, decisions.count < Self.limit else { return }
    decisions.append(decision)
  }

  /// Returns whether a trace is about a packet of the probe, or about an answer; `nil` if it is another's.
  private mutating func direction(of trace: TraceMessage, _ id: UInt32) -> Bool? {
    if trace.table == ownTable, trace.family == .inet, trace.rule != nil {
      guard packets[id] != nil || packets.count < Self.limit else { return nil }
      let isOutgoing = trace.chain == Array(TraceTable.Chain.output.name.utf8)
      packets[id] = (isOutgoing, trace.chain)
      return isOutgoing
    }
    guard !trace.networkHeader.isEmpty || !trace.transportHeader.isEmpty else {
      return packets[id]?.isOutgoing
    }
    let match = flow.match(trace.networkHeader, trace.transportHeader)
    guard let match, match.isExact || packets[id]?.isOutgoing == match.isOutgoing else {
      // The number now is that of another packet.
      packets[id] = nil
      return nil
    }
    guard packets[id] != nil || packets.count < Self.limit else { return nil }
    packets[id] = (match.isOutgoing, trace.chain)
    return match.isOutgoing
  }
}
