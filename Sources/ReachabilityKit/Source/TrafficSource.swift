/// The part of a source that reads how this machine's own traffic fares; it sends nothing.
package protocol TrafficSource: Sendable {
  /// Reads the traffic; from any thread, without waiting for a network.
  ///
  /// All callers share a reading for a second, or longer if reading took so much processor time.
  func readTraffic() -> TrafficReading

  /// Whether anything happened since a reading that may begin or end a stall, at little cost.
  ///
  /// - Parameter isQuiet: Whether the first received segment matters as well.
  func hasTraffic(since reading: TrafficReading, isQuiet: Bool) -> Bool

  /// Returns the time between two readings for an observer that wants this interval, as their cost requires.
  func readingInterval(wanted: Duration) -> Duration

  /// Returns the evidence if the source knows it without connections, as a simulated network does.
  func evidence(about question: EvidenceQuestion) -> TrafficEvidence?

  /// Returns the present index of an interface, or `nil` if it does not exist.
  func index(of interface: ReachabilityTarget.Interface) -> Int32?
}

extension TrafficSource {
  package func evidence(about question: EvidenceQuestion) -> TrafficEvidence? { nil }
}
