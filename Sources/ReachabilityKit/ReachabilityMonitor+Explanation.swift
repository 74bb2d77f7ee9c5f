// SPDX-License-Identifier: Apache-2.0
extension ReachabilityMonitor {
  /// Explains the status of a target, once it is known: each fact that decides it, and for each problem, what to do.
  ///
  /// As ``status(of:)``, it waits for the lookup of a host's name. ``currentExplanation(of:)`` does not wait.
  ///
  /// Only on Linux does an explanation have more than the status; elsewhere it has one step. In a simulated network it
  /// has one, and one more with simulated evidence.
  ///
  /// - Parameter target: The target to explain.
  /// - Returns: The explanation, without waiting if the status is known.
  /// - Throws: `CancellationError` if the task is cancelled while it waits.
  public func explain(
    _ target: ReachabilityTarget
  ) async throws(CancellationError) -> ReachabilityExplanation {
    _ = try await status(of: target)
    return currentExplanation(of: target)
  }

  /// Explains the status of a target at this moment.
  ///
  /// Synchronous, without network traffic: a few dozen queries to the system at most, on the calling thread. Where a
  /// route may refuse packets, the kernel lists its routes, which takes some seconds for a million. Changes nothing,
  /// requires no privileges, and is safe to call from any thread.
  ///
  /// A host name that is not known yet is looked up in the background, as by ``currentStatus(of:)``; its step is unknown
  /// until then. Where packets leave this machine, the kernel's list of TCP connections is read once, as by
  /// ``evidence(for:)``.
  ///
  /// - Parameter target: The target to explain.
  /// - Returns: The explanation. Its status is unknown, with the reason `systemError`, if the system fails to answer.
  public func currentExplanation(of target: ReachabilityTarget) -> ReachabilityExplanation {
    handle.engine.explain(target)
  }

  /// Explains the status of a target, and tries to connect to it.
  ///
  /// Unlike ``explain(_:)``, this sends packets: to the target, as ``connect(to:port:timeout:attemptDelay:)`` does,
  /// and for a host one DNS query to each configured name server. The explanation describes the moment after that,
  /// and TCP packets to the port, whatever port the target has.
  ///
  /// If nothing connects, it takes up to a second more: attempts whose packets end at the first eight routers show how far
  /// packets get, and attempts over the other interfaces of the path whether the target answers there.
  ///
  /// After a connection over a link, it finds out whether full packets pass, since a handshake consists of small ones: its
  /// step is ``ReachabilityExplanation/Step/Kind/packetSize``. It sends UDP datagrams to the port's number and ICMP
  /// echo requests, four if full packets pass, else 40 at most, for two seconds at most. If these get no answer, or
  /// show that packets vanish, and the port is one of TLS, it connects again and begins a TLS handshake. A server at another
  /// port receives no data.
  ///
  /// - Parameters:
  ///   - target: An address or a host, with its constraints.
  ///   - port: The TCP port, from 1; `nil` for the target's own.
  ///   - timeout: The time limit for the attempt, the lookup of a name included; at most 5 s of it are spent waiting
  ///     for a name server.
  /// - Returns: The explanation, with its ``ReachabilityExplanation/connection``; no answer is not an error.
  /// - Throws: The errors of ``connect(to:port:timeout:attemptDelay:)``.
  public func explain(
    _ target: ReachabilityTarget, probing port: UInt16?, timeout: Duration = .seconds(10)
  ) async throws(ReachabilityMonitorError) -> ReachabilityExplanation {
    let engine = handle.engine
    return try await withMonitorErrors {
      async let replies = engine.askNameServers(about: target, within: min(timeout, .seconds(5)))
      let clock = ContinuousClock()
      let begin = clock.now
      var probe = ProbeFacts()
      probe.limitsBefore = engine.source.capabilities.tables?.limits
      var (report, fullPacket) = try await self.report(
        of: target, port: port ?? target.port, timeout, attemptDelay: Self.attemptDelay)
      let left = timeout.boundedForClocks - begin.duration(to: clock.now)
      probe.packetSize = try await engine.findPacketSize(report, fullPacket, within: min(left, .seconds(2)))
      report.record(probe.packetSize)
      probe.paths = try await engine.examinePaths(of: report, within: .seconds(1))
      probe.connection = report
      probe.refusedDatagram = try await engine.sendDatagram(to: target, report)
      probe.replies = try await replies
      return engine.explain(report.target, probe)
    }
  }
}

