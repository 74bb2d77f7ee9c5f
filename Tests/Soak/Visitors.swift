import Dispatch
import LiveSupport
import ReachabilityKit
import Synchronization

/// A hundred observers that come and go, each with the rules that what it is told must keep.
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
  /// How many came in all.
  var count: Int { state.withLock { $0.count } }
  /// How many are there now.
  var present: Int { state.withLock { $0.visits.count } }

  /// Lets some go and others come, some hundred times a second.
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

  /// What is observed at once, and what was told of it last.
  var told: [(ReachabilityTarget, ReachabilityStatus)] {
    state.withLock { $0.visits }.compactMap { visit in
      guard let target = visit.target, let last = visit.last else { return nil }
      return (target, last)
    }
  }

  /// Lets all go.
  func stop() {
    let visits = state.withLock { state in
      state.isStopped = true
      defer { state.visits = [] }
      return state.visits
    }
    for visit in visits { visit.end() }
  }
}

/// How somebody observes.
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
    case 16: .path(random.pick(Watchers.requirements))
    case 17: .pathStream
    default: .wait(target)
    }
  }
}

/// What all visitors together were told, and what was wrong with it.
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
