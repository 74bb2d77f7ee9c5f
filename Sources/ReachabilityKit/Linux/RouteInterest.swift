#if os(Linux)
/// Decides when the kernel filters announcements of routes, and which addresses the filter passes.
///
/// Pure. A filter pays where unrelated routes keep changing: see the row `churn` of the benchmarks, with 10,000 a second.
/// In nearly all networks routes hold still. No filter is attached there, so observers come and go without a system call.
struct RouteInterest: Sendable {
  private enum Phase {
    /// All announcements arrive.
    case unlimited
    /// The kernel passes announcements for these addresses, some of which may no longer be observed.
    case limited(to: Set<IPAddress>, isOutdated: Bool)
    /// The kernel accepts no filter.
    case refused
  }

  private var phase = Phase.unlimited
  /// The number of unrelated routes that were announced in this phase.
  private var unrelatedRoutes = 0
  private let limit: Int

  /// - Parameter limit: The number of unrelated routes that is enough for a filter, however many addresses it passes.
  init(limit: Int = .max) {
    self.limit = limit
  }

  /// The least number of unrelated routes for a filter; with more addresses than that, their number.
  static var threshold: Int { 64 }

  /// Counts the unrelated routes since the last wait; returns whether a filter, or a narrower one, pays from now on.
  mutating func wantsFilter(for addresses: ObservedAddresses) -> Bool {
    unrelatedRoutes += addresses.unrelatedRoutes
    let isEnough = unrelatedRoutes >= min(max(Self.threshold, addresses.count), limit)
    switch phase {
    case .unlimited: return isEnough
    case .refused: return false
    case .limited(let passed, var isOutdated):
      isOutdated = isOutdated || addresses.hasRemovals
      phase = .limited(to: passed, isOutdated: isOutdated)
      return isOutdated && isEnough
    }
  }

  /// Notes a filter that passes these addresses, or the kernel's refusal.
  mutating func noteFilter(passing addresses: [IPAddress], isAccepted: Bool) {
    phase = isAccepted ? .limited(to: Set(addresses), isOutdated: false) : .refused
    unrelatedRoutes = 0
  }

  mutating func noteRemoval() {
    phase = .unlimited
    unrelatedRoutes = 0
  }

  /// Returns those of the addresses for which the kernel drops announcements now.
  func missed(_ addresses: some Sequence<IPAddress>) -> [IPAddress] {
    guard case .limited(let passed, _) = phase else { return [] }
    return addresses.filter { !passed.contains($0) }
  }
}
#endif
