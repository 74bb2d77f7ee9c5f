import POSIX
import Synchronization

/// Observes the network for any number of observers: one thread, one state machine, one source.
///
/// Only the thread evaluates for observers, so their events have one order. A caller takes the lock for a moment and
/// wakes the thread. No lock is held during a query of the system or a call of a handler.
final class MonitorEngine: Sendable {
  typealias Machine = MonitorStateMachine<EventSink>
  typealias Board = PathBoard<EventSink>

  let source: any NetworkSource
  let state = Mutex(State())
  let names: NameResolver?
  private let process = ProcessIdentity.current

  init(source: any NetworkSource) {
    self.source = source
    names = source.names.map { NameResolver($0) { source.wake() } }
  }

  /// Whether this is the process that created the engine.
  ///
  /// A forked child has neither the thread nor sockets, and may have inherited a lock that is never released.
  var isAtHome: Bool { process == .current }

  /// The counters of the exchange with the system; zero in a forked child.
  var diagnostics: ReachabilityDiagnostics { isAtHome ? source.diagnostics : .init() }

  /// Evaluates a target now, on the calling thread.
  func status(of target: ReachabilityTarget) -> ReachabilityStatus {
    guard isAtHome else { return .unknown(.systemError) }
    guard case .host(let name) = target.destination, let names else { return source.evaluate(target).status }
    guard let answer = names.answer(for: name) else { return .unknown(.resolving) }
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
    guard isAtHome else { return }
    let startsThread = state.withLock { state in
      add(&state)
      return state.claimThread()
    }
    if startsThread { startThread() } else { source.wake() }
  }

  /// Removes an observer of an entry, or of the path.
  func remove(_ sink: EventSink, from entry: Machine.EntryID) {
    guard isAtHome else { return }
    let isOver = state.withLock { state in
      if entry == Self.path { state.board.remove(sink) } else { state.machine.remove(sink, from: entry) }
      return !state.hasObservers || state.machine.hasNameChanges
    }
    // Without observers the thread leaves the multicast groups; an unobserved name needs no further lookup.
    if isOver { source.wake() }
  }

  /// Evaluates every observed target again.
  func refresh() {
    guard isAtHome else { return }
    state.withLock { $0.isRefreshWanted = true }
    source.wake()
  }

  /// Ends the thread at its next turn.
  func stop() {
    guard isAtHome else { return }
    state.withLock { $0.life = .stopped }
    names?.stop()
    source.wake()
  }
}

// MARK: - The engine's thread

extension MonitorEngine {
  func run() {
    var watched: WatchedSubjects = []
    var change = NetworkChange()
    while true {
      let turn = state.withLock { $0.takeTurn() }
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
        noteForNames(change)
        change = source.waitForChange(until: nil, observing: .none)
      case .observing(let hosts, let path):
        var wanted = change
        if turn.isRefreshWanted || !wasWatching { wanted.formUnion(.all) }
        process(wanted, news: hosts ? names?.takeNews() ?? [] : [])
        if path { processPath(wanted) }
        // It only sets a deadline, so statuses come first.
        noteForNames(change)
        // A system that reports no changes is queried again now and then.
        let retry = watched == turn.subjects ? nil : Moment.now.advanced(by: Self.retryInterval)
        let (next, addresses) = state.withLock { state in
          (
            Moment.earliest(state.machine.nextDeadline, state.board.nextDeadline),
            state.machine.takeObserved { self.observedAddresses }
          )
        }
        let nextName = hosts ? names?.nextDeadline : nil
        change = source.waitForChange(
          until: .earliest(.earliest(next, nextName), retry), observing: addresses)
      }
    }
  }

  private func noteForNames(_ change: NetworkChange) {
    if change.names { names?.noteChange(ofSettings: true) }
    if change.isOfNetwork {
      names?.noteChange(ofSettings: false)
    } else if !change.isQuiet || change.nextHops {
      names?.noteRoutes()
    }
    if change.routerReturned { names?.retryUnanswered() }
  }

  /// Has the source watch these subjects; returns those that it watches.
  @inline(never)
  private func watch(_ subjects: WatchedSubjects) -> WatchedSubjects {
    do throws(ReachabilityMonitorError) {
      try source.watch(subjects)
      return subjects
    } catch {
      return subjects.subtracting(.network)
    }
  }

  /// The addresses whose routes decide the observed statuses and the path.
  private var observedAddresses: [IPAddress] {
    state.withLock { $0.machine.addresses + $0.board.addresses }
  }

  private func process(_ change: NetworkChange, news: [NameResolver.NamedAnswer]) {
    var (agenda, settled, questions) = state.withLock { state in
      for (name, answer) in news { state.machine.resolve(name, to: answer) }
      var (agenda, deliveries) = state.machine.take(change, now: Moment.now)
      let questions = state.machine.questions(of: &agenda, limit: Self.step)
      return (agenda, Self.perform(deliveries), questions)
    }
    for wakeUp in settled { wakeUp() }
    // In steps: the answers of one are delivered, and their memory is free, before the next begins.
    while !questions.ids.isEmpty {
      let evaluations = evaluate(questions)
      let changed = state.withLock { [questions] state in
        var deliveries: [Machine.Delivery] = []
        for (place, id) in questions.ids.enumerated() {
          state.machine.accept(evaluations[place], for: id, now: Moment.now, &deliveries)
        }
        return Self.perform(deliveries)
      }
      for wakeUp in changed { wakeUp() }
      if questions.ids.count < Self.step { return }
      questions = state.withLock { $0.machine.questions(of: &agenda, limit: Self.step) }
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

  static func perform(_ deliveries: [Machine.Delivery]) -> [WakeUp] {
    var wakeUps: [WakeUp] = []
    for delivery in deliveries { deliver(.status(delivery.event), to: delivery.observers, &wakeUps) }
    return wakeUps
  }

  static func deliver(_ news: News, to observers: [EventSink], _ wakeUps: inout [WakeUp]) {
    for observer in observers { if let wakeUp = observer.deliver(news) { wakeUps.add(wakeUp) } }
  }
}
