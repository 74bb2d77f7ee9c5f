// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import DeadlineSupport
import Testing

@testable import ReachabilityHistory

@Suite(.deadline) struct `The lines of a record` {
  private typealias Outcome = Result<RecordLine, RecordProblem.Kind>

  private static let start = #"{"version":1,"time":"2026-11-23T08:00:00.000Z","uptimeMicroseconds":5000,"#
  private static let rests = [
    #""event":"heartbeat"}"#,
    #""lost":7,"event":"resume"}"#,
    #""machine":"db1","boot":"b","run":"r","program":"1","targets":[],"heartbeatSeconds":60,"event":"start"}"#,
    #""target":"a.test","status":"reachable","reason":null,"interface":"eth0","gateway":null,"event":"change"}"#,
    #""path":"satisfied","interfaces":[{"name":"eth0","addresses":["10.1.0.1/24"],"gateways":["a"]}],"#
      + #""unusableInterfaces":[{"name":"eth1","reason":"noCarrier"}],"event":"initial"}"#,
    #""endpoint":"x","verification":"failed","endpoints":[{"outcome":"o","error":"e"}],"#
      + #""event":"verification"}"#,
  ]

  /// What follows the times and is no line of `record`, or hardly.
  private static let otherRests = [
    // White space, escapes, other orders, and text beyond ASCII.
    " \t\"event\" : \"heartbeat\" }\r", #""\u0065vent":"heartbeat"}"#, #""event":"heart\u0062eat"}"#,
    #""event":"change","status":"reachable","target":"\ud83d\ude00 \"é\n"}"#,
    #""event":"change","status":"reachable","target":"e\#u{301}"}"#,
    #""event":"change","status":"reachable","target":"\#u{e9}"}"#,
    // Members that are there already, or twice.
    #""time":"2027-01-01T00:00:00.000Z","event":"heartbeat"}"#, #""time":3,"event":"heartbeat"}"#,
    #""t\u0069me":"2027-01-01T00:00:00.000Z","event":"heartbeat"}"#,
    #""uptimeMicroseconds":9,"event":"heartbeat"}"#, #""uptimeMicroseconds":-1.5,"event":"heartbeat"}"#,
    #""version":2,"event":"heartbeat"}"#, #""version":"x","event":"heartbeat"}"#,
    #""event":"heartbeat","event":"resume","lost":3}"#, #""event":"resume","lost":3,"lost":4}"#,
    // Numbers.
    #""event":"resume","lost":99999999999999999999}"#, #""event":"resume","lost":-3}"#,
    #""event":"resume","lost":1.5}"#, #""event":"resume","lost":1e2}"#, #""event":"resume","lost":1e999}"#,
    #""event":"resume","lost":01}"#, #""event":"resume","lost":"3"}"#, #""event":"resume","lost":null}"#,
    // No object, or one and more.
    "", "}", #""event":"heartbeat""#, #""event":"heartbeat"}}"#, #""event":"heartbeat"} x"#,
    #""event":"heartbeat"}{}"#, #""event":"heartbeat",}"#, #","event":"heartbeat"}"#, #""event":}"#,
    #""event":"\x"}"#, #""event":"\ud800"}"#, "\"event\":\"\u{1}\"}", "\"event\":\"heartbeat\"}\u{0}",
    #""event":3}"#, #""event":null}"#, #""event":"change"}"#, #""event":"change","path":[]}"#,
    #""event":"change","path":"satisfied","interfaces":[{}]}"#, #""event":"heartbeat","x":tru}"#,
  ]

