/// A status that an observation delivers: the current one first, then each change of meaning.
public struct ReachabilityEvent: Hashable, Sendable {
  /// The observed target.
  public var target: ReachabilityTarget
  /// The new status.
  public var status: ReachabilityStatus
  /// The status that was delivered before, or `nil` for the initial event.
  public var previous: ReachabilityStatus?

  /// Whether this is the first event of an observation, and not a change.
  public var isInitial: Bool { previous == nil }

  /// Creates an event.
  public init(target: ReachabilityTarget, status: ReachabilityStatus, previous: ReachabilityStatus? = nil) {
    self.target = target
    self.status = status
    self.previous = previous
  }
}
