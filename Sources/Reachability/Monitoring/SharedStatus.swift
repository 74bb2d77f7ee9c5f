/// A status in one place for all targets that have it.
final class SharedStatus: Sendable {
  let value: Status

  fileprivate init(_ value: Status) { self.value = value }
}

/// Statuses that came up lately, since many targets have the same.
struct StatusPool: Sendable {
  private var recent: [SharedStatus] = []
  private var oldest = 0

  private static var limit: Int { 8 }

  /// A status in the place that it has already, or in one of its own.
  mutating func shared(_ status: Status) -> SharedStatus {
    // No two hosts have the same.
    guard status.addresses.isEmpty else { return SharedStatus(status) }
    if let known = recent.first(where: { $0.value == status }) { return known }
    let new = SharedStatus(status)
    if recent.count < Self.limit {
      recent.append(new)
    } else {
      recent[oldest] = new
      oldest = (oldest + 1) % Self.limit
    }
    return new
  }
}
