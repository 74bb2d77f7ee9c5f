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
