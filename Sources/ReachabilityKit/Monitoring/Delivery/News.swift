/// An event for observers: one allocation, however many they are.
enum News: Sendable {
  indirect case status(ReachabilityEvent)
  indirect case path(ReachabilityPath)
}

extension News {
  /// This event for an observer that skipped all after an earlier one, or `nil` if nothing differs from that.
  func following(_ before: News) -> News? {
    switch (self, before) {
    case (.status(let event), .status(let before)):
      guard event.status != before.status else { return nil }
      return .status(ReachabilityEvent(target: event.target, status: event.status, previous: before.status))
    case (.path(let path), .path(let before)):
      return path == before ? nil : self
    default:
      return self
    }
  }
}
