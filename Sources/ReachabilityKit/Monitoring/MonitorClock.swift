// SPDX-License-Identifier: Apache-2.0
import POSIX

/// The clock of a monitor's waits: the continuous clock, or that of a simulated network, which a test advances.
package struct MonitorClock: Clock {
  package typealias Instant = ContinuousClock.Instant

  private let time: (any SimulatedTime)?

  init(_ time: (any SimulatedTime)? = nil) { self.time = time }

  /// Whether a test decides how much time has passed.
  var isSimulated: Bool { time != nil }

  /// How far the clock is ahead of the continuous one.
  var lead: Duration { time?.lead ?? .zero }

  package var now: Instant { .now + lead }

  /// The time of the engine's thread, on a clock that stands still while the machine sleeps.
  var moment: Moment { time.map { .now.advanced(by: $0.lead) } ?? .now }

  package var minimumResolution: Duration { ContinuousClock().minimumResolution }

  package func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    guard let time else { return try await DeadlineTimer.sleep(until: deadline) }
    try await time.sleep(until: deadline)
  }
}

/// Runs an operation, cancels it at a deadline, if there is one, and returns its value, or `nil` after the deadline.
package func withDeadline<Value: Sendable>(
  _ deadline: ContinuousClock.Instant?, on clock: MonitorClock = MonitorClock(),
  _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value? {
  guard let deadline else { return try await operation() }
  return try await withThrowingTaskGroup(of: Value?.self) { group in
    group.addTask { try await operation() }
    group.addTask {
      try await clock.sleep(until: deadline)
      return nil
    }
    defer { group.cancelAll() }
    return try await group.next() ?? nil
  }
}

extension Duration {
  /// The duration, limited to the range from zero to a century, which no clock overflows.
  package var boundedForClocks: Duration { min(max(self, .zero), .seconds(Int64(3_155_760_000))) }
}
