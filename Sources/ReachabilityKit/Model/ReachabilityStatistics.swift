// SPDX-License-Identifier: Apache-2.0
/// What is counted of a target's statuses: how often the state changed, and how long each state lasted.
///
/// ```swift
/// var statistics = ReachabilityStatistics()
/// for await event in ReachabilityMonitor.shared.events(of: .defaultRoute) {
///   statistics.record(event.status)
///   print("down for", statistics.duration(in: .notReachable), "in", statistics.changes, "changes")
/// }
/// ```
///
/// Instants are those of the continuous clock, so changes of the time do not matter, and the sleep of a machine counts.
/// Times before the first status do not count.
public struct ReachabilityStatistics: Hashable, Sendable {
  /// The state of the last status; `nil` before the first.
  public private(set) var state: ReachabilityStatus.State?
  /// The number of changes from one state to another; other changes of a status do not count.
  public private(set) var changes = 0
  /// The instant at which the present state began; `nil` before the first status.
  public private(set) var since: ContinuousClock.Instant?

  private var durations: [ReachabilityStatus.State: Duration] = [:]
  /// The durations are up to this instant.
  private var counted: ContinuousClock.Instant?

  /// Creates statistics without statuses.
  public init() {}

  /// Records a status.
  ///
  /// - Parameters:
  ///   - status: The new status.
  ///   - instant: The instant at which it began; one before the last one counts as the last one.
  public mutating func record(_ status: ReachabilityStatus, at instant: ContinuousClock.Instant = .now) {
    let instant = max(instant, counted ?? instant)
    if let state, let counted { durations[state, default: .zero] += counted.duration(to: instant) }
    if status.state != state {
      if state != nil { changes += 1 }
      (state, since) = (status.state, instant)
    }
    counted = instant
  }

  /// Returns how long the target was in a state, the present one included.
  ///
  /// - Parameters:
  ///   - state: The state.
  ///   - instant: The instant up to which the present state counts.
  public func duration(
    in state: ReachabilityStatus.State, at instant: ContinuousClock.Instant = .now
  ) -> Duration {
    let past = durations[state, default: .zero]
    guard state == self.state, let counted else { return past }
    return past + max(counted.duration(to: instant), .zero)
  }
}
