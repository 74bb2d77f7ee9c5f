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

  /// The least time between two readings, as their cost requires.
  var readingInterval: Duration { get }

  /// Returns the present index of an interface, or `nil` if it does not exist.
  func index(of interface: ReachabilityTarget.Interface) -> Int32?
}
