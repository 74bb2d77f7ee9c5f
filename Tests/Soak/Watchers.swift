import Dispatch
import ReachabilityKit
import Synchronization

/// Observers of the targets and the path for the whole run, which keep the last delivered value of each.
final class Watchers: Sendable {
  private struct State {
    var delivered: [ReachabilityTarget: ReachabilityStatus] = [:]
    var paths: [ReachabilityPath.Requirements: ReachabilityPath] = [:]
    var events = 0
    var problems: [String] = []
  }

  private let state = Mutex(State())
  private let observations = Mutex<[ReachabilityObservation]>([])
  /// Signalled with each event.
  private let wakeUp = DispatchSemaphore(value: 0)
  static let requirements: [ReachabilityPath.Requirements] = [
    .none, .requiring(.wired), .prohibiting(.wired),
  ]

  init(_ monitor: ReachabilityMonitor, _ targets: [ReachabilityTarget]) {
    let queues = (0..<8).map { DispatchQueue(label: "watchers.\($0)") }
    let tokens = targets.enumerated().map { position, target in
      monitor.observe(target, on: queues[position % queues.count]) { [weak self] in self?.note($0) }
    }
    let paths = Self.requirements.map { requirements in
      monitor.observePath(requirements, on: queues[0]) { [weak self] in self?.note($0, requirements) }
    }
    observations.withLock { $0 = tokens + paths }
  }

  var events: Int { state.withLock { $0.events } }
  var problems: [String] { state.withLock { $0.problems } }
  /// The last delivered status of each target, and the last delivered paths.
  var delivered: ([ReachabilityTarget: ReachabilityStatus], [ReachabilityPath.Requirements: ReachabilityPath])
  {
    state.withLock { ($0.delivered, $0.paths) }
  }

  /// Waits briefly for an event.
  func waitForEvent() {
    _ = wakeUp.wait(timeout: .now() + .milliseconds(10))
  }

  private func note(_ event: ReachabilityEvent) {
    state.withLock { state in
      state.events += 1
      let last = state.delivered.updateValue(event.status, forKey: event.target)
      if event.previous != last {
        state.problems.append(
          "\(event.target): previous \(text(event.previous)), delivered last \(text(last))")
      }
      if event.previous == event.status {
        state.problems.append("\(event.target): no change: \(event.status)")
      }
    }
    wakeUp.signal()
  }

  private func note(_ path: ReachabilityPath, _ requirements: ReachabilityPath.Requirements) {
    state.withLock { state in
      state.events += 1
      if state.paths.updateValue(path, forKey: requirements) == path {
        state.problems.append("the path: no change: \(path)")
      }
    }
    wakeUp.signal()
  }
}

func text(_ value: (some CustomStringConvertible)?) -> String { value?.description ?? "nothing" }
