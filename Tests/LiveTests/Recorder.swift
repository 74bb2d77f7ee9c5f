// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Dispatch
import ReachabilityKit
import Synchronization
import Testing

/// Observes targets and keeps every event, in order.
final class Recorder: Sendable {
  private struct State {
    var statuses: [ReachabilityTarget: [ReachabilityStatus]] = [:]
    var problems: [String] = []
    var waiters:
      [(isDone: @Sendable ([ReachabilityTarget: [ReachabilityStatus]]) -> Bool, signal: DispatchSemaphore)] =
        []
  }

  private let state = Mutex(State())
  private let observations = Mutex<[ReachabilityObservation]>([])

  init(_ monitor: ReachabilityMonitor, _ targets: [ReachabilityTarget], settling: Duration = .zero) {
    let queue = DispatchQueue(label: "recorder")
    for target in targets {
      let observation = monitor.observe(target, settling: settling, on: queue) { [weak self] event in
        self?.note(event)
      }
      observations.withLock { $0.append(observation) }
    }
  }

  /// All statuses that each target's observer received.
  var statuses: [ReachabilityTarget: [ReachabilityStatus]] { state.withLock { $0.statuses } }

  /// Events whose previous status differs from the status before them.
  var problems: [String] { state.withLock { $0.problems } }

  /// Blocks until the delivered statuses meet the condition; records an issue if they do not in time.
  @discardableResult
  func wait(
    _ what: String, seconds: Int = 60,
    _ isDone: @escaping @Sendable ([ReachabilityTarget: [ReachabilityStatus]]) -> Bool
  ) -> Bool {
    let signal = DispatchSemaphore(value: 0)
    let isDoneAlready = state.withLock { state in
      if isDone(state.statuses) { return true }
      state.waiters.append((isDone, signal))
      return false
    }
    if isDoneAlready { return true }
    guard signal.wait(timeout: .now() + .seconds(seconds)) == .timedOut else { return true }
    Issue.record("\(what) did not happen; delivered so far: \(statuses)")
    return false
  }

  private func note(_ event: ReachabilityEvent) {
    state.withLock { state in
      let last = state.statuses[event.target]?.last
      if event.previous != last { state.problems.append("\(event) came after \(String(describing: last))") }
      if event.previous == event.status { state.problems.append("\(event) is no change") }
      state.statuses[event.target, default: []].append(event.status)
      state.waiters.removeAll { waiter in
        guard waiter.isDone(state.statuses) else { return false }
        waiter.signal.signal()
        return true
      }
    }
  }
}
#endif
