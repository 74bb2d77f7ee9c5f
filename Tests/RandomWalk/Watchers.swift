#if os(Linux)
import Dispatch
import ReachabilityKit
import Synchronization

/// Observers of targets, with the statuses that they received.
final class Watchers: Sendable {
  let targets: [ReachabilityTarget]
  private let monitor: ReachabilityMonitor
  private let state = Mutex(State())
  private let observations = Mutex<[ReachabilityObservation]>([])
  /// Signalled with each event.
  private let news = DispatchSemaphore(value: 0)

  private struct State {
    var delivered: [ReachabilityTarget: [ReachabilityStatus]] = [:]
    var problems: [(target: ReachabilityTarget, text: String)] = []
    var eventCount = 0
  }

  /// A target whose observer has not received the present status.
  struct Delay {
    var target: ReachabilityTarget
    var delivered: ReachabilityStatus?
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

  /// Events whose previous status is not the one before them.
  var problems: [(target: ReachabilityTarget, text: String)] { state.withLock { $0.problems } }

  func cancel() {
    observations.withLock { $0.removeAll() }
  }

  private func note(_ event: ReachabilityEvent) {
    state.withLock { state in
      let last = state.delivered[event.target]?.last
      if event.previous != last {
        state.problems.append((event.target, "\(event) came after \(String(describing: last))"))
      }
      if event.previous == event.status { state.problems.append((event.target, "\(event) is no change")) }
      state.delivered[event.target, default: []].append(event.status)
      state.eventCount += 1
    }
    news.signal()
  }

  /// Waits until every observer has received the present status of its target.
  ///
  /// - Returns: The observers that are late; empty if none is.
  func settle(within limit: Duration) -> [Delay] {
    let deadline = SuspendingClock.now.advanced(by: limit)
    while true {
      let delays = delays()
      if delays.isEmpty || SuspendingClock.now >= deadline { return delays }
      waitForEvent()
    }
  }

  /// Waits briefly for an event: statuses also change without one.
  func waitForEvent() {
    guard news.wait(timeout: .now() + .milliseconds(5)) == .success else { return }
    while news.wait(timeout: .now()) == .success {}
  }

  private func delays() -> [Delay] {
    let present = targets.map { ($0, monitor.currentStatus(of: $0)) }
    return state.withLock { state in
      present.compactMap { target, status in
        let delivered = state.delivered[target]?.last
        return delivered == status ? nil : Delay(target: target, delivered: delivered, present: status)
      }
    }
  }

  /// Returns the statuses that each observer has received since the last call, or since the beginning.
  func takeDelivered() -> [ReachabilityTarget: [ReachabilityStatus]] {
    state.withLock { state in
      let delivered = state.delivered
      for (target, statuses) in delivered { state.delivered[target] = statuses.suffix(1) }
      return delivered
    }
  }
}
#endif
