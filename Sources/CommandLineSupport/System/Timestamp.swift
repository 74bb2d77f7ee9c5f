// SPDX-License-Identifier: Apache-2.0
import CLibrary
import Synchronization

/// An instant of the wall clock, in milliseconds since the beginning of 1970 in UTC.
package struct Timestamp: Equatable, Sendable {
  package let milliseconds: Int

  package init(milliseconds: Int) { self.milliseconds = milliseconds }

  /// The current time.
  package static var now: Timestamp {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    return Timestamp(milliseconds: Int(now.tv_sec) * 1000 + Int(now.tv_nsec) / 1_000_000)
  }

  private var seconds: Int { milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0) }

  /// The time in UTC, formatted by RFC 3339, for example `2026-11-21T02:03:04.567Z`.
  package var text: String {
    var text = OutputText()
    append(to: &text)
    return text.string
  }

  /// Appends the same.
  package func append(to text: inout OutputText) {
    appendMinute("T", to: &text)
    appendSeconds(to: &text)
    text.append("Z")
  }

  /// The parts of the date and the time of day in UTC.
  ///
  /// The C library's `gmtime_r` would open the file of the local zone. A year begins in March here, so that its last day is
  /// the one that not all years have.
  private var partsInUTC: tm {
    func quotient(_ number: Int, _ divisor: Int) -> Int {
      number / divisor - (number % divisor < 0 ? 1 : 0)
    }
    let days = quotient(seconds, 86400)
    let second = seconds - days * 86400
    // From the first of March of the year 0 on, in cycles of 400 years.
    let march = days + 719_468
    let cycle = quotient(march, 146_097)
    let dayOfCycle = march - cycle * 146_097
    let year = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36524 - dayOfCycle / 146_096) / 365
    let day = dayOfCycle - (365 * year + year / 4 - year / 100)
    let month = (5 * day + 2) / 153
    var parts = unsafe tm()
    unsafe parts.tm_year = CInt(clamping: year + cycle * 400 + (month < 10 ? 0 : 1) - 1900)
    unsafe parts.tm_mon = CInt(month < 10 ? month + 2 : month - 10)
    unsafe parts.tm_mday = CInt(day - (153 * month + 2) / 5 + 1)
    unsafe parts.tm_hour = CInt(second / 3600)
    unsafe parts.tm_min = CInt(second / 60 % 60)
    unsafe parts.tm_sec = CInt(second % 60)
    return unsafe parts
  }

  /// The time in the user's zone with its offset, for example `2026-11-23 09:14:02.117+01:00`.
  package var localText: String {
    var text = OutputText()
    appendLocal(to: &text)
    return text.string
  }

  /// Appends the same.
  package func appendLocal(to text: inout OutputText) {
    // Zones change at full minutes (since 1972). To look one up takes more code than to write the time.
    let minute = seconds / 60
    Self.lastMinute.withLock { last in
      if last.number != minute || minute < 2_000_000 { last = LocalMinute(of: self, number: minute) }
      text.append(last.start)
      Timestamp(milliseconds: milliseconds + last.offset * 1000).appendSeconds(to: &text)
      text.append(last.end)
    }
  }

  /// What the local times of a minute have in common.
  private struct LocalMinute {
    var number = Int.min
    /// The seconds by which the user's zone is ahead of UTC.
    var offset = 0
    /// The date and the time of day, up to the colon before the seconds.
    var start = ""
    /// The offset as text.
    var end = ""

    init() {}

    init(of time: Timestamp, number: Int) {
      self.number = number
      offset = time.localOffset
      var text = OutputText()
      Timestamp(milliseconds: time.milliseconds + offset * 1000).appendMinute(" ", to: &text)
      start = text.string
      text.truncate(to: 0)
      text.append(offset < 0 ? "-" : "+")
      text.append(UInt32(abs(offset) / 3600), digits: 2, then: ":")
      text.append(UInt32(abs(offset) / 60 % 60), digits: 2)
      end = text.string
    }
  }

  private static let lastMinute = Mutex(LocalMinute())

  /// The seconds by which the user's zone is ahead of UTC.
  private var localOffset: Int {
    var seconds = time_t(seconds)
    var parts = unsafe tm()
    unsafe localtime_r(&seconds, &parts)
    return unsafe Int(parts.tm_gmtoff)
  }

  /// Appends the date in UTC, a separator, the hour and the minute, with a colon after it.
  private func appendMinute(_ separator: Unicode.Scalar, to text: inout OutputText) {
    let parts = unsafe partsInUTC
    let year = unsafe Int(parts.tm_year) + 1900
    if year < 0 { text.append("-") }
    text.append(UInt32(abs(year)), digits: 4, then: "-")
    unsafe text.append(UInt32(parts.tm_mon + 1), digits: 2, then: "-")
    unsafe text.append(UInt32(parts.tm_mday), digits: 2, then: separator)
    unsafe text.append(UInt32(parts.tm_hour), digits: 2, then: ":")
    unsafe text.append(UInt32(parts.tm_min), digits: 2, then: ":")
  }

  /// Appends the seconds and the milliseconds.
  private func appendSeconds(to text: inout OutputText) {
    let rest = milliseconds % 60_000 + (milliseconds % 60_000 < 0 ? 60_000 : 0)
    text.append(UInt32(rest / 1000), digits: 2, then: ".")
    text.append(UInt32(rest % 1000), digits: 3)
  }
}

