/// A date and a time of day, in no time zone.
struct CalendarTime: Equatable {
  var year = 1970
  var month = 1
  var day = 1
  var hour = 0
  var minute = 0
  var second = 0
  var millisecond = 0

  private static let millisecondsOfDay = 86_400_000

  init() {}

  /// The time in UTC, so many milliseconds after the beginning of 1970.
  init(milliseconds: Int) {
    let (days, rest) = milliseconds.dividedDown(by: Self.millisecondsOfDay)
    // Years begin in March, so that a leap day is the last; 719,468 days before 1970 is 1 March of the year 0.
    let (era, dayOfEra) = (days + 719_468).dividedDown(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shifted + 2) / 5 + 1
    month = shifted < 10 ? shifted + 3 : shifted - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60)
    (second, millisecond) = (rest / 1000 % 60, rest % 1000)
  }

  /// The milliseconds from the beginning of 1970 to this time, both in UTC.
  var milliseconds: Int {
    let (era, yearOfEra) = (month <= 2 ? year - 1 : year).dividedDown(by: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    return days * Self.millisecondsOfDay + ((hour * 60 + minute) * 60 + second) * 1000 + millisecond
  }

  /// The date and the time of day with a separator, for example `2026-11-23 09:14:02.117`.
  func text(_ separator: Character) -> String {
    let date = [Self.digits(year, 4), Self.digits(month, 2), Self.digits(day, 2)].joined(separator: "-")
    let time = [hour, minute, second].map { Self.digits($0, 2) }.joined(separator: ":")
    return "\(date)\(separator)\(time).\(Self.digits(millisecond, 3))"
  }

  static func digits(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(width - digits.count, 0)) + digits
  }
}

extension Int {
  /// The quotient, rounded down, and the rest, which is not negative.
  func dividedDown(by divisor: Int) -> (quotient: Int, rest: Int) {
    let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
  }
}
