// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLibrary
import Netlink
import POSIX

extension LinuxNetworkSource: NetworkProber {
  func connect(
    _ plan: ConnectionPlan
  ) async throws -> (
    attempts: [ReachabilityConnectionReport.Attempt], duration: Duration, fullPacket: Int?
  ) {
    let interfaces = indexes(of: plan.targets.map(\.target.interface))
    let neighbours = plan.targets.map { neighbour(of: $0.target) }
    var report = try await Interruption.run(on: threads, named: "connect") { plan.run($0, interfaces) }
    var doubtful: [Int] = []
    for place in report.attempts.indices where report.attempts[place].isStoppedHere {
      let now = neighbour(of: plan.targets[place].target)
      report.attempts[place].isStoppedHere = !now.mayBeAwaited(after: neighbours[place])
    }
    for (place, attempt) in report.attempts.enumerated() where attempt.outcome.isFailure {
      if attempt.outcome.isForbidden {
        // A route that prohibits packets has its own step.
        report.attempts[place].isStoppedHere = evaluate(plan.targets[place].target).status.isReachable
      } else if isOwn(plan.targets[place].target) {
        report.attempts[place].reporter = nil
      } else if let reporter = attempt.reporter {
        // A next hop that does not answer is reported by this machine itself, as a firewall of its own may do.
        guard isOwn(reporter, plan.targets[place].target) else { continue }
        report.attempts[place].reporter = nil
        if attempt.outcome == .refused {
          report.attempts[place].refuseHere()
        } else {
          let neighbour = neighbour(of: plan.targets[place].target)
          report.attempts[place].isStoppedHere = ![.failed, .incomplete, .unknown].contains(neighbour)
        }
      } else if attempt.outcome == .refused {
        doubtful.append(place)
      }
    }
    let duration = report.duration
    let times = doubtful.map { plan.repetitionTime(of: report.attempts[$0], after: duration) }
    let places = zip(doubtful, times).compactMap { $1 == nil ? nil : $0 }
    guard let time = times.compactMap(\.self).max() else { return report }
    let own = try await Interruption.run(on: threads, named: "connect") {
      plan.ownRefusals(places, $0, interfaces: interfaces, within: time)
    }
    for place in own { report.attempts[place].refuseHere() }
    return report
  }

  func findPacketSize(_ plan: PacketSizePlan) async throws -> PacketSizeFinding? {
    guard !isOwn(plan.target) else { return nil }
    let interface = indexes(of: [plan.target.interface])[0]
    return try await Interruption.run(on: threads, named: "size") { interruption in
      var probe = PacketSizeProbe(plan, interface: interface)
      return probe.run(interruption)
    }
  }

  func findRouters(
    to target: ReachabilityTarget, _ address: ReachabilityAddress, port: UInt16, within timeout: Duration
  ) async throws -> [Int: ReachabilityAddress] {
    let probe = HopProbe(
      target: target, address: address, port: port, interface: indexes(of: [target.interface])[0],
      timeout: timeout)
    let routers = try await Interruption.run(on: threads, named: "hops") { probe.run($0) }
    // This machine reports a next hop that has no link-layer address.
    return routers.filter { !isOwn($0.value, target) }
  }

  /// The state of the next hop of packets to a target.
  private func neighbour(of target: ReachabilityTarget) -> ExplanationFacts.Neighbour {
    // Without the name servers, which say nothing about it.
    callers.withLock { $0.facts(about: [target], nil) }.paths.first?.neighbour ?? .unknown
  }

  /// Whether packets to a target are delivered on this machine.
  private func isOwn(_ target: ReachabilityTarget) -> Bool {
    evaluate(target).status.flags.contains(.isLocalAddress)
  }

  /// Whether this machine has the address of the sender of an error, which may be of the target's link.
  private func isOwn(_ reporter: ReachabilityAddress, _ target: ReachabilityTarget) -> Bool {
    isOwn(reporter.needsZone ? .address(reporter, zone: target.interface) : .address(reporter))
  }

  /// Returns the current indexes of interfaces, some of which only this call of the kernel finds.
  func indexes(of interfaces: [ReachabilityTarget.Interface?]) -> [UInt32?] {
    guard interfaces.contains(where: { $0 != nil }) else { return interfaces.map { _ in nil } }
    return callers.withLock { $0.indexes(of: interfaces) }
  }

  func sendDatagram(
    to target: ReachabilityTarget, _ address: ReachabilityAddress, port: UInt16
  ) async throws -> Int32? {
    let interface = indexes(of: [target.interface])[0]
    return try await Interruption.run(on: threads, named: "datagram") { _ in
      do throws(Errno) {
        try ProbeSocket(.datagrams, to: target, address, port: port, interface: interface).send([])
        return nil
      } catch {
        return error.rawValue
      }
    }
  }

