import CLibrary
import CommandLineSupport

extension ClockReading {
  /// The present instant.
  static var now: ClockReading {
    #if canImport(Darwin)
    // Counts suspension, unlike CLOCK_UPTIME_RAW.
    let clock = CLOCK_MONOTONIC_RAW
    #else
    let clock = CLOCK_BOOTTIME
    #endif
    var uptime = timespec()
    unsafe clock_gettime(clock, &uptime)
    return ClockReading(
      uptime: Int(uptime.tv_sec) * 1_000_000 + Int(uptime.tv_nsec) / 1000,
      time: Timestamp.now.millisecondsSince1970)
  }
}
