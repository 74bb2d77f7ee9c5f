// SPDX-License-Identifier: Apache-2.0
import Dispatch
import ReachabilityKit
import Synchronization

/// Observers of targets and of the path, with what they received, and whether it follows the rules of delivery.
package final class Watchers: Sendable {
  private struct State {
    var delivered: [ReachabilityTarget: [ReachabilityStatus]] = [:]
    var paths: [ReachabilityPath.Requirements: ReachabilityPath] = [:]
    var problems: [(target: ReachabilityTarget, text: String)] = []
    var events = 0
  }

  private let state = Mutex(State())
  private let observations = Mutex<[ReachabilityObservation]>([])
  private let keepsHistory: Bool
  /// Signalled with each event.
  private let wakeUp = DispatchSemaphore(value: 0)

  /// Begins to observe.
  ///
  /// - Parameters:
  ///   - paths: The requirements of the observed paths.
  ///   - keepsHistory: Whether to keep all statuses until ``takeDelivered()``, or the last one of each target.
  package init(
    _ monitor: ReachabilityMonitor, _ targets: [ReachabilityTarget],
    paths: [ReachabilityPath.Requirements] = [], keepsHistory: Bool = true
  ) {
    self.keepsHistory = keepsHistory
    // Handlers of one queue run one after the other; these many are not the limit.
    let queues = (0..<8).map { DispatchQueue(label: "watchers.\($0)") }
    let tokens = targets.enumerated().map { position, target in
      monitor.observe(target, on: queues[position % queues.count]) { [weak self] in self?.record($0) }
    }
    let pathTokens = paths.map { requirements in
      monitor.observePath(requirements, on: queues[0]) { [weak self] in self?.record($0, requirements) }
    }
    observations.withLock { $0 = tokens + pathTokens }
  }

  package func cancel() {
    observations.withLock { $0.removeAll() }
  }

  package var events: Int { state.withLock { $0.events } }

  /// The events that break a rule; those of the path are about the default route.
  package var problems: [(target: ReachabilityTarget, text: String)] { state.withLock { $0.problems } }

  /// The last status of each target.
  package var statuses: [ReachabilityTarget: ReachabilityStatus] {
    state.withLock { $0.delivered.compactMapValues(\.last) }
  }

  /// The last path of each of the requirements.
  package var paths: [ReachabilityPath.Requirements: ReachabilityPath] { state.withLock { $0.paths } }

  /// Returns the statuses that each observer has received since the last call, after the one before them.
  package func takeDelivered() -> [ReachabilityTarget: [ReachabilityStatus]] {
    state.withLock { state in
      let delivered = state.delivered
      for (target, statuses) in delivered { state.delivered[target] = statuses.suffix(1) }
      return delivered
    }
  }

  /// Waits briefly for an event, as statuses also change without one; returns whether one came.
  @discardableResult
  package func waitForEvent() -> Bool {
    guard wakeUp.wait(timeout: .now() + .milliseconds(5)) == .success else { return false }
    while wakeUp.wait(timeout: .now()) == .success {}
    return true
  }

  private func record(_ event: ReachabilityEvent) {
    state.withLock { state in
      state.events += 1
      var statuses = state.delivered[event.target, default: []]
      if let problem = event.problem(after: statuses.last) { state.problems.append((event.target, problem)) }
      if !keepsHistory { statuses = [] }
      state.delivered[event.target] = statuses + [event.status]
    }
    wakeUp.signal()
  }

  private func record(_ path: ReachabilityPath, _ requirements: ReachabilityPath.Requirements) {
    state.withLock { state in
      state.events += 1
      if state.paths.updateValue(path, forKey: requirements) == path {
        state.problems.append((.defaultRoute, "the path: no change: \(path)"))
      }
    }
    wakeUp.signal()
  }
}

extension ReachabilityEvent {
  /// Why it may not follow a status in an observer's events; `nil` if it may.
  package func problem(after last: ReachabilityStatus?) -> String? {
    if previous != last {
      return "\(target): previous \(text(previous)), delivered last \(text(last))"
    }
    return previous == status ? "\(target): no change: \(status)" : nil
  }
}

/// Describes a value, or its absence.
package func text(_ value: (some CustomStringConvertible)?) -> String { value?.description ?? "nothing" }
