// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Testing

@testable import ReachabilityHistory

@Suite(.deadline) struct `Verifications in a report` {
  private func history(_ record: RecordText) throws -> History {
    try #require(try History(RecordText.reader(record.text)))
  }

  /// A path that stays satisfied, and endpoints whose verification fails after a second.
  private func failing(_ state: String, _ outcome: String, of names: String...) -> RecordText {
    var record = RecordText()
    record.start(0)
    record.path(0, "satisfied", usable: #""name":"eth0","addresses":[],"gateways":["10.1.0.254"]"#)
    for name in names { record.verification(0, "unknown", name: name) }
    for name in names { record.verification(1000, "verified", #""outcome":"passed""#, name: name) }
    for name in names { record.verification(5000, state, outcome, name: name) }
    for name in names { record.verification(7000, "verified", #""outcome":"passed""#, name: name) }
    record.add(10_000, #""event":"stop""#)
    return record
  }

  @Test func `a verified endpoint is reachable, another one is not`() throws {
    for state in ["failed", "captivePortal"] {
      let history = try history(failing(state, #""outcome":"timedOut""#, of: "http://a.test/"))
      #expect(history.sums("http://a.test/") == [7000, 2000, 1000, 0])
      #expect(history.lanes.map(\.kind) == [.path, .verification, .interface])
    }
    let later = try history(failing("odd", #""outcome":"odd""#, of: "http://a.test/"))
    #expect(later.sums("http://a.test/") == [7000, 0, 3000, 0])
    #expect(later.lanes[1].steps.map(\.reason) == [nil, nil, nil, nil])
  }

  @Test func `the path is not what a line about an endpoint says`() throws {
    var record = failing("failed", #""outcome":"timedOut""#, of: "http://a.test/")
    record.path(9000, "unsatisfied", "noRoute")
    record.verification(9500, "failed", #""outcome":"timedOut""#)
    record.add(10_000, #""event":"stop""#)
    #expect(try history(record).sums("path") == [9000, 1000, 0, 0])
  }

  @Test func `a target and the verification of the same name are two lanes`() throws {
    var record = failing("failed", #""outcome":"timedOut""#, of: "http://a.test/")
    record.target(9000, "reachable", name: "http://a.test/")
    record.add(10_000, #""event":"stop""#)
    let lanes = try history(record).lanes.filter { $0.name == "http://a.test/" }
    #expect(lanes.map(\.kind) == [.target, .verification])
    #expect(lanes.map { $0.totals[.reachable] } == [1000, 7000])
  }

  @Test(arguments: [
    (
      #""outcome":"unexpected","portal":null,"expected":"status 200 to 299","found":"status 500","error":null"#,
      "an unexpected answer: status 500", Fault.server
    ),
    (
      #""outcome":"notConnected","portal":null,"found":null,"error":"Connection refused""#,
      "no answer: Connection refused", nil
    ),
    (#""outcome":"timedOut","error":null"#, "no answer in time", nil),
    (
      #""outcome":"captivePortal","portal":"http://p.test/""#, "a captive portal answered: http://p.test/",
      .portal
    ),
    (#""outcome":"music""#, "music", nil),
  ])
  func `a cause has the outcome and what was found`(outcome: String, text: String, fault: Fault?) throws {
    let history = try history(failing("failed", outcome, of: "http://a.test/"))
    #expect(history.incidents.map(\.cause.text) == [text + "; the path stayed satisfied"])
    #expect(history.incidents.map(\.fault) == [fault])
  }

  @Test func `a cause counts a target of the same name that failed, too`() throws {
    var record = RecordText()
    record.start(0)
    record.target(0, "reachable", name: "http://a.test/")
    record.verification(0, "verified", #""outcome":"passed""#)
    record.target(1000, "notReachable", "noRoute", name: "http://a.test/")
    record.verification(1500, "failed", #""outcome":"timedOut""#)
    record.add(2000, #""event":"stop""#)
    let causes = try history(record).incidents.map(\.cause.text)
    #expect(
      causes == ["no route, eth0 via 10.1.0.254", "no answer in time; 1 other target failed with it"])
  }

  @Test func `redaction hides endpoints and what was found`() throws {
    let outcome = #""outcome":"notConnected","error":"Failed to connect to 10.1.0.253""#
    let record = failing("failed", outcome, of: "http://b.test/", "http://a.test/")
    let redacted = try history(record).redacted
    #expect(redacted.lanes.map(\.name) == ["path", "endpoint 1", "endpoint 2", "interface 1"])
    #expect(
      redacted.incidents.map(\.cause.text)
        == Array(repeating: "no answer: detail 1; the path stayed satisfied", count: 2))
  }

  @Test func `the page has the kind and the reason in words`() throws {
    let history = try history(failing("failed", #""outcome":"timedOut""#, of: "http://a.test/"))
    let page = HTMLPage(history, generated: 0).text
    #expect(page.contains(#""names":["path","http://a.test/","eth0"],"lanes":[[0,0],[3,0],[4,0]]"#))
    #expect(page.contains(#""reasons":["no answer in time"]"#))
  }
}
