#if os(Linux)
import Dispatch
import ReachabilityKit
import Synchronization

/// Observers of targets, and what they were told.
final class Watchers: Sendable {
  let targets: [ReachabilityTarget]
  private let monitor: ReachabilityMonitor
  private let state = Mutex(State())
  private let observations = Mutex<[ReachabilityObservation]>([])
  /// Signalled with each event.
  private let news = DispatchSemaphore(value: 0)

  private struct State {
    var told: [ReachabilityTarget: [ReachabilityStatus]] = [:]
    var problems: [(target: ReachabilityTarget, text: String)] = []
    var eventCount = 0
  }

  /// A target whose observer does not know its present status.
  struct Delay {
    var target: ReachabilityTarget
    var told: ReachabilityStatus?
    var present: ReachabilityStatus
  }

  init(_ monitor: ReachabilityMonitor, _ targets: [ReachabilityTarget]) {
    self.monitor = monitor
    self.targets = targets
    let queue = DispatchQueue(label: "watchers")
    for target in targets {
      let observation = monitor.observe(target, on: queue) { [weak self] in self?.note($0) }
      observations.withLock { $0.append(observation) }
    }
  }

  var eventCount: Int { state.withLock { $0.eventCount } }

  /// What was wrong with events as such.
  var problems: [(target: ReachabilityTarget, text: String)] { state.withLock { $0.problems } }

  func cancel() {
    observations.withLock { $0.removeAll() }
  }

  private func note(_ event: ReachabilityEvent) {
    state.withLock { state in
      let last = state.told[event.target]?.last
      if event.previous != last {
        state.problems.append((event.target, "\(event) came after \(String(describing: last))"))
      }
      if event.previous == event.status { state.problems.append((event.target, "\(event) is no change")) }
      state.told[event.target, default: []].append(event.status)
      state.eventCount += 1
    }
    news.signal()
  }

  /// Waits until every observer was told the present status of its target.
  ///
  /// - Returns: Those that were not in time; none if all is well.
  func settle(within limit: Duration) -> [Delay] {
    let deadline = SuspendingClock.now.advanced(by: limit)
    while true {
      let delays = delays()
      if delays.isEmpty || SuspendingClock.now >= deadline { return delays }
      waitForNews()
    }
  }

  /// Waits until an observer is told something, for a moment at most: statuses also change without that.
  func waitForNews() {
    guard news.wait(timeout: .now() + .milliseconds(5)) == .success else { return }
    while news.wait(timeout: .now()) == .success {}
  }

  private func delays() -> [Delay] {
    let present = targets.map { ($0, monitor.status(of: $0)) }
    return state.withLock { state in
      present.compactMap { target, status in
        let told = state.told[target]?.last
        return told == status ? nil : Delay(target: target, told: told, present: status)
      }
    }
  }

  /// What each observer was told since this was last called, or since the beginning.
  func takeTold() -> [ReachabilityTarget: [ReachabilityStatus]] {
    state.withLock { state in
      let told = state.told
      for (target, statuses) in told { state.told[target] = statuses.suffix(1) }
      return told
    }
  }
}
#endif
