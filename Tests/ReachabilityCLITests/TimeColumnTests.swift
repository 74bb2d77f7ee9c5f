// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import DeadlineSupport
import Testing

@testable import ReachabilityCLI

@Suite(.deadline) struct `The column of times` {
  private func lines(_ column: TimeColumn, _ times: String...) throws -> [String] {
    var text = OutputText()
    for time in times {
      column.append(try #require(Timestamp(local: time)), to: &text)
      text.append("line\n")
    }
    return text.string.split(separator: "\n").map(String.init)
  }

  @Test func `a terminal shows the time of day, and the date where it changes`() throws {
    let lines = try lines(
      TimeColumn(isShort: true), "2026-11-23 23:15:10.123", "2026-11-23 23:59:59.999", "2026-11-24 00:00:01",
      "2026-11-24 00:00:02")
    try #require(lines.count == 5)
    #expect(Array(lines[...1]) == ["23:15:10.123  line", "23:59:59.999  line"])
    #expect(lines[2].wholeMatch(of: /2026-11-24 UTC[+-][0-9]{2}:[0-9]{2}/) != nil, "\(lines)")
    #expect(Array(lines[3...]) == ["00:00:01.000  line", "00:00:02.000  line"])
  }

  @Test func `elsewhere each line has the date and the offset`() throws {
    let column = TimeColumn(isShort: false)
    let lines = try lines(column, "2026-11-23 23:15:10.123", "2026-11-24 00:00:01")
    #expect(lines.count == 2)
    for line in lines {
      #expect(line.wholeMatch(of: /2026-11-2[34] [0-9:.]{12}[+-][0-9]{2}:[0-9]{2}  line/) != nil, "\(line)")
      #expect(line.count == column.width + 4)
    }
  }
}
