/// The seam between the engine and an operating system: the only thing that a platform has to provide.
package protocol NetworkSource: Sendable {
  /// Looks names up; `nil` if the source works out the statuses of hosts itself.
  var names: (any NameService)? { get }

  /// Works out the status of a target now; from any thread, without waiting for a network.
  ///
  /// Of a host the source is asked by its addresses, if there are ``names``.
  /// Where the system can't be asked, the status is unknown with the reason `systemError`.
  func evaluate(_ target: ReachabilityTarget) -> Evaluation

  /// Works out the statuses of targets that are followed, in their order; only the engine's thread calls this.
  func evaluate(watched targets: [ReachabilityTarget]) -> [Evaluation]

  /// Works out the ways out of this machine now; from any thread, without waiting for a network.
  func evaluatePath() -> PathEvaluation

  /// Works out the ways out of this machine for observers; only the engine's thread calls this.
  func evaluateWatchedPath() -> PathEvaluation

  /// Finds out what an explanation is made of; from any thread, without waiting for a network.
  ///
  /// - Parameters:
  ///   - targets: What decides the status: a host's addresses, in their order, or the target itself.
  ///   - whole: What is to be explained.
  func facts(about targets: [ReachabilityTarget], _ whole: ReachabilityTarget) -> ExplanationFacts

  /// Tries to connect, from any task, on whose thread nothing is waited for.
  ///
  /// - Returns: What came of each address, in their order, and how long it all took.
  /// - Throws: `CancellationError`, or a ``ReachabilityMonitorError``; not if nobody answers.
  func connect(
    _ plan: ConnectionPlan
  ) async throws -> (attempts: [ReachabilityConnectionReport.Attempt], duration: Duration)

  /// Asks every name server that this machine is told to ask for a name, from any task, on whose thread nothing is waited for.
  ///
  /// - Returns: What each replied; nothing where that can't be found out.
  func askNameServers(
    for name: ReachabilityTarget.HostName, within timeout: Duration
  ) async throws -> [ReachabilityPath.NameServer: NameServerReply]

  /// Starts a thread that belongs to this network, whichever thread calls.
  ///
  /// - Throws: ``ReachabilityMonitorError`` if it can't be started.
  func startThread(
    named name: String, _ body: @escaping @Sendable () -> Void
  ) throws(ReachabilityMonitorError)

  /// Begins to hear of changes; what is evaluated after it returns misses none.
  func startWatching() throws(ReachabilityMonitorError)

  /// Stops hearing of changes.
  func stopWatching()

  /// Blocks until something may have changed, ``wake()`` is called or the deadline is over.
  ///
  /// All that is waiting is taken together. Only the engine's thread calls this.
  func waitForChange(until deadline: SuspendingClock.Instant?) -> NetworkChange

  /// Need not tell any more of routes that concern none of some addresses, or is to tell of all again.
  ///
  /// What was told before is still told, and there is no moment at which a route that concerns them is missed. Only the
  /// engine's thread calls this.
  ///
  /// - Returns: Whether anything changes by that.
  func limitRoutes(to addresses: [IPAddress]?) -> Bool

  /// Begins or stops to hear of changes to the settings by which names are looked up.
  func setWatchingNames(_ isWatching: Bool)

  /// Ends a wait, or the next one if there is none now.
  func wake()

  /// What went on between this source and the system so far; from any thread.
  var diagnostics: ReachabilityDiagnostics { get }
}

extension NetworkSource {
  package var names: (any NameService)? { nil }

  package func facts(about targets: [ReachabilityTarget], _ whole: ReachabilityTarget) -> ExplanationFacts {
    ExplanationFacts(targets.map { .init($0, evaluate($0)) })
  }

  package func connect(
    _ plan: ConnectionPlan
  ) async throws -> (attempts: [ReachabilityConnectionReport.Attempt], duration: Duration) {
    throw ReachabilityMonitorError(
      .notConnectable,
      description: "in a simulated network nobody can be connected to, and elsewhere only on Linux")
  }

  package func askNameServers(
    for name: ReachabilityTarget.HostName, within timeout: Duration
  ) async throws -> [ReachabilityPath.NameServer: NameServerReply] { [:] }

  package func startThread(
    named name: String, _ body: @escaping @Sendable () -> Void
  ) throws(ReachabilityMonitorError) {
    try ReachabilityKit.startThread(named: name, body)
  }

  package func setWatchingNames(_ isWatching: Bool) {}

  package func limitRoutes(to addresses: [IPAddress]?) -> Bool { false }

  package var diagnostics: ReachabilityDiagnostics { ReachabilityDiagnostics() }
}
