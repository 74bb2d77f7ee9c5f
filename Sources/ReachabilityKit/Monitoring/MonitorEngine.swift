// SPDX-License-Identifier: Apache-2.0
import Dispatch
import POSIX
import Synchronization

/// Observes the network for any number of observers: one thread, one state machine, one source.
///
/// Only the thread evaluates for observers, so their events have one order. A caller takes the lock for a moment and
/// wakes the thread. No lock is held during a query of the system or a call of a handler.
final class MonitorEngine: Sendable {
  typealias Machine = MonitorStateMachine<EventSink>
  typealias Paths = PathObservers<EventSink>

  let source: any NetworkSource
  let state = Mutex(State())
  let names: NameResolver?
  let clock: MonitorClock
  private let process = ProcessIdentity.current

  init(source: any NetworkSource) {
    self.source = source
    clock = MonitorClock(source.capabilities.time)
    names = source.capabilities.names.map { NameResolver($0) { source.wake() } }
  }

  /// Whether this is the process that created the engine.
  ///
  /// A forked child has neither the thread nor sockets, and may have inherited a lock that is never released.
  var belongsToThisProcess: Bool { process == .current }

  /// The counters of the exchange with the system; zero in a forked child.
  var diagnostics: ReachabilityDiagnostics {
    (belongsToThisProcess ? source.capabilities.tables?.diagnostics : nil) ?? .init()
  }

  /// Evaluates a target now, on the calling thread.
  func status(of target: ReachabilityTarget) -> ReachabilityStatus {
    guard belongsToThisProcess else { return .unknown(.systemError) }
    guard case .host(let name) = target.destination, let names else { return source.evaluate(target).status }
    guard let answer = names.answer(for: name)?.limited(to: target.family) else {
      return .unknown(.resolving)
    }
    return answer.evaluation(of: answer.targets(for: target).map(source.evaluate)).status
  }

  /// Stands for an entry where the path is observed; no entry has this number.
  static let path: Machine.EntryID = 0

  /// Adds an observer of a target; returns the entry that it observes.
  func add(_ sink: EventSink, for key: Machine.Key) -> Machine.EntryID {
    var entry: Machine.EntryID = 0
    begin { entry = $0.machine.add(sink, for: key) }
    return entry
  }

  /// Adds an observer under the lock, and has the thread evaluate for it.
  func begin(_ add: (inout State) -> Void) {
    guard belongsToThisProcess else { return }
    let startsThread = state.withLock { state in
      add(&state)
      return state.claimThread()
    }
    if startsThread { startThread() } else { source.wake() }
  }

  /// Removes an observer of an entry, or of the path.
  func remove(_ sink: EventSink, from entry: Machine.EntryID) {
    guard belongsToThisProcess else { return }
    let isOver = state.withLock { state in
      if entry == Self.path {
        state.pathObservers.remove(sink)
      } else {
        state.machine.remove(sink, from: entry)
      }
      return !state.hasObservers || state.machine.hasNameChanges
    }
    // Without observers the thread leaves the multicast groups; an unobserved name needs no further lookup.
    if isOver { source.wake() }
  }

  /// Evaluates every observed target again.
  func refresh() {
    guard belongsToThisProcess else { return }
    state.withLock { $0.isRefreshWanted = true }
    source.wake()
  }

  /// Ends the thread at its next turn.
  func stop() {
    guard belongsToThisProcess else { return }
    state.withLock { $0.life = .stopped }
    names?.stop()
    source.wake()
  }
}

// MARK: - The engine's thread