extension MonitorEngine {
  /// Finds the greatest packet that passes to the address that accepted a connection; `nil` without one.
  fileprivate func findPacketSize(
    _ report: ReachabilityConnectionReport, _ fullPacket: Int?, within timeout: Duration
  ) async throws -> PacketSizeFinding? {
    guard let connection = report.connection, let fullPacket, timeout > .zero else { return nil }
    var target = report.target.constraining(.address(connection.address))
    target.interface = connection.interface
    return try await source.capabilities.prober?.findPacketSize(
      PacketSizePlan(
        target: target, address: connection.address, port: report.port, full: fullPacket,
        roundTrip: connection.duration, timeout: timeout))
  }

  /// Finds out how far packets get to the addresses that did not answer, one of each family, and whether they answer over
  /// another interface; finds nothing if one connected.
  fileprivate func examinePaths(
    of report: ReachabilityConnectionReport, within timeout: Duration
  ) async throws -> [PathFinding] {
    guard !report.isConnected, let prober = source.capabilities.prober else { return [] }
    var findings: [PathFinding] = []
    for family in [ReachabilityAddress.Family.v4, .v6] {
      guard let attempt = report.attempts.first(where: { $0.address.family == family && $0.isUnanswered })
      else {
        continue
      }
      var constrained = report.target.constraining(.address(attempt.address))
      constrained.interface = attempt.interface ?? report.target.interface
      let target = constrained
      async let detour = findDetour(of: target, attempt.address, report.port, within: timeout)
      var finding = PathFinding(address: attempt.address)
      // Further packets would hide that the next hop did not answer.
      if attempt.outcome == .timedOut {
        finding.routers = try await prober.findRouters(
          to: target, attempt.address, port: report.port, within: timeout)
      }
      finding.detour = try await detour
      findings.append(finding)
    }
    return findings
  }

  /// Tries to connect to an address over the other interfaces of the path.
  private func findDetour(
    of target: ReachabilityTarget, _ address: ReachabilityAddress, _ port: UInt16, within timeout: Duration
  ) async throws -> PathFinding.Detour? {
    guard target.interface == nil, target.source == nil, !address.needsZone,
      let prober = source.capabilities.prober
    else { return nil }
    let used = source.evaluate(target).status.interface?.index
    let others = source.evaluatePath().path.interfaces.filter {
      $0.interface.index != used && (address.family == .v4 ? $0.supportsIPv4 : $0.supportsIPv6)
    }
    guard !others.isEmpty else { return nil }
    let targets = others.map { other in
      var target = target
      target.interface = .index(other.interface.index)
      return (target: target, address: address)
    }
    let attempts = try await prober.connect(
      ConnectionPlan(targets: targets, port: port, timeout: timeout, attemptDelay: .milliseconds(10))
    ).attempts
    guard let place = attempts.firstIndex(where: { $0.outcome == .connected }) else { return nil }
    return PathFinding.Detour(
      interface: others[place].interface, gateway: source.evaluate(targets[place].target).status.gateway,
      attempt: attempts[place])
  }

  /// Queries every name server for a host's name; returns no replies for other targets.
  fileprivate func askNameServers(
    about target: ReachabilityTarget, within timeout: Duration
  ) async throws -> [ReachabilityPath.NameServer: NameServerReply] {
    guard belongsToThisProcess, case .host(let name) = target.destination, !name.isLocalHost else {
      return [:]
    }
    return try await source.capabilities.prober?.askNameServers(for: name, within: timeout) ?? [:]
  }

  /// Sends a datagram to the first address of a target that is one of UDP; returns what the system says against it.
  fileprivate func sendDatagram(
    to target: ReachabilityTarget, _ report: ReachabilityConnectionReport
  ) async throws -> ProbeFacts.Datagram? {
    guard target.transport == .udp, let prober = source.capabilities.prober,
      let attempt = report.attempts.first
    else { return nil }
    var constraints = target
    constraints.interface = attempt.interface ?? target.interface
    let port = target.port ?? report.port
    let number = try await prober.sendDatagram(to: constraints, attempt.address, port: port)
    return number.map { .init(address: attempt.address, port: port, errorNumber: $0) }
  }

  /// Explains the current status of a target, on the calling thread.
  ///
  /// - Parameter probe: What was found by sending something, if that was requested.
  func explain(_ target: ReachabilityTarget, _ probe: ProbeFacts = ProbeFacts()) -> ReachabilityExplanation {
    guard belongsToThisProcess else {
      let unknown = ExplanationFacts([.init(target: target, evaluation: Evaluation(.unknown(.systemError)))])
      return Explainer(unknown).explain(target)
    }
    guard case .host(let name) = target.destination, let names else {
      return Explainer(facts(about: [target], target, probe)).explain(target)
    }
    let answer = names.answer(for: name)?.limited(to: target.family)
    var facts = facts(about: answer?.targets(for: target) ?? [], target, probe)
    facts.lookUpDuration = names.lookUpDuration(of: name)
    return Explainer(facts).explain(target, names: answer)
  }

