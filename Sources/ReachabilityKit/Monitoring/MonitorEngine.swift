import POSIX
import Synchronization

/// Follows the network for any number of observers: one thread, one state machine, one source.
///
/// The thread alone asks about watched targets, so their events have one order. A caller only takes the lock for a
/// moment and wakes the thread. No lock is held while the system is asked or a handler runs.
final class MonitorEngine: Sendable {
  typealias Machine = MonitorStateMachine<EventSink>

  struct State {
    var machine = Machine()
    var board = Board()
    var isThreadRunning = false
    var isStopped = false
    var isRefreshWanted = false

    /// Whether nobody watches anything.
    var isEmpty: Bool { machine.isEmpty && board.isEmpty }
  }

  let source: any NetworkSource
  let state = Mutex(State())
  let names: NameResolver?
  private let strayLimit: Int
  private let process = ProcessIdentity.current

  /// - Parameter strayLimit: After how many routes that concern nobody they are not heard of any more, at the latest.
  init(source: any NetworkSource, strayLimit: Int = .max) {
    self.source = source
    self.strayLimit = strayLimit
    names = source.names.map { NameResolver($0) { source.wake() } }
  }

  /// Whether this is the process that made it, and no child that was forked from it: that has neither the thread nor
  /// sockets of its own, and locks may be held there by nobody, for good.
  var isAtHome: Bool { process == .current }

  /// What went on between the source and the system; nothing in a forked child.
  var diagnostics: ReachabilityDiagnostics { isAtHome ? source.diagnostics : .init() }

  /// Works out a status now, on the calling thread.
  func status(of target: ReachabilityTarget) -> ReachabilityStatus {
    guard isAtHome else { return .unknown(.systemError) }
    guard case .host(let name) = target.destination, let names else { return source.evaluate(target).status }
    guard let answer = names.answer(for: name) else { return .unknown(.resolving) }
    return answer.evaluation(of: answer.targets(for: target).map(source.evaluate)).status
  }

  /// What stands in an entry's place where the path is observed; no entry has this number.
  static let path: Machine.EntryID = 0

  /// Begins to tell an observer of a target.
  ///
  /// - Returns: The entry that it is an observer of.
  func add(_ sink: EventSink, for key: Machine.Key) -> Machine.EntryID {
    var entry: Machine.EntryID = 0
    begin { entry = $0.machine.add(sink, for: key) }
    return entry
  }

  /// Puts an observer in under the lock, and has the thread look at what there is to do for it.
  func begin(_ add: (inout State) -> Void) {
    guard isAtHome else { return }
    let startsThread = state.withLock { state in
      add(&state)
      guard !state.isThreadRunning, !state.isStopped else { return false }
      state.isThreadRunning = true
      return true
    }
    if startsThread { startThread() } else { source.wake() }
  }

  /// Ends what an observer is told of an entry, or of the path.
  func remove(_ sink: EventSink, from entry: Machine.EntryID) {
    guard isAtHome else { return }
    let isOver = state.withLock { state in
      if entry == Self.path { state.board.remove(sink) } else { state.machine.remove(sink, from: entry) }
      return state.isEmpty || state.machine.hasNameChanges
    }
    // The thread leaves the multicast groups when there is nobody to watch for, and looks no name up in vain.
    if isOver { source.wake() }
  }

  /// Asks about every watched target again.
  func refresh() {
    guard isAtHome else { return }
    state.withLock { $0.isRefreshWanted = true }
    source.wake()
  }

  /// Ends the thread as soon as it looks.
  func stop() {
    guard isAtHome else { return }
    state.withLock { $0.isStopped = true }
    names?.stop()
    source.wake()
  }
}

// MARK: - The engine's thread

extension MonitorEngine {
  func run() {
    var isWatching = false
    var isWatchingNames = false
    var hosts = 0
    var interest = RouteInterest(limit: strayLimit)
    var change = NetworkChange()
    while true {
      let (isStopped, isEmpty, isRefreshWanted, nameChanges, isPathWatched) = state.withLock { state in
        defer { state.isRefreshWanted = false }
        let nameChanges = state.machine.takeNameChanges()
        return (
          state.isStopped, state.isEmpty, state.isRefreshWanted, nameChanges, !state.board.isEmpty
        )
      }
      hosts += nameChanges.reduce(0) { $0 + $1.step }
      if isWatchingNames != (hosts > 0 || isPathWatched) {
        // Before any look-up, so that no change of the settings falls between.
        isWatchingNames.toggle()
        source.setWatchingNames(isWatchingNames)
      }
      if let names {
        nameChanges.forEach(names.follow)
        if isRefreshWanted { names.refresh() }
        if change.names { names.noteChange(ofSettings: true) }
        if change.isOfNetwork { names.noteChange(ofSettings: false) }
      }
      if isRefreshWanted { change.formUnion(.all) }
      if isStopped || isEmpty {
        if isWatching { source.stopWatching() }
        isWatching = false
        interest = RouteInterest(limit: strayLimit)
        if isStopped { return }
        change = source.waitForChange(until: nil)
        continue
      }
      if !isWatching {
        isWatching = startWatching()
        change.formUnion(.all)
      }
      process(change, hosts: hosts, &interest)
      processPath(change, &interest)
      limitRoutes(&interest)
      // Without the system's announcements the next best is to look again now and then.
      let retry = isWatching ? nil : SuspendingClock().now.advanced(by: Self.retryInterval)
      let next = state.withLock { earliest($0.machine.nextDeadline, $0.board.nextDeadline) }
      let nextName = hosts > 0 ? names?.nextDeadline : nil
      change = source.waitForChange(until: earliest(earliest(next, nextName), retry))
    }
  }

