// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import InternetProtocol
import Testing

@testable import ReachabilityKit

/// Which large segments stall while small ones pass, from two readings.
@Suite(.deadline) struct PassageTests {
  private func connection(
    _ identity: UInt64, peer: ReachabilityAddress = "10.2.0.1", acknowledged: UInt64 = 0,
    large: (age: Int, timeouts: Int)? = nil,
    timeoutsWhenPassed: Int? = nil
  ) -> TrafficConnection {
    TrafficConnection(
      local: "10.1.0.1", peer: peer, received: 100,
      unanswered: large.map {
        .init(
          age: $0.age, timeouts: $0.timeouts, timeout: 200, isLarge: true, isPartlyReceived: false,
          timeoutsWhenPassed: timeoutsWhenPassed)
      }, identity: identity, acknowledged: acknowledged)
  }

  private func passed(_ now: [TrafficConnection], after earlier: [TrafficConnection]) -> Int? {
    var connections = now
    TrafficReading.recordPassages(in: &connections, after: earlier)
    return connections[0].unanswered?.timeoutsWhenPassed
  }

  @Test func `an acknowledgement of another connection between two readings is noted`() {
    let before = [connection(1, large: (1000, 2)), connection(2, acknowledged: 10)]
    #expect(passed([connection(1, large: (2000, 3)), connection(2, acknowledged: 11)], after: before) == 3)
    // Segments of the peer that acknowledge nothing say nothing about those to it.
    #expect(passed([connection(1, large: (2000, 3)), connection(2, acknowledged: 10)], after: before) == nil)
    let other = connection(3, peer: "10.2.0.2", acknowledged: 99)
    #expect(passed([connection(1, large: (2000, 3)), other], after: before) == nil)
  }

  @Test func `a new connection counts`() {
    let before = [connection(1, large: (1000, 2))]
    #expect(passed([connection(1, large: (2000, 3)), connection(2, acknowledged: 1)], after: before) == 3)
  }

  @Test func `the first passage is kept while the same data waits`() {
    let before = [connection(1, large: (2000, 3), timeoutsWhenPassed: 3)]
    #expect(passed([connection(1, large: (3000, 4))], after: before) == 3)
    #expect(passed([connection(1, large: (900, 2))], after: before) == nil)
    // Other data, which has not waited since then.
    #expect(passed([connection(1, large: (900, 4))], after: before) == nil)
    #expect(passed([connection(1, large: (3000, 2))], after: before) == nil)
    #expect(passed([connection(2, large: (3000, 4))], after: before) == nil)
  }

  @Test func `data that the earlier reading did not show waits for the next one`() {
    let now = [connection(1, large: (1000, 2)), connection(2, acknowledged: 11)]
    #expect(passed(now, after: [connection(1), connection(2, acknowledged: 10)]) == nil)
    #expect(passed(now, after: []) == nil)
  }
}
