// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Testing

@testable import ReachabilityHistory

@Suite(.deadline) struct `Reading records` {
  private var day: RecordText {
    var record = RecordText()
    record.start(0)
    record.path(
      1, "satisfied", usable: #""name":"eth0","gateways":["10.1.0.254"],"addresses":["10.1.0.1/24"]"#)
    record.target(2, "reachable")
    record.target(700, "notReachable", "noCarrier")
    record.target(900.5, "reachable")
    record.add(1000, #""event":"stop""#)
    return record
  }

  @Test func `a missing file, a folder and an empty file are no records`() {
    for path in ["/nonexistent", "/tmp", "/dev/null"] { #expect(!RecordReader.isRecord(path), "\(path)") }
  }

  @Test func `lines that cannot be read are counted with the number of the first`() throws {
    var lines = day.lines
    lines.insert(contentsOf: ["", "{}", "no", "[1]", #"{"version":1"#], at: 2)
    lines.insert(lines[7], at: 0)
    let reader = RecordText.reader(lines.joined(separator: "\n"), "x\n{")
    #expect(
      reader.problems.map { $0.text.drop { $0 != ":" } } == [
        ":1: no line before it names the machine", ":5: not a line of a record (and 1 more line)",
        ":6: not a line of JSON (and 1 more line)", ":1: not a line of JSON",
        ":2: the last line is unfinished",
      ])
    #expect(reader.lineCount == 6)
    #expect(try History(reader)?.sums("default") == [798, 200, 0, 2])
  }

  @Test func `a line of a later version counts, and is reported`() throws {
    let text = day.text.replacing("\"version\":1", with: "\"version\":2,\"shape\":{\"round\":[1]}")
    let reader = RecordText.reader(text)
    #expect(reader.problems.map(\.kind) == [.laterVersion] && reader.problems[0].count == 6)
    #expect(try History(reader)?.sums("default") == [798, 200, 0, 2])
  }

  @Test func `an event that this version does not know shows that the process ran`() throws {
    var record = RecordText()
    record.start(0)
    record.target(0, "reachable")
    for time in [60_000.0, 120_000, 180_000] { record.add(time, #""event":"music""#) }
    #expect(try History(RecordText.reader(record.text))?.sums("default") == [180_000, 0, 0, 0])
  }

  @Test func `a record that ends at any byte is read, and its sums are the period`() throws {
    let bytes = Array(day.text.utf8)
    for count in bytes.indices {
      let reader = RecordText.reader([Array(bytes[..<count])])
      #expect(reader.problems.count <= 1)
      guard let history = try History(reader) else {
        #expect(reader.lineCount == 0)
        continue
      }
      let length = history.until - history.from
      for lane in history.lanes { #expect(lane.totals.sum == length) }
    }
  }

  @Test func `a changed byte never stops the reading`() throws {
    let bytes = Array(day.text.utf8)
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= UInt8(1 + index % 255)
      let reader = RecordText.reader([changed])
      guard let history = try History(reader) else { continue }
      for lane in history.lanes { #expect(lane.totals.sum == history.until - history.from) }
    }
  }

  @Test(arguments: [1, 2, 7, 100]) func `a record is the same in pieces of any size`(partSize: Int) throws {
    let bytes = Array((day.text + "x").utf8)
    let (whole, pieces) = (RecordText.reader([bytes]), RecordText.reader([bytes], partSize: partSize))
    #expect(try History(pieces) == History(whole) && pieces.problems == whole.problems)
    #expect(whole.problems.map(\.line) == [7])
  }

  @Test func `a line that is too long is left out`() throws {
    let long = #"{"version":1,"x":""# + String(repeating: "x", count: 17 << 20) + "\"}\n"
    let lines = day.lines
    let reader = RecordText.reader(lines[0] + "\n" + long + lines.dropFirst().joined(separator: "\n"))
    #expect(reader.problems.map(\.kind) == [.tooLong] && reader.problems[0].line == 2)
    #expect(reader.lineCount == 6)
  }
}
