// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Testing

@testable import ReachabilityHistory

@Suite(.deadline) struct `Events of a report` {
  private func history(_ record: RecordText) throws -> History {
    try #require(try History(RecordText.reader(record.text)))
  }

  @Test func `a night with six events among several targets has six, each with its side`() throws {
    let history = try history(.night)
    #expect(history.incidents.count == 22)
    #expect(history.events.map { ($0.start - RecordText.beginning) / 3_600_000 } == [1, 2, 3, 4, 5, 6])
    #expect(history.events.map(\.fault) == [.link, .routing, .peer, .network, .policy, .link])
    #expect(
      history.events.map(\.fault?.side) == [.uplink, nil, .server, .uplink, .thisMachine, .uplink])
    #expect(history.events.map(\.family) == [nil, .v4, nil, nil, nil, nil])
    #expect(history.events.map(\.duration) == [12_001, 25_000, 20_000, 14_000, 5000, 7000])
    #expect(history.events.map(\.gap) == [0, 0, 0, 0, 0, 3001])
    #expect(history.events.flatMap(\.incidents).sorted() == Array(history.incidents.indices))
  }

  @Test func `names do not change what is one event`() throws {
    let history = try history(.night)
    #expect(history.redacted.events == history.events)
  }

  /// Two targets that fail at the start, or later, and return.
  private func pair(_ second: (from: Double, until: Double), names: [String] = ["a", "b"]) -> RecordText {
    var record = RecordText()
    record.start(0)
    for name in names { record.target(0, "reachable", name: name) }
    record.target(10_000, "notReachable", "noRoute", name: names[0])
    record.target(second.from, "notReachable", "noRoute", name: names[1])
    record.target(20_000, "reachable", name: names[0])
    record.target(second.until, "reachable", name: names[1])
    record.heartbeats(20_000, until: 200_000)
    return record
  }

  @Test(arguments: [
    (10_000.0, 20_000.0, 1), (14_000, 24_000, 1), (10_000, 29_000, 1),
    (16_000, 20_000, 2), (10_000, 90_000, 2), (26_000, 30_000, 2),
  ])
  func `targets that fail and return together are one event`(from: Double, until: Double, count: Int) throws {
    #expect(try history(pair((from, until))).events.count == count)
  }

  @Test func `machines have events of their own`() throws {
    let one = pair((10_000, 20_000))
    var other = RecordText()
    other.start(0, machine: "db2", boot: "c", run: "s")
    other.target(0, "reachable", name: "a")
    other.target(10_000, "notReachable", "noRoute", name: "a")
    let history = try #require(try History(RecordText.reader(one.text, other.text)))
    #expect(history.events.map(\.incidents.count) == [2, 1])
  }

  @Test func `servers that drop one after the other are two events`() throws {
    var record = RecordText()
    record.start(0)
    for (name, time) in [("10.9.0.1", 10_000.0), ("10.9.0.2", 20_000)] {
      record.evidence(0, "answering", name: name)
      record.evidence(time, "stalled", fault: "peer", name: name)
      record.evidence(time + 15_000, "answering", name: name)
    }
    record.heartbeats(35_000, until: 60_000)
    #expect(try history(record).events.map(\.incidents) == [[0], [1]])
  }

  @Test(
    arguments: [
      (["10.9.0.1", "10.9.0.2", "2001:db8::1"], "IPv4"),
      (["2001:db8::1", "2001:db8::2", "10.9.0.1"], "IPv6"),
      // The third target is of both families, of the same one, or none.
      (["10.9.0.1", "10.9.0.2", "default"], nil), (["10.9.0.1", "10.9.0.2", "10.9.0.3"], nil),
      (["10.9.0.1", "a", "2001:db8::1"], nil),
    ] as [([String], String?)])
  func `a family failed alone if all its addresses did, and one of the other did not`(
    names: [String], family: String?
  ) throws {
    var record = pair((10_000, 20_000), names: names)
    record.target(0, "reachable", name: names[2])
    #expect(try history(record).events.map(\.family?.description) == [family])
  }

  @Test func `one address says nothing about its family`() throws {
    var record = RecordText()
    record.start(0)
    for name in ["10.9.0.1", "2001:db8::1"] { record.target(0, "reachable", name: name) }
    record.target(10_000, "notReachable", "noRoute", name: "10.9.0.1")
    record.add(20_000, #""event":"stop""#)
    #expect(try history(record).events.map(\.family) == [nil])
  }
}
