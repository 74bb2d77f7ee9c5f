import CommandLineSupport

/// One instant on two clocks.
struct ClockReading {
  /// Microseconds since the machine started, including suspension; no change of the time affects it.
  var uptime: Int
  /// Milliseconds since 1970, in UTC.
  var time: Int
}

extension ClockReading {
  /// Creates a reading from the time of a line of a record.
  init(_ time: LineTime) {
    self.init(uptime: time.uptime ?? 0, time: time.wall.millisecondsSince1970)
  }
}
