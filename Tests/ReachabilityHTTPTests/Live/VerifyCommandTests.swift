// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import Testing

/// The output and exit status of the command with real servers.
@Suite(.needsPortal, .serialized, .deadline) struct `Verifying real servers` {
  private static let sample = Result { try PortalLab() }

  private let lab: PortalLab

  init() throws { lab = try Self.sample.get() }

  private static let path = "path satisfied eth0 (wired) via 10.1.0.254, ipv4, dns"

  private func report(_ first: String, _ lines: String...) -> String {
    ([first, "  " + Self.path] + lines.map { "  " + $0 }).map { $0 + "\n" }.joined()
  }

  @Test func `expected answers are verified`() throws {
    let outcome = try lab.verify("http://site.test/204", "http://site.test/page", "tcp://site.test:80")
    let text = report(
      "verified", "http://site.test/204   passed", "http://site.test/page  passed",
      "tcp://site.test:80     passed")
    #expect(outcome == Outcome(status: 0, output: text))
  }

  @Test(arguments: [
    ("http://site.test/lost", "expected status 200 to 299, found status 404"),
    ("http://site.test/moved", "expected status 200 to 299, found status 301 to http://www.site.test/"),
    ("http://site.test/nowhere", "expected status 200 to 299, found status 302"),
    (
      "http://10.1.0.253:81/",
      "not connected: Failed to connect to 10.1.0.253 port 81: Connection refused"
    ),
    ("http://unknown.test/", "not connected: Could not resolve host: unknown.test"),
    ("http://site.test/hang-up", "not connected: Empty reply from server"),
    ("tcp://10.1.0.253:81", "not connected: Connection refused"),
    ("tcp://unknown.test:80", "not connected: no such name"),
  ])
  func `an unexpected or missing answer is described`(_ address: String, _ verdict: String) throws {
    let outcome = try lab.verify(address)
    #expect(outcome == Outcome(status: 1, output: report("not verified", "\(address)  \(verdict)")))
  }

  @Test(arguments: ["http://site.test/silent", "http://10.2.0.1/", "tcp://10.2.0.1:80"])
  func `an unresponsive endpoint ends with a timeout`(_ address: String) throws {
    let outcome = try lab.verify(address, "--timeout", "200ms")
    #expect(outcome == Outcome(status: 1, output: report("not verified", "\(address)  timed out")))
  }

  @Test func `a body is read only if a condition depends on it`() throws {
    #expect(try lab.verify("http://site.test/half").status == 0)
    let outcome = try lab.verify("http://site.test/half", "--expect-body", "whole", "--timeout", "200ms")
    #expect(outcome.output.hasSuffix("http://site.test/half  timed out\n"))
  }

  @Test func `status and text are compared`() throws {
    let page = "http://site.test/page"
    #expect(try lab.verify(page, "--expect-status", "200", "--expect-body", "größer").status == 0)
    #expect(try lab.verify("http://site.test/lost", "--expect-status", "400-499").status == 0)
    let other = try lab.verify(page, "--expect-body", "smaller")
    let found = "expected a body with 'smaller', found a body of 19 bytes: 'ready: größer 42\\u{a}'"
    #expect(other == Outcome(status: 1, output: report("not verified", "\(page)  \(found)")))
  }

  @Test func `a server's text is escaped for terminals`() throws {
    let outcome = try lab.verify("http://site.test/hostile", "--expect-body", "x")
    let found = #"found a body of 12 bytes: '\u{1b}[2J\u{d}\u{a}evil"#
    #expect(outcome.output.contains(found), "\(outcome)")
    #expect(!outcome.output.unicodeScalars.contains { $0.value < 32 && $0 != "\n" })
  }

