/// Statuses that came up lately, since many targets have the same and it need be in memory once.
struct StatusPool: Sendable {
  private var recent: [ReachabilityStatus] = []
  private var oldest = 0

  private static var limit: Int { 8 }

  /// The status as it is in memory already, or as it is.
  mutating func shared(_ status: ReachabilityStatus) -> ReachabilityStatus {
    // No two hosts have the same.
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
