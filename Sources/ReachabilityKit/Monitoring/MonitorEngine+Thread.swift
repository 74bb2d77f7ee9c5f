import Dispatch
import POSIX

extension MonitorEngine {
  /// The interval between attempts at what the system refused.
  static var retryInterval: Duration { .seconds(1) }

  /// Starts the engine's thread; if that fails, observers receive unknown, and another attempt follows.
  func startThread() {
    do throws(ReachabilityMonitorError) {
      try source.startThread(named: "reachability") { self.run() }
    } catch {
      let wakeUps = state.withLock { state in
        if state.life == .running { state.life = .dormant }
        return Self.deliverUnknown(&state)
      }
      // The caller may hold a lock that a handler on the monitor's thread takes.
      DispatchQueue.global().async { for wakeUp in wakeUps { wakeUp() } }
      DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(1)) { self.retryThread() }
    }
  }

  private func retryThread() {
    if state.withLock({ $0.hasObservers && $0.claimThread() }) { startThread() }
  }

  /// Delivers unknown to all observers that know no status yet; the thread evaluates everything when it begins.
  private static func deliverUnknown(_ state: inout State) -> [WakeUp] {
    let now = Moment.now
    var (agenda, deliveries) = state.machine.take(NetworkChange(), now: now)
    for id in state.machine.questions(of: &agenda, limit: .max).ids {
      state.machine.accept(Evaluation(.unknown(.systemError)), for: id, now: now, &deliveries)
    }
    let paths =
      state.board.needsEvaluation(after: NetworkChange(), now: now)
      ? state.board.accept(.unknown(for: nil), now: now) : []
    return perform(deliveries) + perform(paths)
  }
}
