// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Testing

@testable import ReachabilityHistory

@Suite(.deadline) struct `The sums of a lane` {
  @Test func `each step counts until the next one, the last until the end of the period`() {
    let steps: [Lane.Step] = [
      .init(0, .notMonitored), .init(10, .reachable), .init(14, .unreachable, reason: "noRoute"),
      .init(15, .unreachable, reason: "noCarrier"), .init(20, .reachable), .init(90, .unknown),
    ]
    let totals = Lane(machine: "a", kind: .path, name: "path", steps: steps, end: 100).totals
    #expect(LaneState.allCases.map { totals[$0] } == [74, 6, 10, 10])
    #expect(totals.sum == 100)
  }
}
