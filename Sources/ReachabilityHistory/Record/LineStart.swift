/// The beginning of a line as `record` writes it: the version 1 of the schema, and the two times.
///
/// Members of the same names in the rest do not count, as the first ones do.
struct LineStart {
  static let beginning = Array(#"{"version":1,"time":""#.utf8)
  private static let middle = Array(#"","uptimeMicroseconds":"#.utf8)

  /// The time of the wall clock, in milliseconds since 1970.
  var time: Int
  /// Microseconds since the machine started, including suspension.
  var uptime: Int
  /// The text after the comma.
  var rest: ArraySlice<UInt8>

  /// Reads the beginning of a line; `nil` if it has another form.
  init?(_ line: ArraySlice<UInt8>) {
    guard line.starts(with: Self.beginning) else { return nil }
    rest = line.dropFirst(Self.beginning.count)
    // What is a time has no escapes.
    guard let time = CalendarTime.milliseconds(rfc3339: Self.text(&rest, before: "\"")),
      rest.starts(with: Self.middle)
    else { return nil }
    rest = rest.dropFirst(Self.middle.count)
    let digits = Self.text(&rest, before: ",")
    // JSON has only this form of an integer.
    guard let uptime = Int(digits), String(uptime) == digits else { return nil }
    (self.time, self.uptime, rest) = (time, uptime, rest.dropFirst())
  }

  /// Takes the text before a character, or to the end.
  private static func text(_ rest: inout ArraySlice<UInt8>, before end: Unicode.Scalar) -> String {
    let text = rest.prefix { $0 != UInt8(ascii: end) }
    rest = rest.dropFirst(text.count)
    return String(decoding: text, as: UTF8.self)
  }
}
