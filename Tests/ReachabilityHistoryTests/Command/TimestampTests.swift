// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import DeadlineSupport
import Foundation
import TestSupport
import Testing

@Suite(.deadline) struct `Times as texts` {
  /// The C library reads these dates, and a calendar of our own writes them.
  @Test(arguments: [
    "1600-02-29", "1900-02-28", "1900-03-01", "2000-02-29", "2099-12-31", "2100-02-28", "2100-03-01",
    "2400-02-29",
  ])
  func `a date at the end of a century is written as it is read`(_ date: String) {
    #expect(Timestamp(rfc3339: date + "T12:00:00Z")?.text == date + "T12:00:00.000Z")
  }

  @Test func `a date is Foundation's, and read back is the same moment`() throws {
    var random = SeededGenerator(seed: 22)
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    // Since the Gregorian calendar began: Foundation has the Julian one before.
    for moment in (0..<2000).map({ _ in random.number(-12_000_000_000_000..<253_402_300_800_000) }) {
      let text = Timestamp(milliseconds: moment).text
      #expect(Timestamp(rfc3339: text)?.milliseconds == moment)
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
    #expect(Timestamp(rfc3339: text)?.milliseconds == moment)
  }

  @Test(arguments: [
    "", "2026", "2026-11-23", "2026-11-23T09:14Z", "2026-11-23T09:14:02", "2026-02-29T00:00:00Z",
    "2026-06-31T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-11-23T24:00:00Z",
    "2026-11-23T09:60:00Z", "2026-11-23T09:14:61Z", "2026-11-23T09:14:02.Z", "2026-11-23T09:14:02.1:Z",
    "2026-11-23T09:14:02+1:00",
    "2026-11-23T09:14:02+0100", "2026-11-23T09:14:02Z ", "+026-11-23T09:14:02Z", "2026-11-23T09:14:02É",
  ])
  func `other texts are no times of RFC 3339`(text: String) {
    #expect(Timestamp(rfc3339: text)?.milliseconds == nil)
  }

  @Test(arguments: [
    (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"), (253_402_300_800_000, "10000-01-01T00:00:00.000Z"),
    (-62_167_219_200_001, "-0001-12-31T23:59:59.999Z"),
  ])
  func `years beyond four digits have a text`(moment: Int, text: String) {
    #expect(Timestamp(milliseconds: moment).text == text)
  }

  // The zone is one for the whole process.
  @Test(.onOwnThreads) func `a local time that exists twice or never is read by the clock before the change`()
    async
  {
    await #expect(processExitsWith: .success) {
      _ = unsafe setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1)
      for (local, text) in [
        ("2026-03-29 01:59:59", "2026-03-29T00:59:59.000Z"), ("2026-03-29T02:30", "2026-03-29T01:30:00.000Z"),
        ("2026-03-29 03:00", "2026-03-29T01:00:00.000Z"), ("2026-10-25 02:30", "2026-10-25T00:30:00.000Z"),
        ("2026-10-25 03:00", "2026-10-25T02:00:00.000Z"), ("2026-07-01", "2026-06-30T22:00:00.000Z"),
      ] {
        let time = try #require(Timestamp(local: local))
        try #require(time.text == text)
      }
      let texts = [1_792_888_200_117, 1_792_891_800_117].map { Timestamp(milliseconds: $0).localText }
      try #require(texts == ["2026-10-25 02:30:00.117+02:00", "2026-10-25 02:30:00.117+01:00"])
    }
  }
}
