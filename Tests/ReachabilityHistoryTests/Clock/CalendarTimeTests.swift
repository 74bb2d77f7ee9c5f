import DeadlineSupport
import Foundation
import TestSupport
import Testing

@testable import ReachabilityHistory

@Suite(.deadline) struct `Dates and times of day` {
  @Test func `a date is Foundation's, and read back is the same moment`() throws {
    var random = SeededGenerator(seed: 22)
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    // Since the Gregorian calendar began: Foundation has the Julian one before.
    for moment in (0..<2000).map({ _ in random.number(-12_000_000_000_000..<253_402_300_800_000) }) {
      let text = UniversalTime.text(moment)
      #expect(CalendarTime.milliseconds(rfc3339: text) == moment)
      let date = try Date(text, strategy: style)
      #expect(Int((date.timeIntervalSince1970 * 1000).rounded()) == moment, "\(text)")
    }
  }

  @Test(arguments: [
    ("2026-11-23T09:14:02Z", 1_795_425_242_000), ("2026-11-23 09:14:02.5z", 1_795_425_242_500),
    ("2026-11-23T09:14:02.1179Z", 1_795_425_242_117), ("2026-11-23T10:14:02+01:00", 1_795_425_242_000),
    ("2026-11-23T00:44:02-08:30", 1_795_425_242_000), ("2024-02-29T00:00:00Z", 1_709_164_800_000),
    ("2016-12-31T23:59:60Z", 1_483_228_799_000), ("1969-12-31T23:59:59.999Z", -1),
  ])
  func `a time of RFC 3339 is read`(text: String, moment: Int) {
    #expect(CalendarTime.milliseconds(rfc3339: text) == moment)
  }

  @Test(arguments: [
    "", "2026", "2026-11-23", "2026-11-23T09:14Z", "2026-11-23T09:14:02", "2026-02-29T00:00:00Z",
    "2026-06-31T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-11-23T24:00:00Z",
    "2026-11-23T09:60:00Z", "2026-11-23T09:14:61Z", "2026-11-23T09:14:02.Z", "2026-11-23T09:14:02+1:00",
    "2026-11-23T09:14:02+0100", "2026-11-23T09:14:02Z ", "+026-11-23T09:14:02Z", "2026-11-23T09:14:02É",
  ])
  func `other texts are no times of RFC 3339`(text: String) {
    #expect(CalendarTime.milliseconds(rfc3339: text) == nil)
  }
}
