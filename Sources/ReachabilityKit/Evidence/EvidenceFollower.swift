/// Decides when an observer of evidence needs another reading, and which evidence it receives.
package struct EvidenceFollower: Sendable {
  package private(set) var reading: TrafficReading?
  private var evidence: TrafficEvidence?
  /// The number of turns without a reading.
  private var skipped = 0

  package init() {}

  /// The number of turns after which the connections are listed whatever the counters say.
  private static var skipLimit: Int { 30 }
  /// The same where there are tunnels, whose silence takes several readings to notice.
  private static var tunnelSkipLimit: Int { 5 }

  /// Whether this turn takes another reading.
  ///
  /// A stall begins and ends with retransmissions, which the counters show at a hundredth of the cost of a list.
  ///
  /// - Parameter hasTraffic: Whether the counters show retransmissions, or, with `true`, any received segment.
  package mutating func needsReading(_ hasTraffic: (TrafficReading, Bool) -> Bool) -> Bool {
    guard let reading, let evidence else { return true }
    skipped += 1
    let isDue =
      skipped >= (reading.hasTunnels ? Self.tunnelSkipLimit : Self.skipLimit) || reading.hasUnanswered
      || evidence.verdict == .stalled
    return isDue || hasTraffic(reading, evidence.verdict == .none)
  }

  /// Takes the evidence of a reading; returns it if it does not mean the same as the last one.
  package mutating func take(_ evidence: TrafficEvidence, of reading: TrafficReading) -> TrafficEvidence? {
    skipped = 0
    self.reading = reading
    let isKnown = self.evidence?.meansSame(as: evidence) == true
    self.evidence = evidence
    return isKnown ? nil : evidence
  }
}