  /// Other beginnings, and the same with other times.
  private static let starts =
    [
      start,
      #"{"version":1,"time":"2026-11-23T08:01:00.000Z","uptimeMicroseconds":60005000,"#,
      #"{"version":1,"time":"2026-11-23t10:00:00.5+02:00","uptimeMicroseconds":0,"#,
      #" {"version":1,"time":"2026-11-23T08:00:00.000Z","uptimeMicroseconds":5000,"#,
      #"{"version": 1, "time": "2026-11-23T08:00:00.000Z", "uptimeMicroseconds": 5000, "#,
      #"{"time":"2026-11-23T08:00:00.000Z","version":1,"uptimeMicroseconds":5000,"#,
      #"{"version":2,"time":"2026-11-23T08:00:00.000Z","uptimeMicroseconds":5000,"#,
      #"{"version":1,"time":"2026-11-23\u005408:00:00.000Z","uptimeMicroseconds":5000,"#,
      #"{"version":1,"time":"2026-13-23T08:00:00.000Z","uptimeMicroseconds":5000,"#,
      #"{"version":1,"time":"","uptimeMicroseconds":5000,"#,
      #"{"version":1,"time":"\","uptimeMicroseconds":5000,"#,
      #"{"version":1,"time":null,"uptimeMicroseconds":5000,"#, #"{"version":1,"uptimeMicroseconds":5000,"#,
      #"{"version":1,"time":"2026-11-23T08:00:00.000Z","#, "{", "", "[",
    ] + uptimes.map { #"{"version":1,"time":"2026-11-23T08:00:00.000Z","uptimeMicroseconds":\#($0),"# }

  private static let uptimes = [
    "-1", "-0", "+1", "007", "1.0", "1.5", "1e3", "1 ", " 1", "", "null", "\"1\"", "0x1", "1_0", "\u{661}",
    "315576000000000000", "315576000000000001", "9223372036854775807", "9223372036854775808",
    "99999999999999999999999",
  ]

  private func whole(_ line: [UInt8]) -> Outcome {
    Result { () throws(RecordProblem.Kind) in try RecordLine(line[...]) }
  }

  private func remembered(_ line: [UInt8], _ decoder: inout LineDecoder) -> Outcome {
    do throws(RecordProblem.Kind) { return .success(try decoder.line(line[...])) } catch {
      return .failure(error)
    }
  }

  @Test func `a line reads the same whether the reader remembers its rest or not`() {
    var decoder = LineDecoder()
    // Twice: what the first round remembers is the answer of the second one.
    for _ in 0..<2 {
      for start in Self.starts {
        for rest in Self.rests + Self.otherRests {
          let line = Array((start + rest).utf8)
          #expect(remembered(line, &decoder) == whole(line), "\(start)\(rest)")
        }
      }
    }
  }

  @Test func `a shortened line, and one with a changed byte, read the same too`() {
    var decoder = LineDecoder()
    for rest in Self.rests {
      let line = Array((Self.start + rest).utf8)
      #expect((try? whole(line).get()) != nil && remembered(line, &decoder) == whole(line))
      for index in line.indices {
        let part = Array(line[..<index])
        #expect(remembered(part, &decoder) == whole(part), "\(index) bytes of \(rest)")
        for byte in [UInt8(ascii: "\""), 0, 0x80, line[index] ^ 1] {
          var changed = line
          changed[index] = byte
          #expect(remembered(changed, &decoder) == whole(changed), "\(byte) at \(index) of \(rest)")
        }
      }
    }
  }

  @Test func `more different lines than the reader remembers read the same`() {
    var decoder = LineDecoder()
    for number in (0..<3000).map({ $0 % 1500 }) {
      let line = Array("\(Self.start)\"lost\":\(number),\"event\":\"resume\"}".utf8)
      #expect(remembered(line, &decoder) == whole(line))
    }
  }

  @Test func `the beginning of what this version writes is read apart`() throws {
    var object = JSONObject(at: .recorded)
    object.add("event", "heartbeat")
    let start = try #require(LineStart(Array(object.text.utf8)[...]))
    #expect(String(decoding: start.rest, as: UTF8.self) == #""event":"heartbeat"}"#)
  }

  @Test(arguments: [
    (#"x"#, RecordProblem.Kind.notJSON), (#"{"a":1"#, .notJSON), (#"{"a":1} x"#, .notJSON), ("", .notJSON),
    ("[1]", .foreign), ("3", .foreign), ("{}", .foreign), (#"{"version":"1"}"#, .foreign),
    (#"{"time":"2026-11-23T08:00:00.000Z","uptimeMicroseconds":-1,"event":"x"}"#, .foreign),
    (#"{"time":"2026-11-23T08:00:00.000Z","uptimeMicroseconds":315576000000000001,"event":"x"}"#, .foreign),
    (start + #""event":3}"#, .foreign), (start + #""event":"resume","lost":"3"}"#, .foreign),
    // Foundation does not tell a number that is no integer from what is no JSON.
    (start + #""event":"resume","lost":1.5}"#, .notJSON),
  ])
  func `what is no JSON differs from JSON that is no line of a record`(text: String, kind: RecordProblem.Kind)
  {
    #expect(whole(Array(text.utf8)) == .failure(kind))
  }

  @Test(arguments: ["[", #"{"a":"#, "[{\"a\":"]) func `deep nesting is rejected, not followed`(
    opening: String
  ) {
    let deep = Self.start + #""x":"# + String(repeating: opening, count: 100_000)
    #expect(whole(Array(deep.utf8)) == .failure(.notJSON))
    let closed =
      Self.start + #""x":"# + String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
      + #","event":"heartbeat"}"#
    #expect(whole(Array(closed.utf8)) == .failure(.notJSON))
  }
}
