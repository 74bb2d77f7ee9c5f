// SPDX-License-Identifier: Apache-2.0
import Dispatch
import InternetProtocol
import POSIX
import Synchronization
import TestSupport

@testable import ReachabilityKit

/// A scripted network, and a record of the engine's calls.
final class SourceDouble: NetworkSource, RouteFilter {
  /// A call of the engine to its source.
  enum Call: Hashable {
    case start
    /// A start that the system refuses.
    case refusal
    case stop
    case status(ReachabilityTarget)
    case evaluate([ReachabilityTarget])
    case path
    /// Resolver settings are watched from now on, or no longer.
    case watchNames(Bool)
  }

  private struct State {
    var world: @Sendable (ReachabilityTarget) -> Evaluation
    var isRefusing = false
    var watched: Subscriptions = []
    var change = NetworkChange()
    var path = PathEvaluation(ReachabilityPath(.unsatisfied, reason: .noRoute))
    var threadRefusals = 0
  }

  let calls = Log<Call>()
  /// The observed addresses, each time that they are set.
  let observed = Log<ObservedAddresses>()
  private let state: Mutex<State>
  private let wakeUp = DispatchSemaphore(value: 0)
  private let gone: Log<Void>?
  private let names: (any NameService)?
  private let traffic: (any TrafficSource)?

  /// Makes a network in which every target has one status.
  ///
  /// - Parameters:
  /// - isRefusing: Whether the system refuses to be watched.
  /// - gone: The log that notes the release of the source.
  /// - names: The service that looks names up.
  /// - traffic: The reader of the machine's traffic.
  convenience init(
    _ status: ReachabilityStatus, isRefusing: Bool = false, gone: Log<Void>? = nil,
    names: (any NameService)? = nil, traffic: (any TrafficSource)? = nil
  ) {
    self.init(isRefusing: isRefusing, gone: gone, names: names, traffic: traffic) { _ in Evaluation(status) }
  }

  init(
    isRefusing: Bool = false, gone: Log<Void>? = nil, names: (any NameService)? = nil,
    traffic: (any TrafficSource)? = nil, world: @escaping @Sendable (ReachabilityTarget) -> Evaluation
  ) {
    state = Mutex(State(world: world, isRefusing: isRefusing))
    self.gone = gone
    self.names = names
    self.traffic = traffic
  }

  deinit { gone?.note() }

  var capabilities: SourceCapabilities {
    SourceCapabilities(names: names, traffic: traffic, routeFilter: self)
  }

  func setObserved(_ addresses: ObservedAddresses) { observed.append(addresses) }

  /// Changes the network without an announcement.
  func set(_ status: ReachabilityStatus) {
    state.withLock { $0.world = { _ in Evaluation(status) } }
  }

  /// Changes the path without an announcement.
  func setPath(_ path: PathEvaluation) {
    state.withLock { $0.path = path }
  }

  /// Lets the system be watched from now on.
  func allow() { state.withLock { $0.isRefusing = false } }

  /// Makes the next attempts to start a thread fail.
  func refuseThreads(_ count: Int) { state.withLock { $0.threadRefusals = count } }

  func startThread(named name: String, _ body: @escaping @Sendable () -> Void)
    throws(ReachabilityMonitorError)
  {
    let isRefused = state.withLock { state in
      defer { state.threadRefusals = max(state.threadRefusals - 1, 0) }
      return state.threadRefusals > 0
    }
    if isRefused { throw ReachabilityMonitorError(.systemUnavailable, description: "refused by the test") }
    try ReachabilityKit.startThread(named: name, body)
  }

  /// Says that something may have changed.
  func announce(_ change: NetworkChange = .all) {
    state.withLock { $0.change.formUnion(change) }
    wakeUp.signal()
  }

  /// Records a change for the next reader, without a wake-up.
  func leave(_ change: NetworkChange) {
    state.withLock { $0.change.formUnion(change) }
  }

  func evaluate(_ target: ReachabilityTarget) -> Evaluation {
    calls.append(.status(target))
    return answer(about: target)
  }

  func evaluatePath() -> PathEvaluation { state.withLock { $0.path } }

  func evaluateObservedPath() -> PathEvaluation {
    let path = evaluatePath()
    calls.append(.path)
    return path
  }

  func evaluateObserved(_ targets: [ReachabilityTarget]) -> [Evaluation] {
    let evaluations = targets.map(answer)
    calls.append(.evaluate(targets))
    return evaluations
  }

