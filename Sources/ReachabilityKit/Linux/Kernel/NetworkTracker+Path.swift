#if os(Linux)
import Netlink

extension NetworkTracker {
  /// Evaluates the path with everything announced so far.
  mutating func evaluatePath(
    _ nameServers: [ReachabilityPath.NameServer], _ metering: (any MeteringSource)?
  ) -> PathEvaluation {
    let inquiry = PathInquiry(nameServers, metering)
    let ended = try? readConsistently { tracker throws(NetlinkError) in
      try tracker.resolved(inquiry, over: .batches)
    }
    return ended?.evaluation ?? .unknown(for: nil)
  }

  /// Evaluates the path for observers, with few system calls whatever the number of interfaces.
  ///
  /// Changes that arrive meanwhile lead to another evaluation.
  mutating func evaluateWatchedPath(
    _ nameServers: [ReachabilityPath.NameServer], _ metering: (any MeteringSource)?
  ) -> PathEvaluation {
    if tableState != .current { update() }
    var inquiry = PathInquiry(nameServers, metering)
    if failure == nil, let ended = try? resolved(inquiry, over: .batches, isWatched: true) { inquiry = ended }
    return inquiry.evaluation ?? .unknown(for: Self.retryInterval)
  }
}
#endif
