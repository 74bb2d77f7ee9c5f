/// One outage of a lane, or several that follow each other at short intervals.
package struct Incident: Equatable, Sendable {
  /// The position of the lane in ``History/lanes``.
  package var lane: Int
  /// The beginning, in milliseconds since 1970.
  package var start: Int
  /// The end; `nil` if the lane is unreachable at the end of the period.
  package var end: Int?
  package var state = LaneState.unreachable
  /// The raw value of the first reason.
  package var reason: String?
  package var cause = Cause()
  /// The number of outages.
  package var flaps = 1
  /// Whether the record shows the end; otherwise nothing was monitored after it.
  package var isEndRecorded = true
  /// The time without connectivity, in milliseconds: that between the flaps does not count.
  package var duration = 0

  package init(lane: Int, start: Int, end: Int?) {
    self.lane = lane
    self.start = start
    self.end = end
  }

  /// Where the fault lies, as far as the reason says.
  package var fault: Fault? { reason.flatMap(Fault.init(reason:)) }
}
