/// The part of a source that sends packets, from any task, whose thread it does not block.
package protocol NetworkProber: Sendable {
  /// Tries to connect.
  ///
  /// - Returns: The outcome of each address, in their order, and the duration of all attempts.
  /// - Throws: `CancellationError`, or a ``ReachabilityMonitorError``; not if no address accepts.
  func connect(
    _ plan: ConnectionPlan
  ) async throws -> (attempts: [ReachabilityConnectionReport.Attempt], duration: Duration)

  /// Sends a query for a name to every name server that this machine is configured to use.
  ///
  /// - Returns: Each server's reply; none where that can't be found out.
  func askNameServers(
    for name: ReachabilityTarget.HostName, within timeout: Duration
  ) async throws -> [ReachabilityPath.NameServer: NameServerReply]
}
