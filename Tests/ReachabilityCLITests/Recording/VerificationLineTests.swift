#if os(Linux)
import CommandLineSupport
import DeadlineSupport
import Testing

@testable import ReachabilityCLI

@Suite(.deadline) struct `The output of a verification` {
  private static let line =
    #"{"version":1,"time":"2026-11-23T08:00:00.000Z","verification":"verified","endpoints":[],"event":"change"}"#

  private func text(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

  @Test(arguments: ["initial", "change"])
  func `a line keeps its members, with the record's times and the endpoint`(event: String) throws {
    let line = Self.line.replacing("change", with: event)
    let value = try #require(RecordedVerification(line: Array(line.utf8)))
    let time = LineTime(wall: .now, uptime: 12)
    #expect(
      value.object("tcp://[::1]:1", at: time).text == """
        {"version":1,"time":"\(time.wall.text)","uptimeMicroseconds":12,"endpoint":"tcp://[::1]:1",\
        "verification":"verified","endpoints":[],"event":"verification"}
        """)
  }

  @Test func `URLs that a server names lose query, fragment and user`() throws {
    let page = #"https://me:secret@portal.test:8443/a\"b/login?token=secret&next=http://x/#secret"#
    let line = #"""
      {"version":1,"time":"2026-11-23T08:00:00.000Z","verification":"captivePortal","portal":"\#(page)",\#
      "path":"satisfied","reason":null,"isCurrent":true,"portalAPI":[{"endpoint":"http://p.test/api?secret",\#
      "portal":"http://u@p.test#secret"}],"endpoints":[{"error":"at http://p.test/?secret, 2 ? 3 @ 4 \\","found":null}],\#
      "event":"change"}
      """#
    let value = try #require(RecordedVerification(line: Array(line.utf8)))
    #expect(
      value.object("e", at: .recorded).text.split(separator: #""endpoint":"e","#).last == #"""
        "verification":"captivePortal","portal":"https://portal.test:8443/a\"b/login",\#
        "path":"satisfied","reason":null,"isCurrent":true,"portalAPI":[{"endpoint":"http://p.test/api",\#
        "portal":"http://p.test"}],"endpoints":[{"error":"at http://p.test/ 2 ? 3 @ 4 \\","found":null}],\#
        "event":"verification"}
        """#)
  }

  @Test(arguments: [
    "", "{}", "no", line + " ", line + line.prefix(1), " " + line, line.replacing("change", with: "verify"),
    line.replacing("[]", with: "[\u{7}]"), line.replacing("verification", with: "path"),
    line.replacing(#""verification":"verified","endpoints":[],"#, with: ""),
    #"{"version":1,"time":"2026-11-23T08:00:00.000Z","event":"change"}"#,
  ])
  func `another line is no result`(line: String) {
    #expect(RecordedVerification(line: Array(line.utf8)) == nil)
  }

  @Test func `no part of a line is taken for a whole one`() {
    let line = Array(Self.line.utf8)
    for count in line.indices { #expect(RecordedVerification(line: Array(line[..<count])) == nil) }
    for count in line.indices.dropFirst() {
      #expect(RecordedVerification(line: Array(line[count...])) == nil)
    }
  }

  @Test(arguments: [1, 2, 3, 7, 100]) func `lines arrive in parts of any size`(size: Int) {
    var (lines, found) = (OutputLines(), [String?]())
    var rest = Array("one\n\ntwo and more\nunfinished".utf8)[...]
    while !rest.isEmpty {
      found += lines.add(rest.prefix(size)).map(text)
      rest = rest.dropFirst(size)
    }
    #expect(found == ["one", "", "two and more"])
  }

  @Test func `a line that is too long is left out, and the next one is not`() {
    let limit = OutputLines.limit
    var lines = OutputLines()
    let longest = [UInt8](repeating: 97, count: limit)
    #expect(lines.add((longest + [10])[...]) == [longest])
    #expect(lines.add(longest[...]) == [] && lines.add(longest[...]) == [])
    #expect(lines.add([98, 10, 99, 10]) == [nil, [99]])
  }
}
#endif
