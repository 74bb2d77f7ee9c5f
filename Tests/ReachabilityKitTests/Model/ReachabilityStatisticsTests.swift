// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import ReachabilityKit
import Testing

@Suite(.deadline) struct `Statistics` {
  private static let start = ContinuousClock.now
  private let up = ReachabilityStatus(.reachable, flags: .reachable)
  private let down = ReachabilityStatus.notReachable(.noCarrier)

  private func instant(_ seconds: Int) -> ContinuousClock.Instant { Self.start + .seconds(seconds) }

  @Test func `each state has its time, the present one up to the instant of the question`() {
    var statistics = ReachabilityStatistics()
    #expect(statistics.state == nil && statistics.since == nil)
    #expect(statistics.duration(in: .reachable, at: instant(99)) == .zero)
    statistics.record(up, at: instant(10))
    statistics.record(down, at: instant(13))
    statistics.record(.unknown(.systemError), at: instant(14))
    statistics.record(down, at: instant(20))
    #expect(statistics.state == .notReachable && statistics.since == instant(20))
    #expect(statistics.changes == 3)
    let durations = ReachabilityStatus.State.allCases.map { statistics.duration(in: $0, at: instant(25)) }
    #expect(durations == [.seconds(6), .seconds(6), .seconds(3)])
  }

  @Test func `a change of another kind than the state does not count`() {
    var statistics = ReachabilityStatistics()
    statistics.record(down, at: instant(0))
    statistics.record(.notReachable(.noRoute), at: instant(5))
    #expect(statistics.changes == 0 && statistics.since == instant(0))
    #expect(statistics.duration(in: .notReachable, at: instant(7)) == .seconds(7))
  }

  @Test func `no instant is before the last one`() {
    var statistics = ReachabilityStatistics()
    statistics.record(up, at: instant(10))
    statistics.record(down, at: instant(4))
    #expect(statistics.since == instant(10))
    #expect(statistics.duration(in: .reachable, at: instant(2)) == .zero)
    #expect(statistics.duration(in: .notReachable, at: instant(2)) == .zero)
    #expect(statistics.duration(in: .notReachable, at: instant(11)) == .seconds(1))
  }
}
