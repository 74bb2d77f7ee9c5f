import CLibrary

/// An instant of the wall clock.
package struct Timestamp {
  private let seconds: time_t
  private let milliseconds: Int

  /// The current time.
  package static var now: Timestamp {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    return Timestamp(seconds: now.tv_sec, milliseconds: Int(now.tv_nsec) / 1_000_000)
  }

  /// The time in UTC, formatted by RFC 3339, for example `2026-11-21T02:03:04.567Z`.
  package var text: String {
    var seconds = seconds
    var parts = unsafe tm()
    unsafe gmtime_r(&seconds, &parts)
    let date = unsafe [parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday].map { padded(Int($0), 2) }
    let time = unsafe [parts.tm_hour, parts.tm_min, parts.tm_sec].map { padded(Int($0), 2) }
    return "\(date.joined(separator: "-"))T\(time.joined(separator: ":")).\(padded(milliseconds, 3))Z"
  }

  private func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(width - digits.count, 0)) + digits
  }
}