  private func facts(
    about targets: [ReachabilityTarget], _ whole: ReachabilityTarget, _ probe: ProbeFacts
  ) -> ExplanationFacts {
    let capabilities = source.capabilities
    var facts =
      capabilities.tables?.facts(about: targets, whole)
      ?? ExplanationFacts(targets.map { .init(target: $0, evaluation: source.evaluate($0)) })
    facts.probe = probe
    guard facts.isLeaving else { return facts }
    if capabilities.traffic != nil { facts.evidence = evidence(about: .target(whole)).evidence }
    facts.limits = capabilities.tables?.limits
    return facts
  }
}

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
  ///   - port: The port, from 1; `nil` for the target's own.
  ///   - timeout: The time limit for the whole call, the lookup of a name included.
  ///   - attemptDelay: The head start of an attempt before the next begins; values below 10 ms count as 10 ms.
  /// - Returns: The outcome of each address; no answer is not an error. The report's target and status are those of
  ///   TCP packets to the port.
  /// - Throws: ``ReachabilityMonitorError`` with code `notConnectable` for the default route, without a port, for port 0
  ///   and in a simulated network, `systemUnavailable` if the system lacks a required resource, or `cancelled` as soon as
  ///   the task is cancelled.
  public func connect(
    to target: ReachabilityTarget, port: UInt16? = nil, timeout: Duration = .seconds(10),
    attemptDelay: Duration = .milliseconds(250)
  ) async throws(ReachabilityMonitorError) -> ReachabilityConnectionReport {
    try await withMonitorErrors {
      try await self.report(of: target, port: port ?? target.port, timeout, attemptDelay: attemptDelay).report
    }
  }

  /// The usual head start of an attempt (RFC 8305, section 5).
  fileprivate static var attemptDelay: Duration { .milliseconds(250) }

  private func report(
    of target: ReachabilityTarget, port: UInt16?, _ timeout: Duration, attemptDelay: Duration
  ) async throws -> (report: ReachabilityConnectionReport, fullPacket: Int?) {
    try Task.checkCancellation()
    let engine = handle.engine
    guard engine.belongsToThisProcess else {
      throw ReachabilityMonitorError(
        .systemUnavailable, description: "cannot connect: this monitor was created by another process")
    }
    guard target.destination != .defaultRoute, let port, port > 0 else {
      let problem =
        if target.destination == .defaultRoute {
          "the default route: it is not an address"
        } else {
          port == nil ? "\(target): it has no port" : "port 0: ports begin at 1"
        }
      throw ReachabilityMonitorError(.notConnectable, description: "cannot connect to \(problem)")
    }
    guard let prober = engine.source.capabilities.prober else {
      throw ReachabilityMonitorError(
        .notConnectable, description: "connecting is supported on Linux only, and not in a simulated network")
    }
    let target = target.connecting(to: port)
    let clock = ContinuousClock()
    let begin = clock.now
    let timeout = timeout.boundedForClocks
    let status =
      try await withDeadline(begin + timeout) { try await self.status(of: target) }
      ?? .unknown(.resolving)
    let elapsed = begin.duration(to: clock.now)
    var report = ReachabilityConnectionReport(
      target: target, port: port, status: status, lookUpDuration: elapsed)
    var targets: [(target: ReachabilityTarget, address: ReachabilityAddress)] = []
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
    let fullPacket: Int?
    (report.attempts, report.duration, fullPacket) = try await prober.connect(plan)
    return (report, fullPacket)
  }
}

extension ReachabilityConnectionReport.Attempt {
  /// Whether packets may have got lost on the path: nothing of this machine stopped them, and the host did not refuse.
  fileprivate var isUnanswered: Bool {
    switch outcome {
    case .timedOut: !isStoppedHere
    // ENETUNREACH and EHOSTUNREACH.
    case .failed(let number): !isStoppedHere && [101, 113].contains(number)
    case .connected, .refused, .abandoned, .notTried: false
    }
  }
}

extension ReachabilityConnectionReport {
  /// Records the greatest packet that passes to the connected address.
  fileprivate mutating func record(_ finding: PacketSizeFinding?) {
    guard let place = attempts.firstIndex(where: { $0.outcome == .connected }) else { return }
    attempts[place].greatestPacket = finding?.greatest
  }
}

/// Runs a body that throws errors of a monitor, or is cancelled.
private func withMonitorErrors<Success: Sendable>(
  _ body: () async throws -> Success
) async throws(ReachabilityMonitorError) -> Success {
  do {
    return try await body()
  } catch let error as ReachabilityMonitorError {
    throw error
  } catch {
    throw .cancelled
  }
}
