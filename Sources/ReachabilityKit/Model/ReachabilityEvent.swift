/// A status that an observer is told of: the present one first, then each change of meaning.
public struct ReachabilityEvent: Hashable, Sendable {
  /// What the status is about.
  public var target: ReachabilityTarget
  /// The status now.
  public var status: ReachabilityStatus
  /// The status that the observer was told of before, or `nil` if this is the initial event.
  public var previous: ReachabilityStatus?

  /// Whether this is the first event of an observation: the present status, not a change.
  public var isInitial: Bool { previous == nil }

  /// Makes an event.
  public init(target: ReachabilityTarget, status: ReachabilityStatus, previous: ReachabilityStatus? = nil) {
    self.target = target
    self.status = status
    self.previous = previous
  }
}