  /// Answers like a system that looks names up first, if this one has names.
  private func answer(about target: ReachabilityTarget) -> Evaluation {
    if names != nil, case .host = target.destination { return Evaluation(.unknown(.resolving)) }
    return state.withLock { $0.world }(target)
  }

  func watch(_ subjects: Subscriptions) throws(ReachabilityMonitorError) {
    let (changed, isRefused) = state.withLock { state in
      let isRefused = state.isRefusing && subjects.contains(.network)
      let changed = state.watched.symmetricDifference(subjects)
      state.watched = isRefused ? subjects.subtracting(.network) : subjects
      return (changed, isRefused)
    }
    if changed.contains(.names) { calls.append(.watchNames(subjects.contains(.names))) }
    guard changed.contains(.network) else { return }
    calls.append(isRefused ? .refusal : subjects.contains(.network) ? .start : .stop)
    if isRefused { throw ReachabilityMonitorError(.systemUnavailable, description: "refused by the test") }
  }

  func wake() { wakeUp.signal() }

  func waitForChange(until deadline: Moment?) -> NetworkChange {
    if let deadline {
      let left = max(Moment.now.duration(to: deadline), .zero)
      _ = wakeUp.wait(timeout: .now() + .nanoseconds(Int(left / .nanoseconds(1))))
    } else {
      wakeUp.wait()
    }
    return state.withLock { state in
      defer { state.change = NetworkChange() }
      return state.change
    }
  }
}

/// A network that changes at every query: each answer differs from the one before, up to the last.
final class RestlessSource: NetworkSource {
  private struct State {
    var number = 0
    var isWatched = false
  }

  private let last: Int
  private let state = Mutex(State())
  private let wakeUp = DispatchSemaphore(value: 0)

  init(last: Int) { self.last = last }

  func evaluate(_ target: ReachabilityTarget) -> Evaluation {
    Evaluation(.number(state.withLock { $0.number }))
  }

  func evaluatePath() -> PathEvaluation { .number(state.withLock { $0.number }) }

  func evaluateObservedPath() -> PathEvaluation {
    let number = state.withLock { state in
      state.number = min(state.number + 1, last)
      return state.number
    }
    return .number(number)
  }

  func evaluateObserved(_ targets: [ReachabilityTarget]) -> [Evaluation] {
    let number = state.withLock { state in
      state.number = min(state.number + 1, last)
      return state.number
    }
    return targets.map { _ in Evaluation(.number(number)) }
  }

  func watch(_ subjects: Subscriptions) {
    state.withLock { $0.isWatched = subjects.contains(.network) }
  }

  func wake() { wakeUp.signal() }

  func waitForChange(until deadline: Moment?) -> NetworkChange {
    let isRestless = state.withLock { $0.isWatched && $0.number < last }
    if !isRestless { wakeUp.wait() }
    return .all
  }
}

extension ReachabilityMonitor {
  /// Observes a target into a log.
  func log(
    _ target: ReachabilityTarget, settling: Duration = .zero,
    on queue: DispatchQueue = DispatchQueue(label: "test")
  ) -> (token: ReachabilityObservation, events: Log<ReachabilityEvent>) {
    let events = Log<ReachabilityEvent>()
    return (observe(target, settling: settling, on: queue) { events.append($0) }, events)
  }
}

extension [ReachabilityEvent] {
  /// The events of an observer that receives these statuses in order.
  static func telling(_ statuses: ReachabilityStatus..., of target: ReachabilityTarget) -> [ReachabilityEvent]
  {
    telling(statuses, of: target)
  }

  static func telling(_ statuses: [ReachabilityStatus], of target: ReachabilityTarget) -> [ReachabilityEvent]
  {
    zip(statuses, [nil] + statuses).map { ReachabilityEvent(target: target, status: $0, previous: $1) }
  }
}

extension PathEvaluation {
  /// A distinct path for each number.
  static func number(_ number: Int) -> PathEvaluation { PathEvaluation(.number(number)) }
}

extension ReachabilityPath {
  /// A distinct path for each number.
  static func number(_ number: Int) -> ReachabilityPath {
    ReachabilityPath(
      .satisfied,
      interfaces: [Interface(ReachabilityInterface(name: "eth0", index: 2, kind: .wired), mtu: number)])
  }
}
