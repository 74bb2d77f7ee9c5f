import Synchronization

/// Looks names up on a few threads, and keeps the answers.
///
/// A thread lives for as long as there is something to look up, so nothing wakes up while nothing is asked. A look-up
/// can't be broken off; whoever no longer wants its answer does not wait for it either, and a thread that is stuck
/// keeps nobody from ending the process.
final class NameResolver: Sendable {
  typealias Instant = SuspendingClock.Instant

  private struct State {
    /// `nil` once nobody wants to know anything any more.
    var table: NameTable? = NameTable()
    /// Answers of watched names that were not taken yet.
    var news: [(name: ReachabilityTarget.HostName, answer: NameAnswer)] = []
  }

  private let state = Mutex(State())
  private let service: any NameService
  private let wake: @Sendable () -> Void

  /// - Parameter wake: Is called when there is news, from any thread.
  init(_ service: any NameService, wake: @escaping @Sendable () -> Void) {
    self.service = service
    self.wake = wake
  }

  /// Returns what is known of a name; if that is nothing, it is looked up.
  func answer(for name: ReachabilityTarget.HostName) -> NameAnswer? {
    // What was not known may be known to be unknown by now.
    change { $0.table?.answer(for: name, now: $1) } ?? state.withLock { $0.table?.knownAnswer(for: name) }
  }

  /// How long the last look-up of a name took, if its answer is known.
  func lookUpDuration(of name: ReachabilityTarget.HostName) -> Duration? {
    state.withLock { $0.table?.lookUpDuration(of: name) }
  }

  /// Begins to keep a name up to date; what is known of it becomes news.
  func watch(_ name: ReachabilityTarget.HostName) {
    change { state, now in
      if let answer = state.table?.watch(name, now: now) { state.news.append((name, answer)) }
    }
  }

  /// Ends one watch of a name.
  func unwatch(_ name: ReachabilityTarget.HostName) {
    change { state, _ in state.table?.unwatch(name) }
  }

  /// Notes that the network or the resolver's settings changed.
  func noteChange(ofSettings: Bool) {
    change { $0.table?.noteChange(ofSettings: ofSettings, now: $1) }
  }

  /// Looks every watched name up again.
  func refresh() {
    change { state, _ in state.table?.refresh() }
  }

  /// Begins no look-up any more.
  func stop() {
    state.withLock { $0.table = nil }
  }

  /// Returns the answers that came since the last call, after beginning the look-ups whose time has come.
  func takeNews() -> [(name: ReachabilityTarget.HostName, answer: NameAnswer)] {
    change { state, _ in
      defer { state.news = [] }
      return state.news
    }
  }

  /// When ``takeNews()`` should be called even if nothing happens.
  var nextDeadline: Instant? {
    state.withLock { $0.table?.nextDeadline }
  }

  /// Changes the state, and begins the look-ups that it then wants.
  private func change<Value: Sendable>(_ body: (inout State, Instant) -> Value) -> Value {
    let (value, names, now) = state.withLock { state in
      let now = SuspendingClock().now
      state.news += state.table?.giveUpOverdue(now) ?? []
      return (body(&state, now), state.table?.startAll(now) ?? [], now)
    }
    for name in names { begin(name, at: now) }
    return value
  }

  private func begin(_ name: ReachabilityTarget.HostName, at moment: Instant) {
    do throws(ReachabilityMonitorError) {
      try service.startThread { self.lookUp(name, begunAt: moment) }
    } catch {
      state.withLock { state in
        if let news = state.table?.postpone(name, now: moment) { state.news.append((name, news)) }
      }
      wake()
    }
  }

  /// Looks up a name, and then what else there is to look up.
  private func lookUp(_ first: ReachabilityTarget.HostName, begunAt moment: Instant) {
    var name: ReachabilityTarget.HostName? = first
    var start = moment
    while let current = name {
      let answer = service.addresses(of: current)
      let (names, now) = state.withLock { [start] state in
        let now = SuspendingClock().now
        if let news = state.table?.accept(answer, ofLookUpBegunAt: start, for: current, now: now) {
          state.news.append((current, news))
        }
        return (state.table?.startAll(now) ?? [], now)
      }
      // Also without news: when to look up again is known only now.
      wake()
      name = names.first
      start = now
      for more in names.dropFirst() { begin(more, at: now) }
    }
  }
}
