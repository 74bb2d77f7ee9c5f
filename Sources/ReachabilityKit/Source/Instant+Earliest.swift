extension SuspendingClock.Instant {
  /// Returns the earlier of two moments, or the only one.
  static func earliest(_ one: Self?, _ other: Self?) -> Self? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
  }
}
