// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

extension NetworkTracker {
  /// The time until an evaluation that failed is repeated.
  static var retryInterval: Duration { Evaluator.retryInterval }

  /// Evaluates the status of a target with everything announced so far.
  mutating func evaluate(_ target: ReachabilityTarget) -> Evaluation {
    do throws(NetlinkError) {
      if tables.state == .unsettled { update() }
      if target.isConstrained {
        // The first question depends on the tables.
        update()
        if let failure = tables.failure { throw failure }
        readSettings(for: [target])
      }
      return try withPolicies(about: target) { tracker throws(NetlinkError) in
        try tracker.evaluation(of: target)
      }
    } catch {
      return Evaluation(.unknown(.systemError))
    }
  }

  /// Reads the settings that decide about targets and whose change the kernel does not announce.
  mutating func readSettings(for targets: [ReachabilityTarget]) {
    guard targets.contains(where: { $0.source?.bitWidth == 128 }) else { return }
    let allowsAnySource = sources?.allowsAnySource() ?? false
    if allowsAnySource != tables.evaluator.allowsAnySource { tables.cache.removeAll() }
    tables.evaluator.allowsAnySource = allowsAnySource
  }

  /// Evaluates the status of an observed target.
  mutating func evaluateObserved(_ target: ReachabilityTarget) -> Evaluation {
    withPolicies(about: target) { $0.evaluateRouted(target) }
  }

  /// Evaluates a target, and again if an IPsec policy blocks its packets.
  private mutating func withPolicies<Failure: Error>(
    about target: ReachabilityTarget, _ evaluate: (inout Self) throws(Failure) -> Evaluation
  ) throws(Failure) -> Evaluation {
    var evaluation = try evaluate(&self)
    if suspectsPolicy({ network, _ in network.policyQuestion(about: target, evaluation.status) }, count: 1) {
      evaluation = try evaluate(&self)
    }
    clearSuspectedPolicies(isBlocked: evaluation.status.reason == .blockedByIPsec)
    return evaluation
  }

  private mutating func evaluateRouted(_ target: ReachabilityTarget) -> Evaluation {
    let wasCurrent = tables.state == .current
    if !wasCurrent { update() }
    if tables.failure == nil, !target.isConstrained,
      // The socket of the announcements, whose code runs anyway; that of batches would have to be fetched.
      let evaluation = try? evaluation(of: target, isWatched: true)
    {
      return evaluation
    }
    return evaluateRouted([target], isUpdated: !wasCurrent)[0]
  }

  /// Evaluates the statuses of observed targets, in their order, with few system calls whatever their number.
  mutating func evaluateObserved(_ targets: [ReachabilityTarget]) -> [Evaluation] {
    if targets.count == 1 { return [evaluateObserved(targets[0])] }
    var evaluations = evaluateRouted(targets)
    if suspectsPolicy({ $0.policyQuestion(about: targets[$1], evaluations[$1].status) }, count: targets.count)
    {
      evaluations = evaluateRouted(targets)
    }
    clearSuspectedPolicies(isBlocked: evaluations.contains { $0.status.reason == .blockedByIPsec })
    return evaluations
  }

  private mutating func evaluateRouted(
    _ targets: [ReachabilityTarget], isUpdated: Bool = false
  ) -> [Evaluation] {
    // The tables must not be older than the call: an announcement since the last one may be why an observer joined.
    if !isUpdated { update() }
    readSettings(for: targets)
    tables.evaluator.isWatching = true
    var evaluations = [Evaluation](repeating: tables.evaluator.unknown, count: targets.count)
    guard tables.failure == nil else { return evaluations }
    // Steps limit the memory that many targets take.
    for start in stride(from: 0, to: targets.count, by: Conversation.batchLimit) {
      let end = min(start + Conversation.batchLimit, targets.count)
      var inquiries = targets[start..<end].map { StatusInquiry($0) }
      // If it throws, the others remain unknown.
      try? resolve(&inquiries)
      for (position, inquiry) in inquiries.enumerated() {
        if let evaluation = inquiry.evaluation { evaluations[start + position] = evaluation }
      }
    }
    return evaluations
  }

  // MARK: Path

  /// Evaluates the path with everything announced so far.
  mutating func evaluatePath(_ nameServers: [ReachabilityPath.NameServer]) -> PathEvaluation {
    withPolicies { tracker in
      let evaluation = try? tracker.readConsistently { tracker throws(NetlinkError) in
        var inquiries = [PathInquiry(nameServers: nameServers)]
        try tracker.resolve(&inquiries, isWatched: false)
        return inquiries[0].evaluation
      }
      return evaluation.flatMap(\.self) ?? .unknown(for: nil)
    }
  }

  /// Evaluates the path, and again if an IPsec policy blocks packets by its default routes; adds what routers announced.
  private mutating func withPolicies(_ evaluate: (inout Self) -> PathEvaluation) -> PathEvaluation {
    var evaluation = evaluate(&self)
    let families = [evaluation.path.supportsIPv4, evaluation.path.supportsIPv6]
    if suspectsPolicy(
      { families[$1] ? RouteRequest(DefaultRoute.candidates[$1][0], for: .defaultRoute) : nil }, count: 2
    ) {
      evaluation = evaluate(&self)
    }
    let path = evaluation.path
    clearSuspectedPolicies(
      isBlocked: [path.reasonAgainstIPv4, path.reasonAgainstIPv6].contains(.blockedByIPsec))
    tables.portals.add(to: &evaluation, now: .now)
    return evaluation
  }

  /// Evaluates the path for observers, for whom each change leads to another evaluation.
  mutating func evaluateObservedPath(_ nameServers: [ReachabilityPath.NameServer]) -> PathEvaluation {
    if tables.state != .current { update() }
    return withPolicies { tracker in
      var inquiries = [PathInquiry(nameServers: nameServers)]
      if tracker.tables.failure == nil { try? tracker.resolve(&inquiries) }
      return inquiries[0].evaluation ?? .unknown(for: Self.retryInterval)
    }
  }
}

extension ReachabilityTarget {
  /// Whether the first question about it depends on the tables, which have its interface and its source.
  fileprivate var isConstrained: Bool { interface != nil || source != nil }
}
#endif
