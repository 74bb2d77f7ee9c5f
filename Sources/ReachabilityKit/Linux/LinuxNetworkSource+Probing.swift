#if os(Linux)
import CLibrary

extension LinuxNetworkSource {
  func connect(
    _ plan: ConnectionPlan
  ) async throws -> (attempts: [ReachabilityConnectionReport.Attempt], duration: Duration) {
    let interfaces = indexes(of: plan.targets.map(\.target.interface))
    var report = try await Interruption.run(on: threads, named: "connect") { plan.run($0, interfaces) }
    var doubtful: [Int] = []
    for (place, attempt) in report.attempts.enumerated() where attempt.outcome.isFailure {
      let target = plan.targets[place].target
      if evaluate(target).status.flags.contains(.isLocalAddress) {
        report.attempts[place].reporter = nil
      } else if let reporter = attempt.reporter {
        // A next hop that does not answer is reported by this machine itself, as a firewall of its own may do.
        guard evaluate(.address(reporter)).status.flags.contains(.isLocalAddress) else { continue }
        report.attempts[place].reporter = nil
        if attempt.outcome == .refused { report.attempts[place].outcome = .ownRefusal }
      } else if attempt.outcome == .refused {
        switch callers.withLock({ $0.neighbour(towards: target) }) {
        // No packet can have left.
        case .absent, .incomplete, .failed: report.attempts[place].outcome = .ownRefusal
        case .unknown, .reachable, .stale, .fixed: doubtful.append(place)
        }
      }
    }
    guard !doubtful.isEmpty else { return report }
    let places = doubtful
    let own = try await Interruption.run(on: threads, named: "connect") {
      plan.ownRefusals(places, $0, interfaces)
    }
    for place in own { report.attempts[place].outcome = .ownRefusal }
    return report
  }

  /// Returns the current indexes of interfaces, some of which only this call of the kernel finds.
  func indexes(of interfaces: [ReachabilityTarget.Interface?]) -> [UInt32?] {
    guard interfaces.contains(where: { $0 != nil }) else { return interfaces.map { _ in nil } }
    return callers.withLock { $0.indexes(of: interfaces) }
  }

  func askNameServers(
    for name: ReachabilityTarget.HostName, within timeout: Duration
  ) async throws -> [ReachabilityPath.NameServer: NameServerReply] {
    guard let servers = surroundings.nameServers?.list, !servers.isEmpty else { return [:] }
    let probe = NameServerProbe(
      servers: servers, interfaces: indexes(of: servers.map(\.zone)), question: NameQuestion(name),
      timeout: timeout)
    return try await Interruption.run(on: threads, named: "ask") { probe.run($0) }
  }
}

extension ReachabilityConnectionReport.Attempt.Outcome {
  /// The outcome of an attempt that this machine itself refuses.
  fileprivate static var ownRefusal: Self { .failed(errorNumber: ECONNREFUSED) }

  fileprivate var isFailure: Bool {
    switch self {
    case .refused, .failed: true
    case .connected, .timedOut, .abandoned, .notTried: false
    }
  }
}
#endif
