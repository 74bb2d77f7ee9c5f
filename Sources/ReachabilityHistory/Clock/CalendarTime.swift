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

extension CalendarTime {
  /// Reads a time with a zone by RFC 3339, for example `2026-11-23T09:14:02.117Z`, as milliseconds since 1970.
  static func milliseconds(rfc3339 text: String) -> Int? {
    var scanner = DigitScanner(text)
    guard var time = CalendarTime(date: &scanner), scanner.take("T", "t", " "),
      time.readTimeOfDay(&scanner, needsSeconds: true)
    else { return nil }
    if scanner.take("Z", "z") { return scanner.isAtEnd ? time.milliseconds : nil }
    guard let sign = scanner.sign, let hours = scanner.number(2, in: 0...23), scanner.take(":"),
      let minutes = scanner.number(2, in: 0...59), scanner.isAtEnd
    else { return nil }
    return time.milliseconds - sign * (hours * 60 + minutes) * 60_000
  }

  /// Reads a date, with a time of day or without, in no time zone: `2026-11-23 09:14`.
  init?(text: String) {
    var scanner = DigitScanner(text)
    guard let date = CalendarTime(date: &scanner) else { return nil }
    self = date
    if scanner.isAtEnd { return }
    guard scanner.take("T", " "), readTimeOfDay(&scanner, needsSeconds: false), scanner.isAtEnd else {
      return nil
    }
  }

  private init?(date scanner: inout DigitScanner) {
    guard let year = scanner.number(4, in: 0...9999), scanner.take("-"),
      let month = scanner.number(2, in: 1...12), scanner.take("-"), let day = scanner.number(2, in: 1...31)
    else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
    // 31 June would be 1 July.
    guard CalendarTime(milliseconds: milliseconds) == self else { return nil }
  }

  private mutating func readTimeOfDay(_ scanner: inout DigitScanner, needsSeconds: Bool) -> Bool {
    guard let hour = scanner.number(2, in: 0...23), scanner.take(":"),
      let minute = scanner.number(2, in: 0...59)
    else { return false }
    (self.hour, self.minute) = (hour, minute)
    guard scanner.take(":") else { return !needsSeconds }
    // A leap second is the one before.
    guard let second = scanner.number(2, in: 0...60) else { return false }
    self.second = min(second, 59)
    guard scanner.take(".") else { return true }
    guard let milliseconds = scanner.thousandths else { return false }
    millisecond = milliseconds
    return true
  }
}

/// Reads the numbers of a date.
struct DigitScanner {
  private var rest: Substring.UTF8View

  init(_ text: String) { rest = text[...].utf8 }

  var isAtEnd: Bool { rest.isEmpty }

  /// Takes one of these characters.
  mutating func take(_ characters: Unicode.Scalar...) -> Bool {
    guard let first = rest.first, characters.contains(Unicode.Scalar(first)) else { return false }
    rest.removeFirst()
    return true
  }

  /// Takes a sign: 1 or -1.
  var sign: Int? {
    mutating get { take("+") ? 1 : take("-") ? -1 : nil }
  }

  /// Takes a number with exactly so many digits.
  mutating func number(_ width: Int, in range: ClosedRange<Int>) -> Int? {
    let digits = rest.prefix(width)
    guard digits.count == width, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
    rest = rest.dropFirst(width)
    let number = digits.reduce(0) { $0 * 10 + Int($1) - 48 }
    return range.contains(number) ? number : nil
  }

  /// Takes the digits of a fraction, and returns its first three.
  var thousandths: Int? {
    mutating get {
      let digits = rest.prefix { (48...57).contains($0) }
      rest = rest.dropFirst(digits.count)
      if digits.isEmpty { return nil }
      let first = digits.prefix(3).map { Int($0) - 48 } + [0, 0]
      return first[0] * 100 + first[1] * 10 + first[2]
    }
  }
}
