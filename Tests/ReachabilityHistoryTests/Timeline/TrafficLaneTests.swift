// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Testing

@testable import ReachabilityHistory

@Suite(.deadline) struct `Traffic in a report` {
  private func history(_ record: RecordText) throws -> History {
    try #require(try History(RecordText.reader(record.text)))
  }

  /// Connections that stall from the fourth second to the seventh, with the faults that the evidence names.
  private func stalling(_ faults: String?..., of name: String = "default") -> RecordText {
    var record = RecordText()
    record.start(0)
    record.path(0, "satisfied", usable: #""name":"eth0","addresses":[],"gateways":["10.1.0.254"]"#)
    record.target(0, "reachable", name: name)
    record.evidence(1000, "none", name: name)
    record.evidence(2000, "answering", name: name)
    for (place, fault) in faults.enumerated() {
      record.evidence(4000 + 1000 * Double(place), "stalled", fault: fault, name: name)
    }
    record.evidence(7000, "answering", name: name)
    record.add(10_000, #""event":"stop""#)
    return record
  }

  @Test func `connections that stall are a lane of their own, and the target stays reachable`() throws {
    let history = try history(stalling("peer"))
    #expect(history.lanes.map(\.kind) == [.path, .target, .traffic, .interface])
    #expect(history.lanes[1].totals[.reachable] == 10_000)
    let totals = history.lanes[2].totals
    #expect(LaneState.allCases.map { totals[$0] } == [5000, 3000, 1000, 1000])
    #expect(history.lanes[2].steps.map(\.reason) == [nil, nil, nil, "stalled", nil])
    let incident = try #require(history.incidents.first)
    #expect(history.incidents.count == 1)
    #expect(incident.lane == 2)
    #expect(incident.reason == "stalled")
    #expect(incident.cause.text == "connections stall: nothing answers; the path stayed satisfied")
    #expect(incident.duration == 3000)
  }

  @Test(
    arguments: [
      (["thisMachine"], .thisMachine), (["network"], .network), (["peer"], .peer),
      (["connection"], .connection),
      (["undetermined"], nil), ([nil], nil), (["a later version's"], nil),
      // What becomes known during the stall counts.
      (["undetermined", "network"], .network), (["peer", "thisMachine"], .thisMachine),
    ] as [([String?], Fault?)])
  func `a stall has the fault of the evidence`(_ faults: [String?], _ expected: Fault?) throws {
    var record = RecordText()
    record.start(0)
    for (place, fault) in faults.enumerated() {
      record.evidence(1000 * Double(place), "stalled", fault: fault, name: "10.9.0.1")
    }
    record.add(5000, #""event":"stop""#)
    #expect(try history(record).incidents.map(\.fault) == [expected])
  }

  @Test(
    arguments: [
      ("default", "thisMachine", .thisMachine), ("default", "network", .network),
      // These say nothing about another server while they stall.
      ("default", "peer", nil), ("10.9.0.1", "network", nil),
    ] as [(String, String, Fault?)])
  func `a verification without an answer has the fault of connections that stall with it`(
    _ name: String, _ fault: String, _ expected: Fault?
  ) throws {
    var record = stalling(fault, of: name)
    record.lines.removeLast()
    record.verification(3000, "verified", #""outcome":"passed""#)
    record.verification(6000, "failed", #""outcome":"timedOut""#)
    record.verification(8000, "verified", #""outcome":"passed""#)
    // An answer that names its fault itself, and one long after, while other connections answer.
    record.verification(8500, "failed", #""outcome":"unexpected""#)
    record.verification(9000, "verified", #""outcome":"passed""#)
    record.verification(90_000, "failed", #""outcome":"timedOut""#)
    record.add(100_000, #""event":"stop""#)
    let history = try history(record)
    let incidents = history.incidents.filter { history.lanes[$0.lane].kind == .verification }
    #expect(incidents.map(\.fault) == [expected, name == "default" ? .peer : nil])
    #expect(incidents.map(\.flaps) == [2, 1])
  }

  @Test func `a verification has the evidence about its own host, whatever the port`() throws {
    var record = stalling("peer", of: "10.9.0.1")
    record.lines.removeLast()
    record.verification(3000, "verified", #""outcome":"passed""#, name: "tcp://10.9.0.1:5432")
    record.verification(6000, "failed", #""outcome":"timedOut""#, name: "tcp://10.9.0.1:5432")
    record.add(10_000, #""event":"stop""#)
    let history = try history(record)
    #expect(history.incidents.map(\.fault) == [.peer, .peer] && history.events.map(\.incidents) == [[0, 1]])
  }

  @Test func `a target and its traffic have one pseudonym, and the default route none`() throws {
    let lanes = try history(stalling("peer", of: "10.9.0.1")).redacted.lanes
    #expect(lanes.map(\.name) == ["path", "target 1", "target 1", "interface 1"])
    #expect(
      try history(stalling("peer")).redacted.lanes.map(\.name).prefix(3) == ["path", "default", "default"])
  }

  @Test func `evidence about a path is no lane, and evidence without a verdict nothing`() throws {
    var record = RecordText()
    record.start(0)
    record.add(1000, #""path":"satisfied","evidence":{"verdict":"stalled"},"event":"evidence""#)
    record.add(2000, #""target":"default","evidence":null,"event":"evidence""#)
    record.add(3000, #""target":"default","evidence":{"verdict":"later"},"event":"evidence""#)
    record.add(4000, #""event":"stop""#)
    let history = try history(record)
    #expect(history.lanes.map(\.kind) == [.path, .traffic])
    #expect(history.lanes[1].totals[.unknown] == 1000)
    #expect(history.incidents.isEmpty)
  }
}
