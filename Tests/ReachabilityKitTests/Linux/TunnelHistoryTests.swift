// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import POSIX
import Testing

@testable import ReachabilityKit

@Suite(.deadline) struct TunnelHistoryTests {
  private let start = Moment.now

  /// The silence after readings of (seconds, received, sent).
  private func silence(after readings: [(Int, UInt64, UInt64)]) -> Duration? {
    var history = TunnelHistory(received: 5, sent: 5, since: start)
    for (seconds, received, sent) in readings {
      history.record(received: received, sent: sent, at: start.advanced(by: .seconds(seconds)))
    }
    return history.silence(at: start.advanced(by: .seconds(readings.last?.0 ?? 0)))
  }

  @Test func `a tunnel that sends for 15 s and receives nothing is silent`() {
    #expect(silence(after: [(1, 5, 6), (5, 5, 7), (10, 5, 8)]) == nil)
    #expect(silence(after: [(1, 5, 6), (5, 5, 7), (10, 5, 8), (16, 5, 9)]) == .seconds(15))
  }

  @Test func `packets that were sent in fewer than three readings are no silence`() {
    #expect(silence(after: [(1, 5, 6), (5, 5, 7), (60, 5, 7)]) == nil)
  }

  @Test func `a received packet ends the silence`() {
    #expect(silence(after: [(1, 5, 6), (5, 5, 7), (10, 5, 8), (16, 6, 9)]) == nil)
    #expect(silence(after: [(1, 5, 6), (5, 5, 7), (10, 5, 8), (16, 6, 9), (30, 6, 10)]) == nil)
  }
}
#endif
