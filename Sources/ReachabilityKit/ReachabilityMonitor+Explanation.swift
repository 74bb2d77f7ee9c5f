extension ReachabilityMonitor {
  /// Finds out why a target has the status that it has now: each fact that decides, and for what is wrong, what to do.
  ///
  /// Synchronous, and no network is involved: the system is asked on the calling thread, a few dozen questions at most.
  /// Where a route refuses packets the kernel looks for it in its tables, which takes up to a second for some millions of
  /// routes. Nothing is changed, and no rights are needed. From any thread.
  ///
  /// A host's name that is not known yet is looked up in the background, as by ``status(of:)``, and its step is unknown
  /// until then; ``firstKnownExplanation(of:)`` waits for that. Only Linux tells more than the status; elsewhere, and of
  /// a simulated network, that is the one step.
  ///
  /// - Returns: The explanation; its status is unknown, with the reason `systemError`, if the system fails to answer.
  public func explain(_ target: ReachabilityTarget) -> ReachabilityExplanation {
    handle.engine.explain(target)
  }

  /// Does the same, once a host's name was looked up, or could not be.
  ///
  /// The system's resolver gives up after some seconds, typically 10 for a name server that does not answer.
  ///
  /// - Returns: The explanation; at once if the status is known.
  /// - Throws: `CancellationError` if the task is cancelled.
  public func firstKnownExplanation(of target: ReachabilityTarget) async throws -> ReachabilityExplanation {
    _ = try await firstKnownStatus(of: target)
    return explain(target)
  }
}

extension ReachabilityMonitor {
  /// Explains a target, and besides tries to connect to it: whether somebody answers at a port, and if not, what stands in the way.
  ///
  /// This sends packets, unlike ``explain(_:)``: to the target as ``connect(to:port:timeout:attemptDelay:)`` does, and of a host's
  /// name a question to each of the name servers that this machine is told to ask. The explanation is of the moment after that,
  /// and of TCP packets to the port, whatever port the target has.
  ///
  /// - Parameters:
  ///   - target: An address or a host, with its constraints.
  ///   - port: The TCP port, from 1.
  ///   - timeout: How long the attempt may take, the look-up of a name included; a name server is waited for 5 s of it at most.
  /// - Returns: The explanation, with its ``ReachabilityExplanation/connection``; that nobody answers is no error.
  /// - Throws: What ``connect(to:port:timeout:attemptDelay:)`` throws.
  public func explain(
    _ target: ReachabilityTarget, probing port: UInt16, timeout: Duration = .seconds(10)
  ) async throws -> ReachabilityExplanation {
    let engine = handle.engine
    async let replies = engine.askNameServers(about: target, within: min(timeout, .seconds(5)))
    let report = try await connect(to: target, port: port, timeout: timeout)
    return try await engine.explain(report.target, connection: report, replies: replies)
  }
}

extension MonitorEngine {
  /// Asks every name server for a host's name; the others' replies are none.
  fileprivate func askNameServers(
    about target: ReachabilityTarget, within timeout: Duration
  ) async throws -> [ReachabilityPath.NameServer: NameServerReply] {
    guard isAtHome, case .host(let name) = target.destination, !name.isLocalHost else { return [:] }
    return try await source.prober?.askNameServers(for: name, within: timeout) ?? [:]
  }

  /// Explains a status now, on the calling thread.
  ///
  /// - Parameters:
  ///   - connection: What came of an attempt to connect, if there was one.
  ///   - replies: What name servers replied that were asked.
  func explain(
    _ target: ReachabilityTarget, connection: ReachabilityConnectionReport? = nil,
    replies: [ReachabilityPath.NameServer: NameServerReply] = [:]
  ) -> ReachabilityExplanation {
    guard isAtHome else {
      let unknown = ExplanationFacts([.init(target, Evaluation(.unknown(.systemError)))])
      return Explainer(unknown).explain(target)
    }
    guard case .host(let name) = target.destination, let names else {
      var facts = source.facts(about: [target], target)
      facts.connection = connection
      return Explainer(facts).explain(target)
    }
    let answer = names.answer(for: name)
    var facts = source.facts(about: answer?.targets(for: target) ?? [], target)
    facts.connection = connection
    facts.replies = replies
    facts.lookUpDuration = names.lookUpDuration(of: name)
    return Explainer(facts).explain(target, names: answer)
  }
}
