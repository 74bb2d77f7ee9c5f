#if os(Linux)
extension LinuxNetworkSource {
  func connect(
    _ plan: ConnectionPlan
  ) async throws -> (attempts: [ReachabilityConnectionReport.Attempt], duration: Duration) {
    let interfaces = indexes(of: plan.targets.map(\.target.interface))
    return try await Interruption.run(on: threads, named: "connect") { plan.run($0, interfaces) }
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
#endif
