extension ReachabilityMonitor {
  /// Tries to connect to a target over TCP, and closes the connection at once: whether somebody answers there, and how soon.
  ///
  /// Nothing but this sends packets to a target, and no other call calls it. The addresses of a host are tried as programs
  /// should do it (RFC 8305): families take turns, beginning with the resolver's first address; each has a head start before the
  /// next, which begins at once when one fails; the first connection counts, and all others are given up. An address is tried even
  /// if its status is not reachable: the system's refusal is its outcome.
  ///
  /// The sockets are made in the network that this monitor is of, by a thread of the library's own; neither the caller nor a
  /// thread of Swift's tasks is blocked. They are all closed when this returns or throws. Whether anything but a handshake works
  /// at the other end is not found out.
  ///
  /// - Parameters:
  ///   - target: An address or a host, with its constraints; a firewall mark takes `CAP_NET_ADMIN`.
  ///   - port: The port, from 1.
  ///   - timeout: How long all of it may take, the look-up of a name included.
  ///   - attemptDelay: The head start of an attempt before the next begins; less than 10 ms counts as that.
  /// - Returns: What came of each address; that nobody answers is no error. Its target and status are those of TCP
  ///   packets to the port.
  /// - Throws: ``ReachabilityMonitorError`` with code `notConnectable` for the default route, for port 0 and in a simulated network, or
  ///   `systemUnavailable` if the system lacks what it takes; `CancellationError` as soon as the task is cancelled.
  public func connect(
    to target: ReachabilityTarget, port: UInt16, timeout: Duration = .seconds(10),
    attemptDelay: Duration = .milliseconds(250)
  ) async throws -> ReachabilityConnectionReport {
    try Task.checkCancellation()
    let engine = handle.engine
    guard engine.isAtHome else {
      throw ReachabilityMonitorError(
        .systemUnavailable, description: "a monitor of another process can't connect to anything")
    }
    guard target.destination != .defaultRoute, port > 0 else {
      let what = port > 0 ? "the default route, which is no address" : "port 0, which nothing listens at"
      throw ReachabilityMonitorError(.notConnectable, description: "there is no connecting to \(what)")
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
    for place in report.attempts.indices {
      // This machine tells itself so when a next hop does not answer.
      guard let reporter = report.attempts[place].reporter,
        engine.source.evaluate(.address(reporter)).status.flags.contains(.isLocalAddress)
      else { continue }
      report.attempts[place].reporter = nil
    }
    return report
  }
}
