// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import TestSupport
import Testing

@testable import ReachabilityHistory

@Suite(.deadline) struct `Incidents` {
  private func history(_ record: RecordText, from: Int? = nil, until: Int? = nil) throws -> History {
    let (from, until) = (from.map { $0 + RecordText.beginning }, until.map { $0 + RecordText.beginning })
    return try #require(try History(RecordText.reader(record.text), from: from, until: until))
  }

  private static let eth0 = #""name":"eth0","addresses":["10.1.0.1/24"],"gateways":["10.1.0.254"]"#

  /// A machine whose link fails after a minute; a second later it returns.
  private func linkFailure(failsPath: Bool = true) -> RecordText {
    var record = RecordText()
    record.start(0)
    record.path(1, "satisfied", usable: Self.eth0)
    for name in ["10.9.0.1", "default"] { record.target(2, "reachable", name: name) }
    if failsPath {
      record.path(
        60_000, "unsatisfied", "noCarrier",
        unusable: #""name":"eth0","reason":"noCarrier","addresses":["10.1.0.1/24"]"#)
      record.target(60_000.4, "notReachable", "noCarrier")
      record.path(
        60_003.2, "unsatisfied", "noCarrier", unusable: #""name":"eth0","reason":"noCarrier","addresses":[]"#)
    }
    record.target(60_003.6, "notReachable", "noRoute", interface: nil, gateway: nil)
    if failsPath { record.path(61_000, "satisfied", usable: Self.eth0) }
    record.target(61_000, "reachable")
    record.add(70_000, #""event":"stop""#)
    return record
  }

  @Test func `incidents are in the order of their starts, whatever their lanes`() throws {
    var record = RecordText()
    record.start(0)
    for name in ["a", "b"] { record.target(0, "reachable", name: name) }
    for (time, name) in [(10_000.0, "b"), (30_000, "a")] {
      record.target(time, "notReachable", "noRoute", name: name)
      record.target(time + 1000, "reachable", name: name)
    }
    record.add(40_000, #""event":"stop""#)
    let starts = try history(record).incidents.map { $0.start - RecordText.beginning }
    #expect(starts == [10_000, 30_000])
  }

  @Test func `a cause names reason, interface, gateway, the order of events and what failed too`() throws {
    let causes = try history(linkFailure()).incidents.map(\.cause.text)
    #expect(
      causes == [
        "no carrier, eth0 via 10.1.0.254: carrier lost on eth0, address 10.1.0.1/24 removed +3 ms; "
          + "1 target failed with it",
        "no carrier, eth0 via 10.1.0.254: carrier lost on eth0, address 10.1.0.1/24 removed +3 ms, "
          + "route withdrawn +3 ms; the path failed with it",
      ])
    #expect(try history(linkFailure()).incidents.map(\.fault) == [.link, .link])
  }

  @Test func `a reason of a status that is unknown is no event of an outage`() throws {
    var record = RecordText()
    record.start(0)
    record.target(0, "reachable")
    record.target(5000, "notReachable", "noRoute")
    record.target(5100, "unknown", "systemError")
    record.target(5200, "reachable")
    record.add(9000, #""event":"stop""#)
    #expect(try history(record).incidents.map(\.cause.text) == ["no route, eth0 via 10.1.0.254"])
  }

  @Test func `an outage of one target says that the path stayed satisfied, and what failed`() throws {
    let incident = try history(linkFailure(failsPath: false)).incidents[0]
    #expect(incident.cause.text == "no route, eth0 via 10.1.0.254; the path stayed satisfied")
    #expect(incident.cause.pieces.contains(.interface("eth0")) && incident.fault == .routing)
  }

  @Test func `a cause names the first eight events, and the number of the others`() throws {
    let addresses = (1...1000).map { #""10.2.\#($0 / 250).\#($0 % 250)/24""# }.joined(separator: ",")
    func eth0(_ members: String) -> String { #""name":"eth0","addresses":[\#(members)]"# }
    var record = RecordText()
    record.start(0)
    record.path(0, "satisfied", usable: eth0(addresses))
    for name in ["a", "b"] { record.target(0, "reachable", name: name) }
    record.path(5000, "satisfied", usable: eth0(""))
    for name in ["a", "b"] { record.target(5001, "notReachable", "noRoute", name: name, gateway: nil) }
    record.add(9000, #""event":"stop""#)
    let causes = try history(record).incidents.map(\.cause.text)
    let first = (1...8).map { "address 10.2.0.\($0)/24 removed" + ($0 > 1 ? " +0.0 ms" : "") }
    let text = """
      no route, eth0: \(first.joined(separator: ", ")), and 993 more; the path stayed satisfied, \
      1 other target failed with it
      """
    #expect(causes == [text, text])
  }

  @Test func `a cause shortens the names of a hostile record`() throws {
    let long = String(repeating: "ä", count: 1000)
    var record = RecordText()
    record.start(0)
    record.target(0, "reachable")
    record.target(1000, "notReachable", "r\(long)", interface: "i\(long)", gateway: "g\(long)")
    record.verification(1000, "failed", #""outcome":"unexpected","found":"f\#(long)""#)
    record.add(2000, #""event":"stop""#)
    func short(_ first: String, _ count: Int) -> String { first + long.prefix(count) + "…" }
    #expect(
      try history(record).incidents.map(\.cause.text) == [
        "\(short("r", 63)), \(short("i", 63)) via \(short("g", 63))",
        "an unexpected answer: \(short("f", 199)); unreachable when monitoring began",
      ])
  }

  @Test(arguments: 1...20) func `an index counts the lanes that failed nearby as a search does`(seed: UInt64)
  {
    var generator = SeededGenerator(seed: seed)
    let lanes = (0..<6).map { _ in (0..<generator.below(9)).map { _ in generator.below(300) }.sorted() }
    let index = FailureIndex(lanes, vicinity: 10)
    for moment in -20...320 {
      let count = lanes.count { $0.contains { abs($0 - moment) <= 10 } }
      #expect(index.count(near: moment) == count)
    }
  }

  @Test func `outages within a minute of each other are one incident`() throws {
    var record = RecordText()
    record.start(0)
    record.target(0, "reachable")
    for start in [1000.0, 61_500, 122_501, 183_000, 184_000] {
      record.target(start, "notReachable", "noRoute")
      record.target(start + 500, "reachable")
    }
    record.heartbeats(184_500, until: 240_000)
    let history = try history(record)
    #expect(history.incidents.map(\.flaps) == [2, 3])
    #expect(history.incidents.map { $0.start - RecordText.beginning } == [1000, 122_501])
    #expect(history.incidents.map { ($0.end ?? 0) - RecordText.beginning } == [62_000, 184_500])
    #expect(history.incidents.map(\.duration) == [1000, 1500])
    #expect(history.incidentCounts == [0, 2])
    #expect(history.lanes[1].totals.meanTime(between: 2) == (240_000 - 2500) / 2)
    #expect(history.lanes[1].totals.meanTime(between: 0) == nil)
  }

  @Test func `an incident that begins before or ends after the period says so`() throws {
    let begun = try history(linkFailure(), from: 60_500)
    #expect(
      begun.incidents.map(\.cause.text) == [
        "no carrier, eth0 via 10.1.0.254; it began before this period",
        "no route, eth0 via 10.1.0.254; it began before this period",
      ])
    #expect(begun.incidents.map(\.duration) == [500, 500])
    let open = try history(linkFailure(), until: 60_500)
    #expect(open.incidents.map(\.end) == [nil, nil] && open.incidents.map(\.duration) == [500, 500])
    #expect(try history(linkFailure(), from: 61_000).incidents == [])
    #expect(try history(linkFailure(), until: 60_000).incidents == [])
  }

  @Test func `an outage of the last line is an incident without a length`() throws {
    var record = RecordText()
    record.start(0)
    record.target(0, "reachable")
    record.target(1000.7, "notReachable", "noRoute")
    let incident = try #require(try history(record).incidents.first)
    #expect(incident.start == RecordText.beginning + 1000 && incident.end == nil && incident.duration == 0)
    // No line follows, but the record ends here as the period does.
    #expect(incident.isEndRecorded)
  }

  @Test func `an outage shorter than a millisecond is an incident, but no step`() throws {
    var record = RecordText()
    record.start(0)
    record.target(0, "reachable")
    record.target(1000.2, "notReachable", "noRoute")
    record.target(1000.7, "reachable")
    record.add(2000, #""event":"stop""#)
    let history = try history(record)
    #expect(history.incidents.map(\.flaps) == [1] && history.sums("default") == [2000, 0, 0, 0])
  }

  @Test func `an outage that goes on after a pause of monitoring does not say what happened first`() throws {
    var record = RecordText()
    record.start(0)
    record.target(0, "notReachable", "noRoute")
    record.add(1000, #""event":"stop""#)
    #expect(
      try history(record).incidents.map(\.cause.text)
        == ["no route, eth0 via 10.1.0.254; unreachable when monitoring began"])
  }

  @Test func `an outage goes on while the recorder is restarted, and the gap does not count`() throws {
    var record = RecordText()
    record.start(0, run: "1")
    record.target(0, "reachable")
    record.target(10_000, "notReachable", "noRoute")
    record.add(14_000, #""event":"stop""#)
    // Longer than flaps may be apart; the first status is not known yet.
    record.start(114_000, run: "2")
    record.target(114_000, "unknown", "resolving")
    record.target(115_000, "notReachable", "noRoute")
    record.target(120_000, "reachable")
    record.heartbeats(120_000, until: 200_000)
    let history = try history(record)
    let incident = try #require(history.incidents.first)
    #expect(history.incidents.count == 1 && incident.flaps == 1 && incident.isEndRecorded)
    #expect(incident.duration == 9000 && incident.gap == 101_000)
    #expect(incident.end == RecordText.beginning + 120_000)
    let longest = try #require(history.lanes[1].longestOutage)
    #expect(longest == (RecordText.beginning + 10_000, 9000))
    #expect(history.lanes[1].totals.meanTime(between: 1) == 90_000)
  }

  @Test func `a moment of connectivity after a restart ends the outage before it`() throws {
    var record = RecordText()
    for (run, start) in [("1", 0.0), ("2", 100_000)] {
      record.start(start, run: run)
      record.target(start, "reachable")
      record.target(start + 1000, "notReachable", "noRoute")
      record.add(start + 2000, #""event":"stop""#)
    }
    #expect(try history(record).incidents.map(\.gap) == [0, 0])
  }

  @Test func `an outage that a report begins within is said to have begun before, across a restart too`()
    throws
  {
    var record = RecordText()
    for (run, start) in [("1", 0.0), ("2", 100_000)] {
      record.start(start, run: run)
      record.target(start, "notReachable", "noRoute")
      record.add(start + 2000, #""event":"stop""#)
    }
    let incident = try #require(try history(record, from: 5000).incidents.first)
    #expect(incident.cause.text == "no route, eth0 via 10.1.0.254; it began before this period")
  }

  @Test func `outages without a reachable moment have no mean time between them`() throws {
    var record = RecordText()
    record.start(0)
    record.target(0, "notReachable", "noRoute")
    record.add(1000, #""event":"stop""#)
    #expect(try history(record).lanes[1].totals.meanTime(between: 1) == nil)
  }

  @Test func `shares add up to a hundred percent`() {
    var totals = StateTotals()
    for state in LaneState.allCases.dropLast() { totals[state] = 1 }
    #expect(
      totals.thousandthsOfPercent == [
        .reachable: 33_334, .unreachable: 33_333, .unknown: 33_333, .notMonitored: 0,
      ])
    #expect(StateTotals().thousandthsOfPercent == [:])
  }
}
