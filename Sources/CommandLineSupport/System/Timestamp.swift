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
