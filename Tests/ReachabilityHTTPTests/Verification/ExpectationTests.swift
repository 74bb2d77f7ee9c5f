// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Foundation
import ReachabilityHTTP
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.deadline) struct `Expectations` {
  private func mismatch(_ expectation: ReachabilityVerification.Expectation, _ answer: HTTPAnswer) -> String?
  {
    expectation.mismatch(answer.response, answer.body).map { "\($0.expected): \($0.found)" }
  }

  @Test func `a status matches one value or a range`() {
    #expect(mismatch(.success, .made(204)) == nil)
    #expect(mismatch(.success, .made(299)) == nil)
    #expect(mismatch(.success, .made(300)) == "status 200 to 299: status 300")
    #expect(mismatch(.status(404), .made(404)) == nil)
    #expect(mismatch(.status(204), .made(200)) == "status 204: status 200")
    let redirect = HTTPAnswer.made(302, ["Location": "/login"])
    #expect(mismatch(.status(204), redirect) == "status 204: status 302 to /login")
    #expect(mismatch(.status(204), .made(201, ["Location": "/new"])) == "status 204: status 201")
  }

  @Test func `a header field has one value, and the case of its name is ignored`() {
    let answer = HTTPAnswer.made(200, ["X-Served-By": "ours"])
    #expect(mismatch(.header("x-served-by", equals: "ours"), answer) == nil)
    #expect(mismatch(.header("X-Served-By", equals: "Ours"), answer) == "header X-Served-By 'Ours': 'ours'")
    #expect(mismatch(.header("Server", equals: "ours"), answer) == "header Server 'ours': no such header")
  }

  @Test func `a body contains, equals or matches a text`() throws {
    let answer = HTTPAnswer.made(200, body: "ready: größer 42\n")
    #expect(mismatch(.body(contains: "größer"), answer) == nil)
    #expect(mismatch(.body(contains: ""), .made(200)) == nil)
    #expect(mismatch(.body(contains: "steady"), .made(200)) == "a body with 'steady': no body")
    #expect(mismatch(.body(equals: "ready: größer 42\n"), answer) == nil)
    #expect(mismatch(.body(equals: "ready"), answer)?.hasPrefix("the body 'ready': a body of ") == true)
    #expect(mismatch(.body(equals: "b"), .made(200, body: "a")) == "the body 'b': a body of 1 byte: 'a'")
    #expect(mismatch(try .body(matches: "größer [0-9]+"), answer) == nil)
    #expect(
      mismatch(try .body(matches: "^[0-9]+"), answer)?.hasPrefix("a body that matches '^[0-9]+': ") == true)
    #expect(throws: (any Error).self) { try ReachabilityVerification.Expectation.body(matches: "(") }
  }

  @Test func `a long body is shown in part`() {
    let shown = String(repeating: "ä", count: 80)
    #expect(
      mismatch(.body(contains: "b"), .made(200, body: shown))
        == "a body with 'b': a body of 160 bytes: '\(shown)'")
    let answer = HTTPAnswer.made(200, body: String(repeating: "ä", count: 1000))
    #expect(mismatch(.body(contains: "b"), answer) == "a body with 'b': a body of 2000 bytes: '\(shown)…'")
  }

  @Test(.timeLimit(.minutes(10)))
  func `a pattern with endless backtracking does not match`() throws {
    let begin = ContinuousClock.now
    let answer = HTTPAnswer.made(200, body: String(repeating: "a", count: 5000) + "b")
    #expect(mismatch(try .body(matches: "(a|a)*$x"), answer) != nil)
    #expect(mismatch(try .body(matches: "^(([a-z])+.)+[A-Z]$"), answer) != nil)
    #expect(ContinuousClock.now - begin < .seconds(20))
  }

  @Test func `a closure receives status and body`() {
    let expectation = ReachabilityVerification.Expectation.satisfying("a short body") {
      $0.statusCode == 200 && $1.count < 3
    }
    #expect(mismatch(expectation, .made(200, body: "ok")) == nil)
    #expect(
      mismatch(expectation, .made(200, body: "long")) == "a short body: status 200, a body of 4 bytes: 'long'"
    )
  }

  @Test func `the first condition that is not met is described`() {
    let both = ReachabilityVerification.Expectation.status(200).and(.header("A", equals: "1")).and(
      .body(contains: "x"))
    #expect(both.description == "status 200 and header A '1' and a body with 'x'")
    #expect(mismatch(both, .made(200, ["A": "1"], body: "x")) == nil)
    #expect(mismatch(both, .made(404)) == "status 200: status 404")
    #expect(mismatch(both, .made(200, ["A": "1"])) == "a body with 'x': no body")
  }

  @Test func `a body is read only if a condition depends on it`() {
    #expect(!ReachabilityVerification.Expectation.success.and(.header("A", equals: "1")).needsBody)
    #expect(ReachabilityVerification.Expectation.success.and(.body(contains: "x")).needsBody)
    #expect(ReachabilityVerification.Expectation.satisfying("anything") { _, _ in true }.needsBody)
  }
}
