import CLibrary

/// An instant of the wall clock.
package struct Timestamp: Sendable {
  private let seconds: time_t
  private let milliseconds: Int

  /// The current time.
  package static var now: Timestamp {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    return Timestamp(seconds: now.tv_sec, milliseconds: Int(now.tv_nsec) / 1_000_000)
  }

  /// Milliseconds since 1970, in UTC.
  package var millisecondsSince1970: Int { Int(seconds) * 1000 + milliseconds }

  /// The time in UTC, formatted by RFC 3339, for example `2026-11-21T02:03:04.567Z`.
  package var text: String {
    var seconds = seconds
    var parts = unsafe tm()
    unsafe gmtime_r(&seconds, &parts)
    return unsafe String(unsafeUninitializedCapacity: 24) { bytes in
      var end = 0
      func add(_ number: Int, _ width: Int, _ separator: UInt8) {
        var rest = number
        for place in 1...width {
          unsafe bytes[end + width - place] = UInt8(ascii: "0") + UInt8(rest % 10)
          rest /= 10
        }
        unsafe bytes[end + width] = separator
        end += width + 1
      }
      unsafe add(Int(parts.tm_year) + 1900, 4, UInt8(ascii: "-"))
      unsafe add(Int(parts.tm_mon) + 1, 2, UInt8(ascii: "-"))
      unsafe add(Int(parts.tm_mday), 2, UInt8(ascii: "T"))
      unsafe add(Int(parts.tm_hour), 2, UInt8(ascii: ":"))
      unsafe add(Int(parts.tm_min), 2, UInt8(ascii: ":"))
      unsafe add(Int(parts.tm_sec), 2, UInt8(ascii: "."))
      add(milliseconds, 3, UInt8(ascii: "Z"))
      return end
    }
  }
}

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

extension JSONObject {
  /// Creates an object with the members that each line begins with: the version of the schema and the time.
  package init(at time: LineTime) {
    self.init()
    add("version", 1)
    add("time", time.wall.text)
    if let uptime = time.uptime { add("uptimeMicroseconds", uptime) }
  }
}
