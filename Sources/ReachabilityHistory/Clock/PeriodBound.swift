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
