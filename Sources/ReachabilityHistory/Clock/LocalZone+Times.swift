extension LocalZone {
  /// A moment in local time with its offset, for example `2026-11-23 09:14:02.117+01:00`.
  package static func text(_ milliseconds: Int) -> String {
    let offset = offset(at: milliseconds)
    let minutes = abs(offset) / 60
    let sign = offset < 0 ? "-" : "+"
    return CalendarTime(milliseconds: milliseconds + offset * 1000).text(" ")
      + "\(sign)\(CalendarTime.digits(minutes / 60, 2)):\(CalendarTime.digits(minutes % 60, 2))"
  }

  /// The moment of a local time, in milliseconds since 1970.
  ///
  /// Where the clock is set back, the time exists twice, and the first one counts. Where it is set forward, the time
  /// does not exist; it is then read as if the clock had not been set yet.
  static func milliseconds(of time: CalendarTime) -> Int {
    let asUTC = time.milliseconds
    let day = 86_400_000
    let before = asUTC - offset(at: asUTC - day) * 1000
    let after = asUTC - offset(at: asUTC + day) * 1000
    let valid = [before, after].filter { $0 + offset(at: $0) * 1000 == asUTC }
    return valid.min() ?? before
  }
}