  @Test func `an endless body uses little memory`() throws {
    let outcome = try lab.verify("http://site.test/endless", "--expect-body", "y")
    #expect(outcome.output.contains("found a body of 1048576 bytes: 'xxx"), "\(outcome)")
    let words = ["memory", "http://site.test/page", "http://site.test/endless"]
    let growth = try lab.start(words, of: "RequestProgram").finish(within: .seconds(60))
    let kilobytes = try #require(
      Int(growth.output.trimmingCharacters(in: .whitespacesAndNewlines)), "\(growth)")
    // A few bodies and their copies.
    #expect(kilobytes < 32 * 1024)
  }

  @Test func `neither cookies nor answers are kept`() throws {
    let outcome = try lab.verify(
      "http://site.test/cookie", "http://site.test/cookie", "http://site.test/cookie")
    #expect(outcome.status == 0, "\(outcome)")
  }

  @Test func `any, share and all differ`() throws {
    let targets = ["http://site.test/204", "http://site.test/page", "http://site.test/lost"]
    func status(_ options: String...) throws -> Int32 { try lab.start(targets + options).finish().status }
    #expect(try status() == 1)
    #expect(try status("--all") == 1)
    #expect(try status("--any") == 0)
    #expect(try status("--share", "66%") == 0)
    #expect(try status("--share", "67%") == 1)
  }

  @Test func `with any, one success ends the other attempts`() throws {
    let outcome = try lab.verify(
      "--any", "http://site.test/silent", "http://site.test/204", "--timeout", "1h")
    #expect(outcome == Outcome(status: 0, output: report("verified", "http://site.test/204  passed")))
  }

  @Test(.needsLineSchema) func `JSON output matches the schema`() throws {
    for arguments in [["http://site.test/lost", "tcp://site.test:80"], ["http://site.test/204"]] {
      let outcome = try lab.start(["--json"] + arguments).finish()
      try #expect(LineSchema.problems(in: outcome.output) == "")
    }
  }

  @Test func `JSON output is one object`() throws {
    let outcome = try lab.verify("--json", "http://site.test/lost", "tcp://site.test:80")
    let object = try #require(
      JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    #expect(object["verification"] as? String == "failed")
    #expect(object["path"] as? String == "satisfied")
    #expect(object["isCurrent"] as? Bool == true)
    #expect(object["event"] as? String == "verify")
    let endpoints = try #require(object["endpoints"] as? [[String: Any]])
    let lost = try #require(endpoints.first { $0["endpoint"] as? String == "http://site.test/lost" })
    #expect(lost["outcome"] as? String == "unexpected")
    #expect(lost["expected"] as? String == "status 200 to 299")
    #expect(lost["found"] as? String == "status 404")
    #expect(lost["milliseconds"] is Int)
  }

  @Test(arguments: [
    "http://mallory:hu/sh@10.1.0.253:9", "mallory:hu#sh@10.1.0.253:9", "other://mallory:hush@10.1.0.253:9",
    "http://mallory:12/hush@10.1.0.253:9", "http://hush/@10.1.0.253:9",
  ])
  func `a proxy's password is not printed`(_ proxy: String) throws {
    for options in [[], ["--json"]] {
      let outcome = try lab.start(["http://site.test/204"] + options, environment: ["http_proxy": proxy])
        .finish()
      #expect(outcome.status == 1, "\(outcome)")
      let text = (outcome.output + outcome.errors).lowercased()
      #expect(!text.contains("hu") && !text.contains("mallory") && text.contains("proxy"), "\(outcome)")
    }
  }

  @Test func `progress is shown on a terminal only`() throws {
    let targets = ["http://site.test/204", "http://site.test/page"]
    let seen = try lab.start(targets, terminals: [.errors]).finish()
    let lines = seen.errors.split(separator: "\n")
    #expect(lines.first == "verifying 2 targets")
    #expect(Set(lines.dropFirst().map { $0.drop { $0 != ":" } }) == Set(targets.map { ": \($0) passed" }))
    #expect(try lab.start(targets).finish().errors == "")
  }

  @Test(arguments: [
    ("header", "ours", "passed"), ("header", "theirs", "expected header X-Served-By 'theirs', found 'ours'"),
    ("equals", "ready: größer 42\n", "passed"),
    ("equals", "ready", "expected the body 'ready', found a body of 19 bytes: 'ready: größer 42\n'"),
    ("matches", "größer [0-9]+\\n", "passed"),
    ("matches", "^42", "expected a body that matches '^42', found a body of 19 bytes: 'ready: größer 42\n'"),
    ("closure", "19", "passed"),
    ("closure", "7", "expected a length of 7, found status 200, a body of 19 bytes: 'ready: größer 42\n'"),
  ])
  func `header, body and closure expectations are verified`(_ kind: String, _ word: String, _ verdict: String)
    throws
  {
    let words = ["verify", kind, word, "http://site.test/page"]
    let outcome = try lab.start(words, of: "RequestProgram").finish()
    let state = verdict == "passed" ? "verified" : "failed"
    #expect(outcome == Outcome(status: 0, output: "\(verdict)\n\(state)\n"))
  }

  @Test func `the answer to HEAD has no body, although it has the length of one`() throws {
    let words = ["verify", "method", "HEAD", "http://site.test/page"]
    let outcome = try lab.start(words, of: "RequestProgram").finish()
    #expect(outcome == Outcome(status: 0, output: "passed\nverified\n"))
  }

  @Test func `the host's certificate decides over https`() throws {
    try lab.trust("stranger")
    let outcome = try lab.verify("https://site.test/204")
    #expect(
      outcome.output.hasPrefix("not verified\n") && outcome.output.contains("certificate"), "\(outcome)")
    try lab.trust("site")
    let trusted = try lab.verify("https://site.test/204")
    #expect(trusted.status == 0, "\(trusted)")
    // Only the site itself can redirect here.
    let moved = try lab.verify("https://site.test/elsewhere")
    #expect(moved.output.contains("found status 302 to http://portal.test/login"), "\(moved)")
  }
}
#endif
