// SPDX-License-Identifier: Apache-2.0
import Dispatch
import ReachabilityKit
import SearchSupport
import Synchronization

/// One observer, from beginning to end.
struct Visit: Sendable {
  /// The target that is observed without settling; `nil` for other observations.
  let target: ReachabilityTarget?
  /// The last delivered status, if the rules keep it.
  var last: ReachabilityStatus? { rules.last }
  /// Ends the observation.
  let end: @Sendable () -> Void
  private let rules: VisitRules

  private static let queue = DispatchQueue(label: "visits", attributes: .concurrent)

  init(_ kind: VisitKind, _ monitor: ReachabilityMonitor, _ log: VisitLog) {
    let rules = VisitRules(log)
    self.rules = rules
    var watched: ReachabilityTarget?
    switch kind {
    case .handler(let target, let settling):
      if settling == .zero { watched = target }
      end = rules.ending(of: monitor.observe(target, settling: settling, on: Self.queue) { rules.note($0) })
    case .path(let requirements):
      end = rules.ending(of: monitor.observePath(requirements, on: Self.queue) { rules.note($0) })
    case .stream(let target, let settling):
      if settling == .zero { watched = target }
      end = Self.ending {
        for await event in monitor.events(of: target, settling: settling) { rules.note(event) }
      }
    case .pathStream:
      end = Self.ending {
        for await path in monitor.paths() { rules.note(path) }
      }
    case .wait(let target):
      end = Self.ending {
        guard let status = try? await monitor.waitUntilReachable(target, timeout: .seconds(5)) else { return }
        log.note(status.isReachable ? nil : "\(target): waited for reachable, got \(status)")
      }
    }
    target = watched
  }

  private static func ending(_ body: @escaping @Sendable () async -> Void) -> @Sendable () -> Void {
    let task = Task(operation: body)
    return { task.cancel() }
  }
}

/// The events of one observer, and whether they follow the rules of delivery.
final class VisitRules: Sendable {
  private struct State {
    var last: ReachabilityStatus?
    var lastPath: ReachabilityPath?
    /// The end of the observation.
    var ended: ContinuousClock.Instant?

    /// Whether a handler begins too late.
    ///
    /// A handler may run while its observation ends, which waits 50 ms for it.
    var isLate: Bool { ended.map { ContinuousClock.now - $0 > .milliseconds(500) } ?? false }
  }

  private let state = Mutex(State())
  private let log: VisitLog

  init(_ log: VisitLog) {
    self.log = log
  }

  var last: ReachabilityStatus? { state.withLock { $0.last } }

  /// Returns a closure that ends the observation and notes the time.
  func ending(of observation: ReachabilityObservation) -> @Sendable () -> Void {
    {
      observation.cancel()
      self.state.withLock { $0.ended = .now }
    }
  }

  func note(_ event: ReachabilityEvent) {
    log.note(
      state.withLock { state -> String? in
        defer { state.last = event.status }
        if state.isLate { return "\(event.target): delivered after the end" }
        return event.problem(after: state.last)
      })
  }

  func note(_ path: ReachabilityPath) {
    log.note(
      state.withLock { state -> String? in
        defer { state.lastPath = path }
        if state.isLate { return "a path delivered after the end" }
        return state.lastPath == path ? "the path: no change: \(path)" : nil
      })
  }
}
