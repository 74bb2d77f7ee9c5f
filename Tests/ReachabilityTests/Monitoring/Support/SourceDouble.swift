import Dispatch
import Reachability
import Synchronization

/// A network that a test plays, and a record of what the engine asked of it.
final class SourceDouble: NetworkSource {
  /// What an engine does with a source.
  enum Call: Hashable {
    case start
    case stop
    case status(Target)
    case evaluate([Target])
  }

  private struct State {
    var world: @Sendable (Target) -> Evaluation
    var refusals = 0
    var change = NetworkChange()
  }

  let calls = Log<Call>()
  private let state: Mutex<State>
  private let bell = DispatchSemaphore(value: 0)
  private let gone: Log<Void>?

  /// Makes a network in which every target has one status.
  ///
  /// - Parameters:
  ///   - refusals: How many times the system refuses to be watched.
  ///   - gone: What to tell when nobody holds the source any more.
  convenience init(_ status: Status, refusals: Int = 0, gone: Log<Void>? = nil) {
    self.init(refusals: refusals, gone: gone) { _ in Evaluation(status) }
  }

  init(refusals: Int = 0, gone: Log<Void>? = nil, world: @escaping @Sendable (Target) -> Evaluation) {
    state = Mutex(State(world: world, refusals: refusals))
    self.gone = gone
  }

  deinit { gone?.note() }

  /// Changes the network without a word.
  func set(_ status: Status) {
    state.withLock { $0.world = { _ in Evaluation(status) } }
  }

  /// Says that something may have changed.
  func announce(_ change: NetworkChange = .all) {
    state.withLock { $0.change.formUnion(change) }
    bell.signal()
  }

  func evaluate(_ target: Target) -> Evaluation {
    calls.append(.status(target))
    return state.withLock { $0.world }(target)
  }

  func evaluate(watched targets: [Target]) -> [Evaluation] {
    let world = state.withLock { $0.world }
    let evaluations = targets.map(world)
    calls.append(.evaluate(targets))
    return evaluations
  }

  func startWatching() throws(NetworkMonitorError) {
    calls.append(.start)
    let isRefused = state.withLock { state in
      state.refusals -= 1
      return state.refusals >= 0
    }
    if isRefused { throw NetworkMonitorError(.systemUnavailable, description: "refused by the test") }
  }

  func stopWatching() { calls.append(.stop) }

  func wake() { bell.signal() }

  func waitForChange(until deadline: SuspendingClock.Instant?) -> NetworkChange {
    if let deadline {
      let left = max(SuspendingClock().now.duration(to: deadline), .zero)
      _ = bell.wait(timeout: .now() + .nanoseconds(Int(left / .nanoseconds(1))))
    } else {
      bell.wait()
    }
    return state.withLock { state in
      defer { state.change = NetworkChange() }
      return state.change
    }
  }
}

/// A network that changes as fast as it is looked at: each answer is another one, up to a last.
final class RestlessSource: NetworkSource {
  private let last: Int
  private let count = Mutex(0)
  private let bell = DispatchSemaphore(value: 0)

  init(last: Int = .max) { self.last = last }

  func evaluate(_ target: Target) -> Evaluation { Evaluation(.number(count.withLock { $0 })) }

  func evaluate(watched targets: [Target]) -> [Evaluation] {
    let number = count.withLock { count in
      count = min(count + 1, last)
      return count
    }
    return targets.map { _ in Evaluation(.number(number)) }
  }

  func startWatching() {}

  func stopWatching() {}

  func wake() { bell.signal() }

  func waitForChange(until deadline: SuspendingClock.Instant?) -> NetworkChange {
    if count.withLock({ $0 == last }) || deadline == nil && count.withLock({ $0 }) < 0 { bell.wait() }
    return .all
  }
}
