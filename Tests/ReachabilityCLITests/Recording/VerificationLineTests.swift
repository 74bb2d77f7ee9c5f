// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
@testable import CommandLineSupport
import DeadlineSupport
import Foundation
import TestSupport
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
    line.replacing(":1,", with: ":2,"), line.replacing(#":"verified""#, with: ":1"),
    line.replacing(#""verification":"verified","endpoints":[],"#, with: ""),
    #"{"version":1,"time":"2026-11-23T08:00:00.000Z","event":"change"}"#,
  ])
  func `another line is no result`(line: String) {
    #expect(RecordedVerification(line: Array(line.utf8)) == nil)
  }

  /// What would break the JSON of the record, or hide from its readers.
  @Test(arguments: [
    "[", "]", "[}", "{", "[[]", "[1 ]", "[,]", "[1,]", "{,}", "{1:2}", #"{"a"}"#, #"{"a":1,}"#, #"{"a":}"#,
    "nul", "True", "NaN", "01", "-", "1.", ".5", "+1", "1e9", "1 2", "'a'", #""\x""#, #""\u12g4""#,
    #""\u123""#,
    #""\ud800""#, #""\ud800\u0041""#, #""\udc00""#, #"[]]}"#, #"[],"x":1}{"y":2"#,
    #"[],"verification":"failed""#,
    #"[],"endpoint":"b""#, #"[],"uptimeMicroseconds":1"#, #"[],"\u0065ndpoint":"b""#, "",
    String(repeating: "[", count: 16) + String(repeating: "]", count: 16),
    String(repeating: #"{"a":"#, count: 20) + "1" + String(repeating: "}", count: 20),
  ])
  func `a line whose members are no JSON is no result`(value: String) {
    let line = Self.line.replacing("[]", with: value)
    #expect(RecordedVerification(line: Array(line.utf8)) == nil)
  }

  @Test(arguments: [
    "null", "true", "-0", "0.250", "-12.5", "{}", #"{"a":{"b":[1,"",null,false,[]]},"c":{}}"#,
    #""\"\\\/\b\f\n\r\t\u00e9\ud83d\uDE00é😀""#, #"[],"other":1"#,
    String(repeating: "[", count: 15) + String(repeating: "]", count: 15),
  ])
  func `other JSON in place of a member is kept`(value: String) throws {
    let line = Self.line.replacing("[]", with: value)
    let found = try #require(RecordedVerification(line: Array(line.utf8)))
    #expect(
      found.object("e", at: .recorded).text.contains(#""verification":"verified","endpoints":\#(value),"#))
  }

  @Test func `whatever a line is, the line of the record is JSON that Foundation reads`() throws {
    let nested = #"[{"error":"at http://u@p.test/?q \\\u00e9?","found":null,"milliseconds":12}]"#
    let line = Array(Self.line.replacing("[]", with: nested).utf8)
    var random = SeededGenerator(seed: 37)
    var accepted = 0
    for _ in 0..<20_000 {
      var changed = line
      for _ in 0..<random.number(1..<3) {
        let index = random.number(0..<changed.count)
        switch random.number(0..<3) {
        case 0: changed[index] = UInt8(random.number(0..<256))
        case 1: changed.remove(at: index)
        default:
          changed.insert(
            contentsOf: [Array(#""\{}[],:?#@/ 0tu"#.utf8).randomElement(using: &random) ?? 0], at: index)
        }
      }
      guard let value = RecordedVerification(line: changed) else { continue }
      accepted += 1
      let text = value.object("e", at: .recorded).text
      let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
      #expect(object?["event"] as? String == "verification", "\(text)")
    }
    #expect(accepted > 1000)
  }

  @Test func `bytes that are no UTF-8 are no result`() {
    for bytes: [UInt8] in [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0xaf]] {
      let line = Self.line.replacing("[]", with: #""|""#).utf8.flatMap {
        $0 == UInt8(ascii: "|") ? bytes : [$0]
      }
      #expect(RecordedVerification(line: line) == nil, "\(bytes)")
    }
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
