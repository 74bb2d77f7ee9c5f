/// An event of a stream.
protocol ObservedEvent: Sendable {
  /// The event in the news, if it has this type.
  init?(_ news: News)

  /// This event for a reader that has seen another one last, or `nil` if nothing differs from that.
  func following(_ seen: Self?) -> Self?
}

extension ReachabilityEvent: ObservedEvent {
  init?(_ news: News) {
    guard case .status(let event) = news else { return nil }
    self = event
  }

  func following(_ seen: ReachabilityEvent?) -> ReachabilityEvent? {
    guard status != seen?.status else { return nil }
    return ReachabilityEvent(target: target, status: status, previous: seen?.status)
  }
}

extension ReachabilityPath: ObservedEvent {
  init?(_ news: News) {
    guard case .path(let path) = news else { return nil }
    self = path
  }

  func following(_ seen: ReachabilityPath?) -> ReachabilityPath? { self == seen ? nil : self }
}
