// SPDX-License-Identifier: Apache-2.0
import Dispatch
import LiveSupport
import ReachabilityKit
import Synchronization

/// A hundred short-lived observers, each with the rules that its events must follow.
final class Visitors: Sendable {
  private struct State {
    var visits: [Visit] = []
    var count = 0
    var random: SeededGenerator
    var isStopped = false
  }

  private let state: Mutex<State>
  private let monitor: ReachabilityMonitor
  private let targets: [ReachabilityTarget]
  private let log = VisitLog()
  private let queue = DispatchQueue(label: "visitors")
  private static let limit = 100

  init(_ monitor: ReachabilityMonitor, _ targets: [ReachabilityTarget], seed: UInt64) {
    self.monitor = monitor
    self.targets = targets
    state = Mutex(State(random: SeededGenerator(seed: seed)))
    queue.async { [weak self] in self?.step() }
  }

  var problems: [String] { log.problems }
  var events: Int { log.events }
  /// The number of observers so far.
  var count: Int { state.withLock { $0.count } }
  /// The number of present observers.
  var present: Int { state.withLock { $0.visits.count } }

  /// Ends some observers and starts others, some hundred times a second.
  private func step() {
    let (leaving, coming, isStopped) = state.withLock { state -> ([Visit], [VisitKind], Bool) in
      let free = Self.limit - state.visits.count
      let leavingCount = free > 0 ? 0 : state.random.number(1..<4)
      let leaving = (0..<leavingCount).map { _ in
        state.visits.remove(at: state.random.number(0..<state.visits.count))
      }
      let coming = (0..<max(leavingCount, min(free, 5))).map { _ in VisitKind.random(targets, &state.random) }
      return (leaving, coming, state.isStopped)
    }
    guard !isStopped else { return }
    for visit in leaving { visit.end() }
    let visits = coming.map { Visit($0, monitor, log) }
    state.withLock { state in
      state.visits += visits
      state.count += visits.count
    }
    queue.asyncAfter(deadline: .now() + .milliseconds(10)) { [weak self] in self?.step() }
  }

  /// The targets that are observed without settling, with the last delivered status.
  var delivered: [(ReachabilityTarget, ReachabilityStatus)] {
    state.withLock { $0.visits }.compactMap { visit in
      guard let target = visit.target, let last = visit.last else { return nil }
      return (target, last)
    }
  }

  /// Ends all observers.
  func stop() {
    let visits = state.withLock { state in
      state.isStopped = true
      defer { state.visits = [] }
      return state.visits
    }
    for visit in visits { visit.end() }
  }
}

/// The kinds of observation.
enum VisitKind {
  case handler(ReachabilityTarget, settling: Duration)
  case stream(ReachabilityTarget, settling: Duration)
  case path(ReachabilityPath.Requirements)
  case pathStream
  case wait(ReachabilityTarget)

  static func random(_ targets: [ReachabilityTarget], _ random: inout SeededGenerator) -> VisitKind {
    let target = random.pick(targets)
    let settling: Duration = random.chance(4) ? .milliseconds(random.number(1..<200)) : .zero
    return switch random.number(0..<20) {
    case 0..<9: .handler(target, settling: settling)
    case 9..<16: .stream(target, settling: settling)
    case 16: .path(random.pick(Pool.requirements))
    case 17: .pathStream
    default: .wait(target)
    }
  }
}

/// The number of events of all visitors, and the violations of the rules.
final class VisitLog: Sendable {
  private let state = Mutex((events: 0, problems: [String]()))

  var events: Int { state.withLock { $0.events } }
  var problems: [String] { state.withLock { $0.problems } }

  func note(_ problem: String?) {
    state.withLock { state in
      state.events += 1
      if let problem { state.problems.append(problem) }
    }
  }
}
