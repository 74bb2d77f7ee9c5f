import POSIX

/// The seam between the engine and an operating system: wait for a change, take it, evaluate.
///
/// Statuses, facts and threads are available from any thread. Only the engine's thread watches, waits and evaluates for
/// observers.
package protocol NetworkSource: Sendable {
  /// The resolver of names; `nil` if the source evaluates hosts itself.
  var names: (any NameService)? { get }

  /// The sender of probes; `nil` if the source sends none.
  var prober: (any NetworkProber)? { get }

  /// The reader of this machine's own traffic; `nil` if the source cannot read it.
  var traffic: (any TrafficSource)? { get }

  /// The counters of the exchange between this source and the system; from any thread.
  var diagnostics: ReachabilityDiagnostics { get }

  /// Evaluates a target now; from any thread, without waiting for a network.
  ///
  /// With ``names``, a host is evaluated by its addresses. Where the system can't be queried, the status is unknown with the
  /// reason `systemError`.
  func evaluate(_ target: ReachabilityTarget) -> Evaluation

  /// Evaluates the path now; from any thread, without waiting for a network.
  func evaluatePath() -> PathEvaluation

  /// Collects the facts of an explanation; from any thread, without waiting for a network.
  ///
  /// - Parameters:
  ///   - targets: The targets that decide the status: a host's addresses, in their order, or the target itself.
  ///   - whole: The target to explain.
  func facts(about targets: [ReachabilityTarget], _ whole: ReachabilityTarget) -> ExplanationFacts

  /// Starts a thread that belongs to this network, whichever thread calls.
  ///
  /// - Throws: ``ReachabilityMonitorError`` if it can't be started.
  func startThread(
    named name: String, _ body: @escaping @Sendable () -> Void
  ) throws(ReachabilityMonitorError)

  /// Starts a thread that belongs to this network and looks names up as ``names`` does.
  ///
  /// - Throws: ``ReachabilityMonitorError`` if it can't be started.
  func startLookupThread(
    named name: String, _ body: @escaping @Sendable () -> Void
  ) throws(ReachabilityMonitorError)

  /// Watches these subjects and no others; evaluations after it returns miss no change of them.
  ///
  /// - Throws: ``ReachabilityMonitorError`` if the system refuses to report changes of the network. All other subjects are
  ///   watched nonetheless.
  func watch(_ subjects: WatchedSubjects) throws(ReachabilityMonitorError)

  /// Blocks until something may have changed, ``wake()`` is called or the deadline is over.
  ///
  /// Takes all waiting changes together.
  ///
  /// - Parameter addresses: The addresses that are observed. A source need not report routes that contain none of them.
  func waitForChange(
    until deadline: Moment?, observing addresses: ObservedAddresses
  ) -> NetworkChange

  /// Evaluates targets for observers, in their order.
  func evaluateObserved(_ targets: [ReachabilityTarget]) -> [Evaluation]

  /// Evaluates the path for observers.
  func evaluateObservedPath() -> PathEvaluation

  /// Ends a wait, or the next one if there is none now; from any thread.
  func wake()
}

extension NetworkSource {
  package var names: (any NameService)? { nil }

  package var prober: (any NetworkProber)? { nil }

  package var traffic: (any TrafficSource)? { nil }

  package var diagnostics: ReachabilityDiagnostics { ReachabilityDiagnostics() }

  package func facts(about targets: [ReachabilityTarget], _ whole: ReachabilityTarget) -> ExplanationFacts {
    ExplanationFacts(targets.map { .init($0, evaluate($0)) })
  }

  package func startThread(
    named name: String, _ body: @escaping @Sendable () -> Void
  ) throws(ReachabilityMonitorError) {
    try ReachabilityKit.startThread(named: name, body)
  }

  package func startLookupThread(
    named name: String, _ body: @escaping @Sendable () -> Void
  ) throws(ReachabilityMonitorError) {
    try startThread(named: name, body)
  }

  package func evaluateObserved(_ targets: [ReachabilityTarget]) -> [Evaluation] { targets.map(evaluate) }

  package func evaluateObservedPath() -> PathEvaluation { evaluatePath() }
}