extension MonitorEngine {
  func run() {
    var watched: Subscriptions = []
    var change = NetworkChange()
    while true {
      let turn = state.withLock { $0.dequeueTurn() }
      let wasWatching = watched.contains(.network)
      // Before any lookup and any evaluation, so that no change falls between.
      if watched != turn.subjects { watched = watch(turn.subjects) }
      if let names {
        turn.nameChanges.forEach(names.follow)
        if turn.isRefreshWanted { names.refresh() }
      }
      switch turn.phase {
      case .stopped:
        return
      case .idle:
        applyToNames(change.effectOnNames)
        change = source.waitForChange(until: nil)
      case .observing(let hosts, let path):
        let effect = change.effectOnNames
        if turn.isRefreshWanted || !wasWatching { change.formUnion(.all) }
        apply(change, answers: hosts ? names?.dequeueAnswers() ?? [] : [])
        if path { processPath(change) }
        // It only sets a deadline, so statuses come first.
        applyToNames(effect)
        // A system that reports no changes is queried again now and then.
        let retry = watched == turn.subjects ? nil : clock.moment.advanced(by: Self.retryInterval)
        let (next, count) = state.withLock { state in
          (
            Moment.earliest(state.machine.nextDeadline, state.pathObservers.nextDeadline),
            state.machine.changedAddressCount()
          )
        }
        if let count { setObserved(count) }
        let nextName = hosts ? names?.nextDeadline : nil
        change = source.waitForChange(until: .earliest(.earliest(next, nextName), retry))
      }
    }
  }

  private func applyToNames(_ effect: NetworkChange.EffectOnNames) {
    guard let names else { return }
    if effect.contains(.settings) { names.recordChange(ofSettings: true) }
    if effect.contains(.network) {
      names.recordChange(ofSettings: false)
    } else if effect.contains(.routes) {
      names.recordRoutes()
    }
    if effect.contains(.routerReturned) { names.retryUnanswered() }
  }

  /// Has the source watch these subjects; returns those that it watches.
  @inline(never)
  private func watch(_ subjects: Subscriptions) -> Subscriptions {
    do throws(ReachabilityMonitorError) {
      try source.watch(subjects)
      return subjects
    } catch {
      return subjects.subtracting(.network)
    }
  }

  /// Has the source know so many observed addresses, which it lists if it needs them: those of the targets and of the path.
  @inline(never)
  private func setObserved(_ count: Int) {
    let addresses = ObservedAddresses(count: count) { [weak self] in
      self?.state.withLock { $0.machine.addresses + $0.pathObservers.addresses } ?? []
    }
    source.capabilities.routeFilter?.setObserved(addresses)
  }

  private func apply(_ change: NetworkChange, answers: [NameResolver.NamedAnswer]) {
    var pendingWork = Machine.PendingWork()
    var settled = WokenSinks()
    let sole = state.withLock { state in
      for (name, answer) in answers { state.machine.resolve(name, to: answer) }
      pendingWork = state.machine.take(change, now: clock.moment) { Self.deliver($0, to: $1, &settled) }
      return state.machine.soleQuestion(of: &pendingWork)
    }
    settled.wakeUp()
    if let sole {
      let evaluation = source.evaluateObserved(sole.target)
      var changed = WokenSinks()
      state.withLock { state in
        state.machine.accept(evaluation, for: sole.id, now: clock.moment) {
          Self.deliver($0, to: $1, &changed)
        }
      }
      return changed.wakeUp()
    }
    var questions = state.withLock { $0.machine.questions(of: &pendingWork, limit: Self.step) }
    // In steps: the answers of one are delivered, and their memory is free, before the next begins.
    while !questions.ids.isEmpty {
      let evaluations = evaluate(questions)
      let changed = state.withLock { [questions] state in
        var changed = WokenSinks()
        for (place, id) in questions.ids.enumerated() {
          state.machine.accept(evaluations[place], for: id, now: clock.moment) {
            Self.deliver($0, to: $1, &changed)
          }
        }
        return changed
      }
      changed.wakeUp()
      if questions.ids.count < Self.step { return }
      questions = state.withLock { $0.machine.questions(of: &pendingWork, limit: Self.step) }
    }
  }

  private static var step: Int { 128 }

  /// Evaluates all targets together, and combines the evaluations of each host's addresses.
  private func evaluate(_ questions: Machine.Questions) -> [Evaluation] {
    guard !questions.hosts.isEmpty else { return source.evaluateObserved(questions.targets) }
    var targets = questions.targets
    // From the last one, so that the places of those before it stay valid.
    for (place, _, parts) in questions.hosts.reversed() {
      targets.replaceSubrange(place...place, with: parts)
    }
    var evaluations = source.evaluateObserved(targets)
    for (place, answer, parts) in questions.hosts {
      let range = place..<place + parts.count
      evaluations.replaceSubrange(range, with: [answer.evaluation(of: Array(evaluations[range]))])
    }
    return evaluations
  }

