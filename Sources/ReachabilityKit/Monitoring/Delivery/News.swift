/// An event for observers: one allocation, however many they are.
enum News: Sendable {
  indirect case status(ReachabilityEvent)
  indirect case path(ReachabilityPath)
}

extension News {
  /// This event for an observer that skipped all after an earlier one, or `nil` if nothing differs from that.
  func following(_ before: News) -> News? {
    switch (self, before) {
    case (.status(let event), .status(let before)): event.following(before).map { .status($0) }
    case (.path(let path), .path(let before)): path.following(before).map { .path($0) }
    default: self
    }
  }
}
