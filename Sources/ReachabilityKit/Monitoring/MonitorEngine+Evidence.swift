// SPDX-License-Identifier: Apache-2.0
import POSIX

extension MonitorEngine {
  /// Returns the evidence, and the reading on which it rests.
  func evidence(about question: EvidenceQuestion) -> (evidence: TrafficEvidence, reading: TrafficReading) {
    guard belongsToThisProcess else {
      return (.none(because: .systemError), TrafficReading(obstacle: .systemError))
    }
    guard let traffic = source.capabilities.traffic else {
      return (.none(because: .unsupported), TrafficReading(obstacle: .unsupported))
    }
    let reading = traffic.readTraffic()
    if let evidence = traffic.evidence(about: question) { return (evidence, reading) }
    guard let subject = subject(of: question) else { return (.none(because: .namesNotResolved), reading) }
    return (EvidenceEvaluator(reading: reading).evidence(about: subject), reading)
  }

  /// Whether the traffic since a reading may change evidence.
  func hasTraffic(since reading: TrafficReading, isQuiet: Bool) -> Bool {
    guard belongsToThisProcess, let traffic = source.capabilities.traffic else { return false }
    return traffic.hasTraffic(since: reading, isQuiet: isQuiet)
  }

  /// Returns the time until an observer's next turn.
  ///
  /// Observers share readings, so their turns begin together, in multiples of the interval after the last reading.
  func delayOfEvidence(after reading: TrafficReading, every interval: Duration) -> Duration {
    let wanted = interval.boundedForClocks
    let interval = source.capabilities.traffic?.readingInterval(wanted: wanted) ?? max(wanted, .seconds(1))
    var next = reading.moment
    let now = Moment.now
    while next <= now { next = next.advanced(by: interval) }
    return now.duration(to: next)
  }

  /// Returns the connections to judge by, or `nil` if the addresses of a host are not known.
  private func subject(of question: EvidenceQuestion) -> EvidenceSubject? {
    switch question {
    case .interface(let interface, let family):
      let index = source.capabilities.traffic?.index(of: interface)
      return .interface(index ?? 0, family)
    case .path(let target):
      let subject = subject(of: .target(target))
      if case .addresses(_, _, _, let paths, _)? = subject { return .paths(paths) }
      return subject
    case .target(let target):
      switch target.destination {
      case .defaultRoute:
        let paths = target.partsByFamily.compactMap { part in
          part.decisiveFamily.flatMap { path(of: part, $0) }
        }
        return .paths(Set(paths))
      case .address(let address):
        return subject(of: target, [(target, address)])
      case .host(let name):
        let answer = names?.answer(for: name)?.limited(to: target.family)
        guard case .addresses(let addresses)? = answer else { return nil }
        let targets = NameAnswer.addresses(addresses).targets(for: target)
        return subject(of: target, Array(zip(targets, addresses.map(\.address))))
      }
    }
  }

  private func subject(
    of target: ReachabilityTarget, _ addresses: [(target: ReachabilityTarget, address: ReachabilityAddress)]
  ) -> EvidenceSubject {
    let paths = addresses.compactMap { path(of: $0.target, $0.address.family) }
    return .addresses(
      Set(addresses.map(\.address)), port: target.port, source: target.source, paths: Set(paths),
      isOnPaths: target.interface != nil)
  }

  /// Returns the path of packets for a target, if there is one.
  private func path(of target: ReachabilityTarget, _ family: ReachabilityAddress.Family) -> TrafficPath? {
    let status = source.evaluate(target).status
    guard let interface = status.interface, status.isReachable else { return nil }
    return TrafficPath(interface: Int32(interface.index), gateway: status.gateway, family: family)
  }
}

extension MonitorEngine {
  /// Evaluates the path now, on the calling thread.
  func path(_ requirements: ReachabilityPath.Requirements) -> ReachabilityPath {
    let evaluation = belongsToThisProcess ? source.evaluatePath() : .unknown(for: nil)
    return evaluation.path(for: requirements)
  }

  func add(_ sink: EventSink, for requirements: ReachabilityPath.Requirements) {
    begin { $0.pathObservers.add(sink, for: requirements) }
  }

  /// Evaluates the path again if the change can touch it; only the engine's thread calls this.
  @inline(never)
  func processPath(_ change: NetworkChange) {
    let now = clock.moment
    guard state.withLock({ $0.pathObservers.needsEvaluation(after: change, now: now) }) else { return }
    let evaluation = source.evaluateObservedPath()
    let woken = state.withLock { state in
      var woken = WokenSinks()
      state.deliver(evaluation, now: clock.moment, &woken)
      return woken
    }
    woken.wakeUp()
  }
}
