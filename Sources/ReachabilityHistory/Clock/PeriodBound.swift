import CommandLineSupport

/// The beginning or the end of a period, as a user writes it.
package enum PeriodBound: Equatable, Sendable {
  /// A moment, in milliseconds since 1970.
  case moment(Int)
  /// So many milliseconds ago.
  case age(Int)

  /// The accepted forms, in words.
  package static let acceptedTexts =
    "a local time such as '2026-11-23 09:14', a time with its zone such as 2026-11-23T09:14:02Z, "
    + "or an age such as 30m, 24h or 7d"

  /// Reads a time by RFC 3339, a local time or date, or an age.
  package init?(text: String) {
    if let moment = CalendarTime.milliseconds(rfc3339: text) {
      self = .moment(moment)
    } else if let time = CalendarTime(text: text) {
      self = .moment(LocalZone.milliseconds(of: time))
    } else if let days = text.last == "d" ? Int(digits: text.dropLast()) : nil, days <= 36525 {
      self = .age(days * 86_400_000)
    } else if let duration = Duration(text: text) {
      self = .age(Int(duration / .milliseconds(1)))
    } else {
      return nil
    }
  }

  /// The bound, in milliseconds since 1970.
  package func milliseconds(at now: Int) -> Int {
    switch self {
    case .moment(let moment): moment
    case .age(let age): now - age
    }
  }
}

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

/// Times in UTC, as JSON has them.
package enum UniversalTime {
  /// A moment by RFC 3339, for example `2026-11-23T08:14:02.117Z`.
  package static func text(_ milliseconds: Int) -> String {
    CalendarTime(milliseconds: milliseconds).text("T") + "Z"
  }
}
