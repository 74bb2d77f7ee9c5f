/// Recent statuses, so that the many targets with equal statuses share storage.
///
/// The benchmark row `memory` shows what it saves for each target.
struct StatusPool: Sendable {
  private var recent: [ReachabilityStatus] = []
  private var oldest = 0

  private static var limit: Int { 8 }

  /// Returns the recent status that is equal to a status, or the status itself.
  mutating func shared(_ status: ReachabilityStatus) -> ReachabilityStatus {
    // Most come from the pool already.
    for known in recent where known.isIdentical(to: status) { return known }
    // Each host has its own addresses.
    guard status.addresses.isEmpty else { return status }
    if let known = recent.first(where: { $0 == status }) { return known }
    if recent.count < Self.limit {
      recent.append(status)
    } else {
      recent[oldest] = status
      oldest = (oldest + 1) % Self.limit
    }
    return status
  }
}
