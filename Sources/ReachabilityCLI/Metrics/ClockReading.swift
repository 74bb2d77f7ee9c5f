/// One instant on two clocks.
struct ClockReading {
  /// Microseconds since the machine was started, those of suspension included; no change of the time affects it.
  var uptime: Int
  /// Milliseconds since 1970, in UTC.
  var time: Int
}