extension Timestamp {
  /// Reads a time with a zone by RFC 3339, for example `2026-11-23T09:14:02.117Z`.
  package init?(rfc3339 text: String) {
    var scanner = TimeScanner(text)
    guard let date = scanner.date(), scanner.take("T", "t", " "),
      let time = scanner.timeOfDay(needsSeconds: true), let offset = scanner.offset(), scanner.isAtEnd
    else { return nil }
    self.init(milliseconds: date + time - offset)
  }

  /// Reads a date in the user's zone, with a time of day or without: `2026-11-23 09:14`.
  ///
  /// Where the clock is set back, the time exists twice, and the first one counts. Where it is set forward, the time
  /// does not exist; it is then read as if the clock had not been set yet. `mktime` leaves both open.
  package init?(local text: String) {
    var scanner = TimeScanner(text)
    guard var time = scanner.date() else { return nil }
    if !scanner.isAtEnd {
      guard scanner.take("T", " "), let timeOfDay = scanner.timeOfDay(needsSeconds: false), scanner.isAtEnd
      else { return nil }
      time += timeOfDay
    }
    func offset(at milliseconds: Int) -> Int {
      Timestamp(milliseconds: milliseconds).localOffset * 1000
    }
    let day = 86_400_000
    let (before, after) = (time - offset(at: time - day), time - offset(at: time + day))
    self.init(milliseconds: [before, after].filter { $0 + offset(at: $0) == time }.min() ?? before)
  }
}

/// Reads the parts of a date and a time of day, in milliseconds; `strptime` accepts other texts, too.
private struct TimeScanner {
  private var rest: Substring.UTF8View

  init(_ text: String) { rest = text[...].utf8 }

  var isAtEnd: Bool { rest.isEmpty }

  /// Takes one of these characters.
  mutating func take(_ characters: Unicode.Scalar...) -> Bool {
    guard let first = rest.first, characters.contains(Unicode.Scalar(first)) else { return false }
    rest.removeFirst()
    return true
  }

  /// Takes a date, and returns its beginning in UTC.
  mutating func date() -> Int? {
    guard let year = number(4, in: 0...9999), take("-"), let month = number(2, in: 1...12), take("-"),
      let day = number(2, in: 1...31)
    else { return nil }
    var parts = unsafe tm()
    unsafe (parts.tm_year, parts.tm_mon, parts.tm_mday) = (CInt(year) - 1900, CInt(month) - 1, CInt(day))
    let seconds = unsafe timegm(&parts)
    // 31 June has become 1 July.
    return unsafe Int(parts.tm_mday) == day ? Int(seconds) * 1000 : nil
  }

  mutating func timeOfDay(needsSeconds: Bool) -> Int? {
    guard let hour = number(2, in: 0...23), take(":"), let minute = number(2, in: 0...59) else { return nil }
    let time = (hour * 60 + minute) * 60_000
    guard take(":") else { return needsSeconds ? nil : time }
    // A leap second is the one before.
    guard let second = number(2, in: 0...60).map({ min($0, 59) }) else { return nil }
    guard take(".") else { return time + second * 1000 }
    return thousandths().map { time + second * 1000 + $0 }
  }

  /// Takes a zone, and returns the time that it is ahead of UTC.
  mutating func offset() -> Int? {
    if take("Z", "z") { return 0 }
    guard let sign = take("+") ? 1 : take("-") ? -1 : nil, let hours = number(2, in: 0...23), take(":"),
      let minutes = number(2, in: 0...59)
    else { return nil }
    return sign * (hours * 60 + minutes) * 60_000
  }

  /// Takes a number with exactly so many digits.
  private mutating func number(_ width: Int, in range: ClosedRange<Int>) -> Int? {
    let digits = rest.prefix(width).prefix { (48...57).contains($0) }
    rest = rest.dropFirst(digits.count)
    let number = digits.reduce(0) { $0 * 10 + Int($1) - 48 }
    return digits.count == width && range.contains(number) ? number : nil
  }

  /// Takes the digits of a fraction, and returns its first three.
  private mutating func thousandths() -> Int? {
    let digits = rest.prefix { (48...57).contains($0) }
    rest = rest.dropFirst(digits.count)
    let first = digits.prefix(3).reduce((0, 100)) { ($0.0 + (Int($1) - 48) * $0.1, $0.1 / 10) }
    return digits.isEmpty ? nil : first.0
  }
}

/// The time of a line of output: that of the wall clock and, in records, the time since the machine started.
package struct LineTime: Sendable {
  package let wall: Timestamp
  /// Microseconds since the machine started, including suspension; `nil` outside of records.
  package let uptime: Int?

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
