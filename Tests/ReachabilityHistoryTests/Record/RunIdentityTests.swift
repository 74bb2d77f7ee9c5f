// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Testing

@testable import ReachabilityHistory

/// Which records are about one thing.
@Suite(.deadline) struct `The identity of a run` {
  /// A record of ten seconds, of which the first half is unreachable if its number is odd.
  private func record(
    _ number: Int, from start: Double = 0, id: String? = nil, boot: String = "b",
    options: String = #""interface":null"#
  ) -> String {
    var record = RecordText()
    record.start(start, id: id, boot: boot, run: "\(number)", options: options)
    record.path(start, "satisfied", usable: #""name":"eth0""#)
    record.target(start, number % 2 == 0 ? "reachable" : "notReachable", "noRoute")
    record.target(start + 5000, "reachable")
    record.add(start + 10_000, #""event":"stop""#)
    return record.text
  }

  private func names(_ history: History) -> [String] {
    history.lanes.filter { $0.kind != .interface }.map { "\($0.machine): \($0.name)" }
  }

  @Test func `records of different options have lanes of their own, and an outage of one stays`() throws {
    let options = [
      #""interface":null,"from":null,"mark":null"#, #""interface":"eth0","from":null,"mark":null"#,
      #""interface":"eth1","from":"10.1.0.1","mark":66"#,
    ]
    let texts = (0...2).map { record($0 == 1 ? 1 : 2 * $0, options: options[$0]) }
    let history = try #require(try History(RecordText.reader(texts.map { Array($0.utf8) })))
    let expected = [
      "default", "default (interface eth0)", "default (interface eth1, from 10.1.0.1, mark 0x42)",
    ]
    #expect(names(history) == ["db1: path"] + expected.map { "db1: \($0)" })
    #expect(expected.map { history.sums($0)?[1] } == [0, 5000, 0])
    // The others failed neither with it nor with a lane of their own name.
    #expect(history.incidents.map(\.cause.text).count == 1)
    #expect(history.ambiguousMachines == [])
  }

  @Test func `a network namespace has a path and interfaces of its own`() throws {
    let reader = RecordText.reader(record(2), record(1, options: #""namespace":"blue""#))
    let history = try #require(try History(reader))
    #expect(
      history.lanes.map { "\($0.machine): \($0.name)" } == [
        "db1: path", "db1: default", "db1: eth0", "db1 (namespace blue): path",
        "db1 (namespace blue): default", "db1 (namespace blue): eth0",
      ])
    #expect(history.sums("default", on: "db1 (namespace blue)") == [5000, 5000, 0, 0])
    #expect(history.redacted.lanes.map(\.machine).last == "machine 2")
  }

  @Test func `machines with one host name and different identifiers are different machines`() throws {
    let (one, other) = (record(1, id: "1a", boot: "x"), record(2, from: 2000, id: "2b", boot: "y"))
    let history = try #require(try History(RecordText.reader(one, other)))
    #expect(history.sums("default", on: "db1 (machine 1a)") == [5000, 5000, 0, 2000])
    #expect(history.sums("default", on: "db1 (machine 2b)") == [10_000, 0, 0, 2000])
    #expect(history.ambiguousMachines == [])
  }

  @Test func `records without an identifier belong to the machine with their boot, or to the only one`()
    throws
  {
    let old = record(1, boot: "x")
    let sole = try #require(try History(RecordText.reader(old, record(2, from: 20_000, id: "1a", boot: "y"))))
    #expect(names(sole) == ["db1: path", "db1: default"])
    let (one, other) = (record(2, from: 20_000, id: "1a", boot: "x"), record(4, id: "2b", boot: "y"))
    let both = try #require(try History(RecordText.reader(other, old, one)))
    #expect(both.sums("default", on: "db1 (machine 1a)")?[1] == 5000)
    let third = try #require(try History(RecordText.reader(other, record(1, boot: "z"), one)))
    #expect(Set(names(third)).contains("db1: default"))
  }

  @Test func `boots of one machine that overlap are reported`() throws {
    func ambiguous(_ texts: String...) throws -> [String] {
      try #require(try History(RecordText.reader(texts.map { Array($0.utf8) }))).ambiguousMachines
    }
    let one = record(1, id: "1a", boot: "x")
    try #expect(ambiguous(one, record(2, from: 10_000, id: "1a", boot: "y")) == [])
    try #expect(ambiguous(one, record(2, from: 9999, id: "1a", boot: "y")) == ["db1"])
    // The runs take turns.
    let later = record(3, from: 40_000, id: "1a", boot: "x")
    try #expect(ambiguous(one, record(2, from: 20_000, id: "1a", boot: "y"), later) == ["db1"])
    try #expect(ambiguous(one, record(2, from: 9999, boot: "x")) == [])
  }
}
