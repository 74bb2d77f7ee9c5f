import POSIX

extension MonitorEngine {
  /// Evaluates the path now, on the calling thread.
  func path(_ requirements: ReachabilityPath.Requirements) -> ReachabilityPath {
    let evaluation = isAtHome ? source.evaluatePath() : .unknown(for: nil)
    return evaluation.path(for: requirements)
  }

  func add(_ sink: EventSink, for requirements: ReachabilityPath.Requirements) {
    begin { $0.board.add(sink, for: requirements) }
  }

  /// Evaluates the path again if the change can touch it; only the engine's thread calls this.
  @inline(never)
  func processPath(_ change: NetworkChange) {
    let now = Moment.now
    guard state.withLock({ $0.board.needsEvaluation(after: change, now: now) }) else { return }
    let evaluation = source.evaluateObservedPath()
    let wakeUps = state.withLock { state in
      Self.perform(state.board.accept(evaluation, now: Moment.now))
    }
    for wakeUp in wakeUps { wakeUp() }
  }

  static func perform(_ deliveries: [Board.Delivery]) -> [WakeUp] {
    var wakeUps: [WakeUp] = []
    for delivery in deliveries { deliver(.path(delivery.path), to: delivery.observers, &wakeUps) }
    return wakeUps
  }
}
