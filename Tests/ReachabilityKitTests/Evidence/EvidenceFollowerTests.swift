// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Testing

@testable import ReachabilityKit

@Suite(.deadline) struct EvidenceFollowerTests {
  private let answering = TrafficEvidence(.answering, strength: .strong)

  /// A follower that took evidence.
  private func follower(
    _ evidence: TrafficEvidence, _ reading: TrafficReading = TrafficReading()
  ) -> EvidenceFollower {
    var follower = EvidenceFollower()
    #expect(follower.take(evidence, of: reading) == evidence)
    return follower
  }

  @Test func `the first turn takes a reading`() {
    var follower = EvidenceFollower()
    #expect(follower.needsReading { _, _ in false })
  }

  @Test func `a turn without traffic takes a reading every thirtieth time`() {
    var follower = follower(answering)
    #expect(
      (1...30).map { _ in follower.needsReading { _, _ in false } } == Array(repeating: false, count: 29) + [
        true
      ])
  }

  @Test func `a tunnel's counters are read every fifth time`() {
    var reading = TrafficReading()
    reading.hasTunnels = true
    var follower = follower(answering, reading)
    #expect(
      (1...5).map { _ in follower.needsReading { _, _ in false } } == Array(repeating: false, count: 4) + [
        true
      ])
  }

  @Test func `retransmissions take a reading, received segments only after no evidence`() {
    var answered = follower(answering)
    #expect(answered.needsReading { _, isQuiet in !isQuiet })
    var quiet = follower(TrafficEvidence(.none))
    #expect(quiet.needsReading { _, isQuiet in isQuiet })
  }

  @Test func `unanswered data and stalls take a reading each time`() {
    var stalled = follower(TrafficEvidence(.stalled))
    #expect(stalled.needsReading { _, _ in false })
    let unanswered = TrafficConnection.Unanswered(
      age: 300, timeouts: 1, timeout: 200, isLarge: false, isPartlyReceived: false)
    let connection = TrafficConnection(
      local: "10.1.0.1", peer: "10.2.0.1", received: 400, unanswered: unanswered)
    var suspicious = follower(answering, TrafficReading(connections: [connection]))
    #expect(suspicious.needsReading { _, _ in false })
  }

  @Test func `evidence is delivered once for each meaning`() {
    var follower = follower(answering)
    var later = answering
    later.received = .seconds(3)
    later.answeringPeers = 7
    #expect(follower.take(later, of: TrafficReading()) == nil)
    later.verdict = .stalled
    #expect(follower.take(later, of: TrafficReading()) == later)
    later.fault = .network
    #expect(follower.take(later, of: TrafficReading()) == later)
  }
}
