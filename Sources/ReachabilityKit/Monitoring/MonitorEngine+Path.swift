extension ReachabilityPath: ObservedEvent {
  init?(_ news: News) {
    guard case .path(let path) = news else { return nil }
    self = path
  }

  func following(_ seen: ReachabilityPath?) -> ReachabilityPath? { self == seen ? nil : self }
}

extension MonitorEngine {
  typealias Board = PathBoard<EventSink>

  /// Works out the path now, on the calling thread.
  func path(_ requirements: ReachabilityPath.Requirements) -> ReachabilityPath {
    let evaluation = isAtHome ? source.evaluatePath() : .unknown(for: nil)
    return evaluation.path(for: requirements)
  }

  /// Begins to tell an observer of the path.
  func add(_ sink: EventSink, for requirements: ReachabilityPath.Requirements) {
    begin { $0.board.add(sink, for: requirements) }
  }

  /// Works the path out again if the change can touch it; only the engine's thread calls this.
  func processPath(_ change: NetworkChange, _ interest: inout RouteInterest) {
    let now = SuspendingClock().now
    guard state.withLock({ $0.board.take(change, now: now) }) else { return }
    var evaluation = source.evaluateWatchedPath()
    if interest.isLimited, !interest.covers(evaluation.routedAddresses) {
      // Of routes to these, nothing was heard.
      hearAllRoutes(&interest)
      state.withLock { $0.board.recheck(now: now) }
      evaluation = source.evaluateWatchedPath()
    }
    let wakeUps = state.withLock { [evaluation] state in
      state.board.accept(evaluation, now: SuspendingClock().now).flatMap(Self.perform)
    }
    for wakeUp in wakeUps { wakeUp() }
  }

  static func perform(_ delivery: Board.Delivery) -> [WakeUp] {
    let news = News.path(delivery.path)
    return delivery.observers.compactMap { $0.deliver(news) }
  }
}
