// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Testing

@testable import ReachabilityHistory

@Suite(.deadline) struct `The time that records cover` {
  private func history(_ records: RecordText..., from: Int? = nil, until: Int? = nil) throws -> History {
    let reader = RecordText.reader(records.map { Array($0.text.utf8) })
    let (from, until) = (from.map { $0 + RecordText.beginning }, until.map { $0 + RecordText.beginning })
    return try #require(try History(reader, from: from, until: until))
  }

  @Test func `time without a line for one and a half heartbeats is not monitored`() throws {
    var record = RecordText()
    record.start(0)
    record.target(0, "reachable")
    record.heartbeats(60_000, until: 120_000)
    record.add(210_000, #""event":"heartbeat""#)
    #expect(try history(record).sums("default") == [210_000, 0, 0, 0])
    record.add(300_001, #""event":"heartbeat""#)
    #expect(try history(record).sums("default") == [210_000, 0, 0, 90_001])
    record.add(310_001, #""event":"heartbeat""#)
    #expect(try history(record).sums("default") == [220_000, 0, 0, 90_001])
  }

  @Test func `time from the last line of a run to the next run is not monitored`() throws {
    var record = RecordText()
    record.start(0, run: "1")
    record.target(0, "notReachable", "noRoute")
    record.add(5000, #""event":"heartbeat""#)
    record.start(15_000, run: "2")
    record.target(15_100, "reachable")
    record.add(20_000, #""event":"stop""#)
    let history = try history(record)
    #expect(history.sums("default") == [4900, 5000, 0, 10_100])
    #expect(history.incidents.map(\.isEndRecorded) == [false])
  }

  @Test func `time in which lines were lost is not monitored`() throws {
    var record = RecordText()
    record.start(0)
    record.target(0, "reachable")
    record.add(1000, #""event":"heartbeat""#)
    record.add(4000, #""lost":7,"event":"resume""#)
    record.target(4000, "notReachable", "noRoute")
    record.add(6000, #""event":"stop""#)
    #expect(try history(record, record).sums("default") == [1000, 2000, 0, 3000])
    #expect(RecordText.reader(record.text, record.text).lostCount == 7)
  }

  @Test func `the latest run of a boot says how its clocks correspond`() throws {
    var record = RecordText()
    record.clockError = -3_600_000
    record.start(0, run: "1")
    record.add(5000, #""event":"stop""#)
    record.clockError = 0
    record.start(10_000, run: "2")
    record.add(20_000, #""event":"stop""#)
    let history = try history(record)
    #expect([history.from, history.until].map { $0 - RecordText.beginning } == [0, 20_000])
  }

  @Test func `a wall clock that is set back changes no duration`() throws {
    var record = RecordText()
    record.start(0)
    record.target(0, "reachable")
    record.target(10_000, "notReachable", "noRoute")
    record.clockError = -7_200_000
    record.target(30_000, "reachable")
    record.add(60_000, #""event":"stop""#)
    let history = try history(record)
    #expect(history.sums("default") == [40_000, 20_000, 0, 0])
    // The latest line decides what time it was.
    #expect(history.incidents[0].start == RecordText.beginning - 7_200_000 + 10_000)
  }

  @Test func `a boot begins another count of time`() throws {
    var (before, after) = (RecordText(), RecordText())
    before.start(0, boot: "1", run: "1")
    before.target(0, "reachable")
    before.add(20_000, #""event":"heartbeat""#)
    after.clockError = 50_000
    after.start(-3_000_000, boot: "2", run: "2")
    after.target(-3_000_000, "notReachable", "noCarrier")
    after.add(-2_990_000, #""event":"stop""#)
    after.clockError = 0
    let history = try history(after, before, from: -2_950_000, until: 20_000)
    #expect(history.sums("default") == [20_000, 10_000, 0, 2_940_000])
  }

  @Test func `rotated files in any order, and copies of them, are one record`() throws {
    var (first, second) = (RecordText(), RecordText())
    first.start(0)
    first.target(0, "reachable")
    first.target(10_000, "notReachable", "noRoute")
    second.start(30_000, event: "continue")
    second.target(30_000, "notReachable", "noRoute")
    second.target(30_000, "reachable")
    second.add(60_000, #""event":"stop""#)
    let expected = [40_000, 20_000, 0, 0]
    #expect(try history(second, first).sums("default") == expected)
    #expect(try history(first, second, first, second).sums("default") == expected)
    #expect(try history(first, second).incidents.map(\.flaps) == [1])
  }

  @Test func `each machine has its own lanes`() throws {
    var (one, other) = (RecordText(), RecordText())
    one.start(0, machine: "a")
    one.target(0, "reachable")
    one.add(10_000, #""event":"stop""#)
    other.start(4000, machine: "b", boot: "c", run: "s")
    other.target(4000, "notReachable", "noRoute")
    other.add(20_000, #""event":"stop""#)
    let history = try history(one, other)
    #expect(
      history.lanes.map { "\($0.machine) \($0.name)" } == ["a path", "a default", "b path", "b default"])
    #expect(history.sums("default", on: "a") == [10_000, 0, 0, 10_000])
    #expect(history.sums("default", on: "b") == [0, 16_000, 0, 4000])
  }

  @Test func `an interface that a path no longer lists is unreachable, and unknown before it is named`()
    throws
  {
    var record = RecordText()
    record.start(0)
    record.path(0, "satisfied", usable: #""name":"eth0""#)
    record.path(1000, "satisfied", usable: #""name":"wlan0""#)
    record.path(3000, "unsatisfied", "noCarrier", unusable: #""name":"wlan0","reason":"noCarrier""#)
    record.add(7000, #""event":"stop""#)
    let history = try history(record)
    #expect(history.sums("eth0") == [1000, 6000, 0, 0])
    #expect(history.sums("wlan0") == [2000, 4000, 1000, 0])
    #expect(history.lanes.last?.steps.map(\.reason) == [nil, nil, "noCarrier"])
  }

  @Test func `of two recorders at once, the one that started later counts`() throws {
    var (one, other) = (RecordText(), RecordText())
    one.start(0, run: "1")
    one.target(0, "reachable")
    one.add(10_000, #""event":"stop""#)
    other.start(4000, run: "2")
    other.target(5000, "notReachable", "noRoute")
    other.add(6000, #""event":"stop""#)
    #expect(try history(other, one).sums("default") == [9000, 1000, 0, 0])
  }

  @Test func `records with many lanes and gaps are refused, but not a short period of them`() throws {
    var record = RecordText()
    record.start(0)
    for number in 0..<300 { record.target(0, "notReachable", "noRoute", name: "t\(number)") }
    for gap in 1...3000 { record.add(Double(gap) * 200_000, #""event":"heartbeat""#) }
    let reader = RecordText.reader(record.text)
    #expect(throws: History.TooManySteps.self) { try History(reader) }
    let from = RecordText.beginning + 1000 * 200_000 - 100
    let history = try #require(try History(reader, from: from, until: from + 200_000))
    #expect(history.lanes.count == 301)
    #expect(history.sums("t299") == [0, 0, 0, 200_000])
    #expect(history.incidents.count == 300)
  }
}