  /// Delivers an event under the lock, and adds its observer to those that are to be woken up after it.
  private static func deliver(_ event: MonitorEvent, to observer: EventSink, _ woken: inout WokenSinks) {
    if observer.deliver(event) { woken.add(observer) }
  }
}

extension MonitorEngine {
  /// The state that callers and the engine's thread share.
  struct State {
    enum Life {
      /// No thread runs; the next observer starts one.
      case dormant
      case running
      /// The engine is over; a thread that still runs ends.
      case stopped
    }

    var machine = Machine()
    var pathObservers = Paths()
    var life = Life.dormant
    var isRefreshWanted = false

    var hasObservers: Bool { !(machine.isEmpty && pathObservers.isEmpty) }

    /// Makes a dormant engine a running one; returns whether the caller must start its thread.
    mutating func claimThread() -> Bool {
      guard life == .dormant else { return false }
      life = .running
      return true
    }

    /// Delivers an evaluation of the path, and adds the observers to wake up.
    mutating func deliver(_ evaluation: PathEvaluation, now: Moment, _ woken: inout WokenSinks) {
      for delivery in pathObservers.accept(evaluation, now: now) {
        let event = MonitorEvent(.path(delivery.path))
        for observer in delivery.observers { MonitorEngine.deliver(event, to: observer, &woken) }
      }
    }

    /// Removes the work of the thread's next turn.
    mutating func dequeueTurn() -> Turn {
      defer { isRefreshWanted = false }
      let phase: Turn.Phase =
        life == .stopped
        ? .stopped : hasObservers ? .observing(hosts: machine.hasHosts, path: !pathObservers.isEmpty) : .idle
      return Turn(phase: phase, isRefreshWanted: isRefreshWanted, nameChanges: machine.dequeueNameChanges())
    }
  }

  /// The work of the engine's thread between two waits.
  struct Turn {
    enum Phase {
      case stopped
      case idle
      /// There are observers, some of hosts or of the path.
      case observing(hosts: Bool, path: Bool)
    }

    let phase: Phase
    let isRefreshWanted: Bool
    let nameChanges: [NameChange]

    /// The subjects to watch from this turn on.
    var subjects: Subscriptions {
      guard case .observing(let hosts, let path) = phase else { return [] }
      return path ? [.network, .names, .linkDetails] : hosts ? [.network, .names] : .network
    }
  }
}

extension MonitorEngine {
  /// The interval between attempts at what the system refused.
  static var retryInterval: Duration { .seconds(1) }

  /// Starts the engine's thread; if that fails, observers receive unknown, and another attempt follows.
  func startThread() {
    do throws(ReachabilityMonitorError) {
      try source.startThread(named: "reachability") { self.run() }
    } catch {
      let woken = state.withLock { state in
        if state.life == .running { state.life = .dormant }
        return Self.deliverUnknown(&state, at: clock.moment)
      }
      // The caller may hold a lock that a handler on the monitor's thread takes.
      DispatchQueue.global().async { woken.wakeUp() }
      DeadlineTimer.call(at: .now + Self.retryInterval, on: .global()) { self.retryThread() }
    }
  }

  private func retryThread() {
    if state.withLock({ $0.hasObservers && $0.claimThread() }) { startThread() }
  }

  /// Delivers unknown to all observers that know no status yet; the thread evaluates everything when it begins.
  private static func deliverUnknown(_ state: inout State, at now: Moment) -> WokenSinks {
    var woken = WokenSinks()
    var pendingWork = state.machine.take(NetworkChange(), now: now) { deliver($0, to: $1, &woken) }
    for id in state.machine.questions(of: &pendingWork, limit: .max).ids {
      let evaluation = Evaluation(.unknown(.systemError))
      state.machine.accept(evaluation, for: id, now: now) { deliver($0, to: $1, &woken) }
    }
    if state.pathObservers.needsEvaluation(after: NetworkChange(), now: now) {
      state.deliver(.unknown(for: nil), now: now, &woken)
    }
    return woken
  }
}

/// Keeps an engine's thread alive while a monitor or an observation holds it.
///
/// The thread holds the engine, not this handle, so there is no retain cycle.
final class EngineOwner: Sendable {
  let engine: MonitorEngine

  init(source: any NetworkSource) { engine = MonitorEngine(source: source) }

  deinit { engine.stop() }
}
