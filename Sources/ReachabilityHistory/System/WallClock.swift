import CLibrary

/// The clock of the machine that makes the report.
package enum WallClock {
  /// The current time, in milliseconds since 1970.
  package static var milliseconds: Int {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    return Int(now.tv_sec) * 1000 + Int(now.tv_nsec) / 1_000_000
  }
}
