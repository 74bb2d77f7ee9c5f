import Synchronization

/// Follows the network for any number of observers: one thread, one state machine, one source.
///
/// The thread alone asks about watched targets, so their events have one order. A caller only takes the lock for a
/// moment and wakes the thread. No lock is held while the system is asked or a handler runs.
final class MonitorEngine: Sendable {
  typealias Machine = MonitorStateMachine<StatusSink>

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

  init(source: any NetworkSource) {
    self.source = source
  }

  /// Works out a status now, on the calling thread.
  func status(of target: Target) -> Status {
    source.evaluate(target).status
  }

  /// Begins to tell an observer of a target.
  func add(_ sink: StatusSink, for key: Machine.Key) {
    begin { state in
      // Told under the lock, which orders this event before all later ones; telling only queues it.
      if let delivery = state.machine.add(sink, for: key) { Self.perform(delivery) }
    }
  }

  /// Puts an observer in under the lock, and has the thread look at what there is to do for it.
  func begin(_ add: (inout State) -> Void) {
    let startsThread = state.withLock { state in
      add(&state)
      guard !state.isThreadRunning, !state.isStopped else { return false }
      state.isThreadRunning = true
      return true
    }
    if startsThread {
      startThread(named: "reachability") { self.run() }
    } else {
      source.wake()
    }
  }

  /// Ends what an observer is told.
  func remove(_ sink: StatusSink, for key: Machine.Key) {
    let isEmpty = state.withLock { state in
      state.machine.remove(sink, for: key)
      return state.isEmpty
    }
    // The thread leaves the multicast groups when there is nobody to watch for.
    if isEmpty { source.wake() }
  }

  /// Asks about every watched target again.
  func refresh() {
    state.withLock { $0.isRefreshWanted = true }
    source.wake()
  }

  /// Ends the thread as soon as it looks.
  func stop() {
    state.withLock { $0.isStopped = true }
    source.wake()
  }
}

// MARK: - The engine's thread

extension MonitorEngine {
  private func run() {
    var isWatching = false
    var change = NetworkChange()
    while true {
      let (isStopped, isEmpty) = state.withLock { state in
        if state.isRefreshWanted { change.formUnion(.all) }
        state.isRefreshWanted = false
        return (state.isStopped, state.isEmpty)
      }
      if isStopped || isEmpty {
        if isWatching { source.stopWatching() }
        isWatching = false
        if isStopped { return }
        change = source.waitForChange(until: nil)
        continue
      }
      if !isWatching {
        isWatching = startWatching()
        change.formUnion(.all)
      }
      process(change)
      processPath(change)
      // Without the system's announcements the next best is to look again now and then.
      let retry = isWatching ? nil : SuspendingClock().now.advanced(by: Self.retryInterval)
      let next = state.withLock { [$0.machine.nextDeadline, $0.board.nextDeadline] }
      change = source.waitForChange(until: (next + [retry]).compactMap(\.self).min())
    }
  }

  /// How long to wait before a system that refused is asked again.
  private static var retryInterval: Duration { .seconds(1) }

  private func startWatching() -> Bool {
    do throws(NetworkMonitorError) {
      try source.startWatching()
      return true
    } catch {
      return false
    }
  }

  private func process(_ change: NetworkChange) {
    let now = SuspendingClock().now
    let questions = state.withLock { state in
      let (questions, deliveries) = state.machine.take(change, now: now)
      deliveries.forEach(Self.perform)
      return questions
    }
    guard !questions.isEmpty else { return }
    let evaluations = source.evaluate(watched: questions.map(\.target))
    state.withLock { state in
      let now = SuspendingClock().now
      for (question, evaluation) in zip(questions, evaluations) {
        if let delivery = state.machine.accept(evaluation, for: question.id, now: now) {
          Self.perform(delivery)
        }
      }
    }
  }

  private static func perform(_ delivery: Machine.Delivery) {
    for sink in delivery.observers { sink.deliver(delivery.event) }
  }
}

/// Keeps an engine's thread alive for as long as a monitor or an observation holds it.
///
/// The thread holds the engine, not this, so nothing retains itself.
final class EngineHandle: Sendable {
  let engine: MonitorEngine

  init(source: any NetworkSource) {
    engine = MonitorEngine(source: source)
  }

  deinit {
    engine.stop()
  }
}