  func askNameServers(
    for name: ReachabilityTarget.HostName, within timeout: Duration
  ) async throws -> [ReachabilityPath.NameServer: NameServerReply] {
    // A query that can't leave would only take the time limit.
    let servers = (surroundings.nameServers?.list ?? []).filter {
      evaluate($0.target).status.state != .notReachable
    }
    guard !servers.isEmpty else { return [:] }
    let probe = NameServerProbe(
      servers: servers, interfaces: indexes(of: servers.map(\.zone)), question: NameQuestion(name),
      timeout: timeout)
    let replies = try await Interruption.run(on: threads, named: "ask") { probe.run($0) }
    return Dictionary(
      uniqueKeysWithValues: replies.map { server, answer in
        let isOwnRefusal = answer.reporter.map { isOwn($0, server.target) && !isOwn(server.target) } ?? false
        return (server, isOwnRefusal ? .refusedHere : answer.reply)
      })
  }
}

extension ExplanationFacts.Neighbour {
  /// Whether packets that did not leave may have waited for the link-layer address of this next hop, or wait for it.
  ///
  /// The kernel keeps the first packet until then, and counts no repetition.
  ///
  /// - Parameter earlier: The state before the first packet.
  fileprivate func mayBeAwaited(after earlier: Self) -> Bool {
    if [.incomplete, .unknown].contains(self) { return true }
    // A packet that comes so far changes what has no address.
    return self != earlier && ![.reachable, .stale, .fixed].contains(earlier)
  }
}

extension ReachabilityConnectionReport.Attempt {
  /// Records that this machine itself refuses.
  fileprivate mutating func refuseHere() {
    (outcome, isStoppedHere) = (.failed(errorNumber: ECONNREFUSED), true)
  }
}

extension ReachabilityConnectionReport.Attempt.Outcome {
  /// Whether the system forbade to send.
  fileprivate var isForbidden: Bool {
    [.failed(errorNumber: EPERM), .failed(errorNumber: EACCES)].contains(self)
  }

  fileprivate var isFailure: Bool {
    switch self {
    case .refused, .failed: true
    case .connected, .timedOut, .abandoned, .notTried: false
    }
  }
}

extension LinuxNetworkSource: TrafficSource {
  func readTraffic() -> TrafficReading {
    trafficReader.withLock { reader in
      if let last = reader.last, last.moment.duration(to: .now) < reader.interval { return last }
      let reading = read(&reader)
      reader.remember(reading)
      return reading
    }
  }

  private func read(_ reader: inout TrafficReader) -> TrafficReading {
    let moment = Moment.now
    var reading = TrafficReading(moment: moment)
    do throws(NetlinkError) {
      try reader.open()
      // Before the list, so that nothing is missed between the two.
      reading.counters = reader.counters()
      reading.connections = try reader.connections()
    } catch {
      reading.obstacle = TrafficEvidence.Obstacle(error)
      return reading
    }
    TrafficReading.recordPassages(in: &reading.connections, after: reader.last?.connections ?? [])
    TrafficReading.keepHeldBack(in: &reading.connections, after: reader.last?.connections ?? [])
    let choice = TrafficReading.choice(of: reading.connections)
    let surroundings = callers.withLock { $0.trafficSurroundings(of: choice, at: moment) }
    reading.samples = surroundings.samples
    reading.adoptSamples()
    reading.nextHops = surroundings.nextHops
    reading.hasTunnels = !surroundings.tunnels.isEmpty
    reading.silentTunnels = reader.silentTunnels(surroundings.tunnels, at: moment)
    return reading
  }

  func hasTraffic(since reading: TrafficReading, isQuiet: Bool) -> Bool {
    guard let before = reading.counters, let now = trafficReader.withLock({ $0.counters() }) else {
      return true
    }
    if now.retransmitted != before.retransmitted || (isQuiet && now.received != before.received) {
      return true
    }
    // What this machine drops itself is no retransmission. It may hide among answers to others.
    return now.sent != before.sent
      && (now.received == before.received || reading.moment.duration(to: .now) >= .milliseconds(2500))
  }

  func readingInterval(wanted: Duration) -> Duration { max(wanted, trafficReader.withLock { $0.interval }) }

  func index(of interface: ReachabilityTarget.Interface) -> Int32? {
    indexes(of: [interface])[0].flatMap(Int32.init(exactly:))
  }
}

extension TrafficEvidence.Obstacle {
  fileprivate init(_ error: NetlinkError) {
    switch error.errno.map(\.rawValue) {
    case EPERM, EACCES: self = .notPermitted
    case ENOENT, EPROTONOSUPPORT, EAFNOSUPPORT, EOPNOTSUPP, ENOSYS, EINVAL: self = .unsupported
    default: self = .systemError
    }
  }
}
#endif
