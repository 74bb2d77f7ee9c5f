/// A time without a moment of connectivity, in microseconds since 1970.
struct Outage: Equatable {
  /// The position of its first segment in the track.
  var segment: Int
  var start: Int
  var end: Int
  /// Whether it began before the period.
  var isCut: Bool
  /// Whether nothing was monitored directly before it.
  var followsGap: Bool
  /// Whether nothing was monitored directly after it.
  var precedesGap = false
  /// Whether it lasts until the end of the period.
  var isOpen = false

  init(segment: Int, start: Int, end: Int, isCut: Bool = false, followsGap: Bool = false) {
    self.segment = segment
    self.start = start
    self.end = end
    self.isCut = isCut
    self.followsGap = followsGap
  }

  /// The length in milliseconds, as steps show it.
  var duration: Int { end.milliseconds - start.milliseconds }
}
