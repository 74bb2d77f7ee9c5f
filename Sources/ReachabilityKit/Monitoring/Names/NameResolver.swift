// SPDX-License-Identifier: Apache-2.0
import POSIX
import Synchronization

/// Looks up names on a few threads, and keeps the answers.
///
/// A thread ends when there is nothing to look up, so an idle resolver causes no wake-ups. A lookup can't be interrupted.
/// No call waits for it, and a blocked thread does not keep the process from ending.
final class NameResolver: Sendable {
  typealias NamedAnswer = (name: ReachabilityTarget.HostName, answer: NameAnswer)

  private struct State {
    /// `nil` once the resolver is stopped.
    var table: NameTable? = NameTable()
    /// Answers of observed names that were not taken yet.
    var event: [NamedAnswer] = []
  }

  private let state = Mutex(State())
  private let service: any NameService
  private let wake: @Sendable () -> Void

  /// - Parameter wake: A closure that is called from any thread when an answer has arrived.
  init(_ service: any NameService, wake: @escaping @Sendable () -> Void) {
    self.service = service
    self.wake = wake
  }

  /// Returns the known answer for a name; without one, the name is looked up.
  func answer(for name: ReachabilityTarget.HostName) -> NameAnswer? {
    // By now the lookup may have failed to begin, which is an answer.
    change { $0.table?.answer(for: name, now: $1) } ?? state.withLock { $0.table?.knownAnswer(for: name) }
  }

  /// The duration of the last lookup of a name, if its answer is known.
  func lookUpDuration(of name: ReachabilityTarget.HostName) -> Duration? {
    state.withLock { $0.table?.lookUpDuration(of: name) }
  }

  /// Begins or ends to keep a name up to date; a known answer is queued at the beginning.
  func follow(_ nameChange: NameChange) {
    change { state, now in
      switch nameChange {
      case .added(let name):
        if let answer = state.table?.watch(name, now: now) { state.event.append((name, answer)) }
      case .removed(let name):
        state.table?.unwatch(name)
      }
    }
  }

  /// Records that the network or the resolver's settings changed.
  func recordChange(ofSettings: Bool) {
    // Without names, only the names that are added soon have to be looked up again.
    let isDone = state.withLock { state in
      guard state.table?.isIdle ?? true else { return false }
      state.table?.recordChange(ofSettings: ofSettings, now: .now)
      return true
    }
    if isDone { return }
    change { $0.table?.recordChange(ofSettings: ofSettings, now: $1) }
    recordRoutes()
  }

  /// Notes that routes changed, which may have made a name server reachable that names wait for.
  func recordRoutes() {
    guard state.withLock({ $0.table?.isWaitingForServer ?? false }), service.canReachServer else { return }
    change { state, _ in state.table?.recordReachableServer() }
  }

  /// Repeats the lookups that failed, since a router answers again.
  func retryUnanswered() {
    change { state, _ in state.table?.retryUnanswered() }
  }

  /// Looks up every observed name again.
  func refresh() {
    change { state, _ in state.table?.refresh() }
  }

  /// Stops the resolver, which begins no further lookup.
  func stop() {
    state.withLock { $0.table = nil }
  }

  /// Takes the new answers, after beginning the lookups that are due.
  func dequeueAnswers() -> [NamedAnswer] {
    change { state, _ in
      defer { state.event = [] }
      return state.event
    }
  }

  /// The moment of the next call to ``dequeueAnswers()`` if nothing happens.
  var nextDeadline: Moment? {
    state.withLock { $0.table?.nextDeadline }
  }

  /// Changes the state, and begins the lookups that follow from it.
  private func change<Value: Sendable>(_ body: (inout State, Moment) -> Value) -> Value {
    if state.withLock({ $0.table?.needsExamination(Moment.now) ?? false }) {
      // Both query the system, for which no other caller waits.
      let threads = state.withLock { $0.table?.threadsToExamine(Moment.now) ?? [:] }
      let busy = Set(threads.filter { !$0.value.isWaiting }.keys)
      let isServerReachable = service.canReachServer
      state.withLock { state in
        state.event +=
          state.table?.examine(Moment.now, isServerReachable: isServerReachable, busy: busy) ?? []
      }
    }
    let (value, names, now) = state.withLock { state in
      let now = Moment.now
      for overdue in state.table?.abandonOverdue(now) ?? [] { state.event.append(overdue) }
      return (body(&state, now), state.table?.startAll(now) ?? [], now)
    }
    for name in names { begin(name, at: now) }
    return value
  }

  private func begin(_ name: ReachabilityTarget.HostName, at moment: Moment) {
    // Without lookups there is nothing to wait for.
    guard service.canLookUp else { return lookUp(name, begunAt: moment) }
    do throws(ReachabilityMonitorError) {
      try service.startLookupThread(named: "names") { self.lookUp(name, begunAt: moment) }
    } catch {
      state.withLock { state in
        if let event = state.table?.postpone(name, now: moment) { state.event.append((name, event)) }
      }
      wake()
    }
  }

  /// Looks up a name, then other names while there are any to look up.
  private func lookUp(_ first: ReachabilityTarget.HostName, begunAt moment: Moment) {
    let thread = ThreadProgress(ofThread: Thread.currentNumber)
    var name: ReachabilityTarget.HostName? = first
    var start = moment
    while let current = name {
      state.withLock { [start] in
        $0.table?.recordBegin(of: current, startedAt: start, now: .now, on: thread)
      }
      let answer = service.addresses(of: current)
      let (names, now) = state.withLock { [start] state in
        let now = Moment.now
        if let event = state.table?.accept(answer, ofLookUpBegunAt: start, for: current, now: now) {
          state.event.append((current, event))
        }
        return (state.table?.startAll(now) ?? [], now)
      }
      // Also without an event: the next deadline is known only now.
      wake()
      name = names.first
      start = now
      for more in names.dropFirst() { begin(more, at: now) }
    }
  }
}

/// A name with its first observer, or after its last one.
enum NameChange: Equatable, Sendable {
  case added(ReachabilityTarget.HostName)
  case removed(ReachabilityTarget.HostName)
}
