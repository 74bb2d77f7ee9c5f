extension ReachabilityMonitor {
  /// Tries to connect to a target over TCP, and closes the connection immediately.
  ///
  /// The report says whether the target answers, and how fast. Apart from a probing explanation, this is the only
  /// method that sends packets to a target, and no other method calls it implicitly.
  ///
  /// Addresses of a host are tried as RFC 8305 (Happy Eyeballs) recommends. Families alternate, beginning with the
  /// resolver's first address. Each attempt has a head start before the next, which begins immediately when one
  /// fails. The first connection wins, and all other attempts are abandoned. An address is tried even if its status
  /// is not reachable: the system's error is its outcome.
  ///
  /// The sockets are created in this monitor's network, by a thread of the library; neither the caller's thread nor a
  /// thread of Swift's tasks is blocked. All sockets are closed when this returns or throws. Only the TCP handshake
  /// is tested.
  ///
  /// A refusal is the host's only if it arrived from a link. Where that is in doubt, the attempt is repeated twice, which
  /// takes a second and a half if a firewall of this machine refuses, and a round trip otherwise.
  ///
  /// - Parameters:
  ///   - target: An address or a host, with its constraints. A firewall mark requires `CAP_NET_ADMIN`.
  ///   - port: The port, from 1.
  ///   - timeout: The time limit for the whole call, the lookup of a name included.
  ///   - attemptDelay: The head start of an attempt before the next begins; values below 10 ms count as 10 ms.
  /// - Returns: The outcome of each address; no answer is not an error. The report's target and status are those of
  ///   TCP packets to the port.
  /// - Throws: ``ReachabilityMonitorError`` with code `notConnectable` for the default route, for port 0 and in a
  ///   simulated network, or `systemUnavailable` if the system lacks a required resource; `CancellationError` as soon
  ///   as the task is cancelled.
  public func connect(
    to target: ReachabilityTarget, port: UInt16, timeout: Duration = .seconds(10),
    attemptDelay: Duration = .milliseconds(250)
  ) async throws -> ReachabilityConnectionReport {
    try Task.checkCancellation()
    let engine = handle.engine
    guard engine.isAtHome else {
      throw ReachabilityMonitorError(
        .systemUnavailable, description: "cannot connect: this monitor was created by another process")
    }
    guard target.destination != .defaultRoute, port > 0 else {
      let problem =
        port > 0 ? "the default route: it is not an address" : "port 0: ports begin at 1"
      throw ReachabilityMonitorError(.notConnectable, description: "cannot connect to \(problem)")
    }
    guard let prober = engine.source.prober else {
      throw ReachabilityMonitorError(
        .notConnectable, description: "connecting is supported on Linux only, and not in a simulated network")
    }
    let target = target.connecting(to: port)
    let clock = ContinuousClock()
    let begin = clock.now
    let timeout = timeout.boundedForClocks
    let status =
      try await withDeadline(begin + timeout) { try await self.firstKnownStatus(of: target) }
      ?? .unknown(.resolving)
    let elapsed = begin.duration(to: clock.now)
    var report = ReachabilityConnectionReport(
      target: target, port: port, status: status, lookUpDuration: elapsed)
    var targets: [(target: ReachabilityTarget, address: IPAddress)] = []
    if case .address(let address) = target.destination {
      report.lookUpDuration = .zero
      targets = [(target, address)]
    } else {
      let names = status.addresses.map { NamedAddress($0.address, zone: $0.zone) }
      for target in NameAnswer.addresses(names).targets(for: target) {
        if case .address(let address) = target.destination { targets.append((target, address)) }
      }
    }
    let order = HappyEyeballs.order(targets.map(\.address.family))
    let plan = ConnectionPlan(
      targets: order.map { targets[$0] }, port: port, timeout: max(timeout - elapsed, .zero),
      attemptDelay: attemptDelay.boundedForClocks)
    (report.attempts, report.duration) = try await prober.connect(plan)
    return report
  }
}