  private func startWatching() -> Bool {
    do throws(ReachabilityMonitorError) {
      try source.startWatching()
      return true
    } catch {
      return false
    }
  }

  private func process(_ change: NetworkChange, hosts: Int, _ interest: inout RouteInterest) {
    // Without hosts there is no news, and nothing to look up.
    let news = hosts > 0 ? names?.takeNews() ?? [] : []
    let now = SuspendingClock().now
    let isLimited = interest.isLimited
    var (agenda, settled, isOutgrown) = state.withLock { state in
      for (name, answer) in news { state.machine.resolve(name, to: answer) }
      let (agenda, deliveries) = state.machine.take(change, isDeaf: isLimited, now: now)
      return (agenda, deliveries.flatMap(Self.perform), isLimited && state.machine.hasNewAddresses)
    }
    // Before anything is asked about what came.
    if isOutgrown { hearAllRoutes(&interest) }
    for wakeUp in settled { wakeUp() }
    // In steps: what was found out is told, and takes no memory any more, before all of it is.
    while true {
      let questions = state.withLock { $0.machine.questions(of: &agenda, limit: Self.step) }
      guard !questions.ids.isEmpty else { return }
      let evaluations = evaluate(questions)
      let changed = state.withLock { state in
        let now = SuspendingClock().now
        var deliveries: [Machine.Delivery] = []
        for (place, id) in questions.ids.enumerated() {
          state.machine.accept(evaluations[place], for: id, now: now, &deliveries)
        }
        return deliveries.flatMap(Self.perform)
      }
      for wakeUp in changed { wakeUp() }
    }
  }

  /// How many targets are asked about together.
  private static var step: Int { 128 }

  /// Has the source keep to itself what concerns nobody, where there is much of that.
  private func limitRoutes(_ interest: inout RouteInterest) {
    let addresses = state.withLock { state -> (ofTargets: [IPAddress], ofPath: [IPAddress])? in
      let strays = state.machine.takeStrayRoutes()
      guard interest.wantsLimit(strays, state.machine.addressCount, state.machine.hasFewerAddresses) else {
        return nil
      }
      return (state.machine.takeAddresses(), state.board.addresses)
    }
    guard let addresses else { return }
    interest.noteLimit(source.limitRoutes(to: addresses.ofTargets + addresses.ofPath), addresses.ofPath)
  }

  /// Hears of all routes again, for as long as it takes to know what is of no interest now.
  func hearAllRoutes(_ interest: inout RouteInterest) {
    _ = source.limitRoutes(to: nil)
    interest.noteEnd()
  }

  /// Asks about all the targets together, and puts the answers of each host's addresses together.
  private func evaluate(_ questions: Machine.Questions) -> [Evaluation] {
    guard !questions.hosts.isEmpty else { return source.evaluate(watched: questions.targets) }
    var targets: [ReachabilityTarget] = []
    var rest = questions.targets[...]
    for (place, _, parts) in questions.hosts {
      targets += rest.prefix(upTo: place) + parts
      rest = rest.suffix(from: place + 1)
    }
    var answers = source.evaluate(watched: targets + rest)[...]
    var evaluations: [Evaluation] = []
    for (place, answer, parts) in questions.hosts {
      let others = answers.prefix(place - evaluations.count)
      answers = answers.dropFirst(others.count)
      evaluations += others
      evaluations.append(answer.evaluation(of: Array(answers.prefix(parts.count))))
      answers = answers.dropFirst(parts.count)
    }
    return evaluations + answers
  }

  static func perform(_ delivery: Machine.Delivery) -> [WakeUp] {
    let news = News.status(delivery.event)
    return delivery.observers.compactMap { $0.deliver(news) }
  }
}

extension MonitorStateMachine.NameChange {
  /// What it adds to the number of names that are watched.
  fileprivate var step: Int {
    switch self {
    case .added: 1
    case .removed: -1
    }
  }
}

extension NameResolver {
  fileprivate func follow(_ change: MonitorEngine.Machine.NameChange) {
    switch change {
    case .added(let name): watch(name)
    case .removed(let name): unwatch(name)
    }
  }
}

/// Keeps an engine's thread alive for as long as a monitor or an observation holds it.
///
/// The thread holds the engine, not this, so nothing retains itself.
final class EngineHandle: Sendable {
  let engine: MonitorEngine

  init(source: any NetworkSource, strayLimit: Int = .max) {
    engine = MonitorEngine(source: source, strayLimit: strayLimit)
  }

  deinit {
    engine.stop()
  }
}
