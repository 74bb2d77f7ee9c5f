/// Times in UTC, as JSON has them.
package enum UniversalTime {
  /// A moment by RFC 3339, for example `2026-11-23T08:14:02.117Z`.
  package static func text(_ milliseconds: Int) -> String {
    CalendarTime(milliseconds: milliseconds).text("T") + "Z"
  }
}
