// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking

@testable import CommandLineSupport
@testable import ReachabilityHTTP
@testable import ReachabilityKit
@testable import ReachabilityVerifyCLI

extension Check {
  /// The readers of server data in a verification, and its output.
  static let verification = [
    Check("CaptivePortal") { bytes throws(Finding) in
      guard let portal = ReachabilityVerification.CaptivePortal(json: Data(bytes)) else { return }
      try expect(portal.remainingTime.map { $0 >= .zero } ?? true, "a negative time")
      try expect(portal.remainingBytes.map { $0 >= 0 } ?? true, "\(portal.remainingBytes ?? 0) bytes")
      for page in [portal.userPortalURL, portal.venueInformationURL] {
        try expect(
          page.map(\.isForBrowsers) ?? true, "a page that is no web page: \(String(describing: page))")
      }
    },
    Check("Redirect") { bytes throws(Finding) in
      let texts = bytes.texts + ["", ""]
      let headers = ["Location": texts[0], "Content-Type": texts[1]]
      guard let url = URL(string: "http://a.test/x"),
        let response = HTTPURLResponse(
          url: url, statusCode: 302, httpVersion: "HTTP/1.1", headerFields: headers)
      else { return }
      let answer = HTTPAnswer(response, body: Data(bytes))
      let never = ReachabilityVerification.Expectation.satisfying("another") { _, _ in false }
      switch never.verdict(on: answer, from: url) {
      case .captivePortal(let page):
        try expect(
          page.map(\.isForBrowsers) ?? false, "a page that is no web page: \(String(describing: page))")
        try expect(
          page?.host()?.lowercased() != "a.test", "a redirect to the host itself is a captive portal")
      case .unexpected(_, let found):
        // Two excerpts of 81 characters, and the words around them.
        try expect(found.unicodeScalars.count < 220, "\(found.unicodeScalars.count) characters for an answer")
      default: throw Finding(claim: "neither a captive portal nor unexpected")
      }
    },
    Check("VerifyInvocation") { bytes throws(Finding) in
      let invocation: VerifyInvocation
      do throws(UsageError) {
        invocation = try VerifyInvocation(
          ParsedOptions(["reachability-verify"] + bytes.texts, of: VerifyInvocation.description))
      } catch {
        try expect(!error.problems.isEmpty && !error.hint.isEmpty, "an error without problem or hint")
        try expectHarmless(error.hint, "hint")
        for problem in error.problems { try expectHarmless(problem.escapedForTerminal, "problem") }
        return
      }
      let verification = invocation.verification
      try expect(!verification.endpoints.isEmpty, "a verification without endpoints")
      for endpoint in verification.endpoints {
        try expect(endpoint.target != nil, "\(endpoint) has no target to observe")
      }
      let century = Duration.milliseconds(1) ... .seconds(3_155_760_000)
      try expect(century.contains(verification.timeout), "a timeout of \(verification.timeout)")
      try expect(invocation.pause.map(century.contains) ?? true, "every \(invocation.pause ?? .zero)")
      try expect(invocation.count.map { $0 > 0 } ?? true, "a count of \(invocation.count ?? 0)")
    },
    Check("VerificationText") { bytes throws(Finding) in
      let texts = bytes.texts + ["", "", ""]
      let verdicts: [ReachabilityVerification.Outcome.Verdict] = [
        .unexpected(expected: texts[0], found: texts[1]), .notConnected(.init(.other, text: texts[2])),
        .captivePortal(URL(string: texts[0])),
      ]
      let outcomes = verdicts.enumerated().map {
        ReachabilityVerification.Outcome(index: $0, endpoint: texts[1], $1)
      }
      let report = ReachabilityVerification.Report(.captivePortal(URL(string: texts[0])), outcomes: outcomes)
      let status = ReachabilityVerification.VerifiedStatus(
        path: ReachabilityPath(.satisfied), report: report, isCurrent: true)
      let text = screen.text { VerificationText(isJSON: false, output: $0).write(status, .verify) }
      let lines = text.utf8.count { $0 == UInt8(ascii: "\n") }
      try expect(lines == 5, "\(lines) lines, not 5")
      try expectHarmless(text, "line", but: "\n")
      let object = screen.text { VerificationText(isJSON: true, output: $0).write(status, .verify) }
      try expect(object.utf8.count { $0 == UInt8(ascii: "\n") } == 1, "an object of more than a line")
      try expectHarmless(object, "object", but: "\n")
      let endpoints = try parsed(object)["endpoints"] as? [[String: Any]] ?? []
      try expect(endpoints.count == 3, "\(endpoints.count) endpoints, not 3")
    },
  ]
}
