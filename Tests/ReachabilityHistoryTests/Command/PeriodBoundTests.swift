// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import DeadlineSupport
import Testing

@testable import ReachabilityReportCLI

@Suite(.deadline) struct `The bounds of a period` {
  @Test(arguments: [("30m", 1_800_000), ("24h", 86_400_000), ("7d", 604_800_000), ("500ms", 500)])
  func `an age is a time before now`(text: String, age: Int) {
    #expect(PeriodBound(text: text) == .age(age))
    #expect(PeriodBound(text: text)?.milliseconds(at: 10_000_000_000) == 10_000_000_000 - age)
  }

  @Test func `a time with a zone does not depend on the local one`() {
    #expect(PeriodBound(text: "2026-11-23T10:14:02+01:00") == .moment(1_795_425_242_000))
  }

  @Test(arguments: ["2026-11-23 09:14", "2026-11-23T09:14", "2026-11-23 09:14:00", "2026-11-23 09:14:00.000"])
  func `a time without a zone is local`(text: String) throws {
    let bound = try #require(PeriodBound(text: text)).milliseconds(at: 0)
    #expect(Timestamp(milliseconds: bound).localText.hasPrefix("2026-11-23 09:14:00.000"))
  }

  @Test(arguments: [
    ("today", "2026-11-23 00:00"), ("yesterday", "2026-11-22 00:00"), ("09:14", "2026-11-23 09:14"),
    ("02:00", "2026-11-23 02:00"), ("02:00:30.5", "2026-11-23 02:00:30.500"), ("09:15", "2026-11-22 09:15"),
  ])
  func `a day is its local midnight, and a time of day its last moment`(text: String, moment: String) throws {
    let now = try #require(Timestamp(local: "2026-11-23 09:14")).milliseconds
    let bound = try #require(PeriodBound(text: text))
    #expect(bound.milliseconds(at: now) == Timestamp(local: moment)?.milliseconds)
  }

  @Test(arguments: [
    "", "d", "7", "-7d", "7D", "36526d", "tomorrow", "Today", "2:00", "24:00", "02:60", "02:00 ",
    "2026-11-23 9:14", "2026-11-23 09:14 ",
  ])
  func `other texts are rejected`(text: String) {
    #expect(PeriodBound(text: text) == nil)
  }
}
