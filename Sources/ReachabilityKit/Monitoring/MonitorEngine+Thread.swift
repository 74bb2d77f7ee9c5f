import Dispatch

extension MonitorEngine {
  /// How long to wait before a system that refused is asked again.
  static var retryInterval: Duration { .seconds(1) }

  /// Starts the engine's thread; where there can be none, observers receive unknown, and it is tried again.
  func startThread() {
    do throws(ReachabilityMonitorError) {
      try source.startThread(named: "reachability") { self.run() }
    } catch {
      let wakeUps = state.withLock { state in
        state.isThreadRunning = false
        return Self.tellUnknown(&state)
      }
      for wakeUp in wakeUps { wakeUp() }
      DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(1)) { self.retryThread() }
    }
  }

  private func retryThread() {
    let startsThread = state.withLock { state in
      guard !state.isThreadRunning, !state.isStopped, !state.isEmpty else { return false }
      state.isThreadRunning = true
      return true
    }
    if startsThread { startThread() }
  }

  /// Tells all that know nothing yet that nothing is known; the thread asks about everything when it begins.
  private static func tellUnknown(_ state: inout State) -> [WakeUp] {
    let now = SuspendingClock().now
    var (agenda, deliveries) = state.machine.take(NetworkChange(), now: now)
    for id in state.machine.questions(of: &agenda, limit: .max).ids {
      state.machine.accept(Evaluation(.unknown(.systemError)), for: id, now: now, &deliveries)
    }
    let paths =
      state.board.take(NetworkChange(), now: now) ? state.board.accept(.unknown(for: nil), now: now) : []
    return deliveries.flatMap(perform) + paths.flatMap(perform)
  }
}
