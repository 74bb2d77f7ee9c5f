import CLibrary

/// The time of a line of output: that of the wall clock and, in records, the time since the machine started.
package struct LineTime: Sendable {
  package let wall: Timestamp
  /// Microseconds since the machine started, including suspension; `nil` outside of records.
  package let uptime: Int?

  package init(wall: Timestamp, uptime: Int?) {
    self.wall = wall
    self.uptime = uptime
  }

  /// The current time of the wall clock.
  package static var now: LineTime { LineTime(wall: .now, uptime: nil) }

  /// The current time of both clocks.
  ///
  /// The wall clock may be set; durations come from the other one. The kernel's clock is `CLOCK_BOOTTIME`.
  package static var recorded: LineTime {
    var time = timespec()
    #if canImport(Darwin)
    // It includes suspension there.
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    #else
    unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    #endif
    return LineTime(wall: .now, uptime: Int(time.tv_sec) * 1_000_000 + Int(time.tv_nsec) / 1000)
  }
}
