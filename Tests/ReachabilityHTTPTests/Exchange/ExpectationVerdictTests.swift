// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Foundation
import ReachabilityHTTP
import Testing

@Suite(.deadline) struct `Verdicts on answers` {
  private func verdict(
    _ code: Int, _ location: String? = nil, from address: String = "http://a.test/x",
    expecting expectation: ReachabilityVerification.Expectation = .success
  ) throws -> ReachabilityVerification.Outcome.Verdict {
    let url = try #require(URL(string: address))
    return expectation.verdict(
      on: .made(code, location.map { ["Location": $0] } ?? [:], from: url), from: url)
  }

  private static let login = URL.at("http://portal.test/login")

  @Test(arguments: [301, 302, 303, 307, 308])
  func `a redirect to an unrelated host is a captive portal`(_ code: Int) throws {
    #expect(try verdict(code, "http://portal.test/login") == .captivePortal(Self.login))
    #expect(try verdict(code, "//portal.test/login") == .captivePortal(Self.login))
  }

  @Test(arguments: ["http://user@a.test/x", "http://a.test/x?word", "http://a.test/x#word"])
  func `a portal's page has no query if the URL may be secret`(_ address: String) throws {
    #expect(try verdict(302, "http://portal.test/login?to=word", from: address) == .captivePortal(Self.login))
    #expect(try verdict(511, "http://portal.test/login?to=word", from: address) == .captivePortal(Self.login))
    let page = URL(string: "http://portal.test/login?to=word")
    #expect(try verdict(302, "http://portal.test/login?to=word") == .captivePortal(page))
  }

  @Test(arguments: ["https://a.test/x", "/x"])
  func `a redirect is shown without its query`(_ location: String) throws {
    let expected = ReachabilityVerification.Outcome.Verdict.unexpected(
      expected: "status 200 to 299", found: "status 301 to \(location)")
    #expect(try verdict(301, location + "?word", from: "http://a.test/x?word") == expected)
  }

  @Test func `an expected redirect is no captive portal`() throws {
    #expect(try verdict(302, "http://portal.test/login", expecting: .status(302)) == .passed)
  }

  @Test(arguments: [
    "/login", "https://a.test/x", "http://www.a.test/", "http://A.TEST./", "javascript:alert(1)", "http://",
    "", "data:,x",
  ])
  func `a redirect to the host itself, or to no web page, is no captive portal`(_ location: String) throws {
    let verdict = try verdict(302, location)
    guard case .unexpected(let expected, _) = verdict else {
      Issue.record("\(verdict)")
      return
    }
    #expect(expected == "status 200 to 299")
  }

  @Test func `a redirect from a subdomain to its domain is no captive portal`() throws {
    let expected = ReachabilityVerification.Outcome.Verdict.unexpected(
      expected: "status 200 to 299", found: "status 301 to http://a.test/")
    #expect(try verdict(301, "http://a.test/", from: "http://www.a.test/") == expected)
  }

  @Test func `a redirect over https is no captive portal`() throws {
    let expected = ReachabilityVerification.Outcome.Verdict.unexpected(
      expected: "status 200 to 299", found: "status 302 to http://portal.test/login")
    #expect(try verdict(302, "http://portal.test/login", from: "https://a.test/") == expected)
  }

  @Test func `the status 511 is a captive portal, with and without an address`() throws {
    #expect(try verdict(511) == .captivePortal(nil))
    #expect(try verdict(511, "http://portal.test/login") == .captivePortal(Self.login))
    #expect(try verdict(511, "javascript:alert(1)") == .captivePortal(nil))
  }

  @Test func `another status is unexpected`() throws {
    let verdict404 = ReachabilityVerification.Outcome.Verdict.unexpected(
      expected: "status 200 to 299", found: "status 404")
    #expect(try verdict(404) == verdict404)
    #expect(try verdict(404, "http://portal.test/login") == verdict404)
  }

  @Test(arguments: [300, 399])
  func `an unexpected redirect is described with its address`(_ status: Int) throws {
    let expected = ReachabilityVerification.Outcome.Verdict.unexpected(
      expected: "status 200 to 299", found: "status \(status) to http://portal.test/login")
    #expect(try verdict(status, "http://portal.test/login", from: "https://a.test/") == expected)
  }
}

@Suite(.deadline) struct `Portal API answers` {
  @Test func `all members of RFC 8908 are read`() throws {
    let json = """
      {"captive": true, "user-portal-url": "https://portal.test/login", "venue-info-url": "https://venue.test/",
       "can-extend-session": true, "seconds-remaining": 326, "bytes-remaining": 12, "else": [1]}
      """
    let portal = try #require(ReachabilityVerification.CaptivePortal(json: Data(json.utf8)))
    #expect(
      portal
        == ReachabilityVerification.CaptivePortal(
          isCaptive: true, userPortalURL: URL(string: "https://portal.test/login"),
          venueInformationURL: URL(string: "https://venue.test/"), canExtendSession: true,
          remainingTime: .seconds(326), remainingBytes: 12))
  }

  @Test func `no time and no bytes may remain`() {
    let json = #"{"captive": true, "seconds-remaining": 0, "bytes-remaining": 0}"#
    #expect(
      ReachabilityVerification.CaptivePortal(json: Data(json.utf8))
        == ReachabilityVerification.CaptivePortal(
          isCaptive: true, remainingTime: .zero, remainingBytes: 0))
  }

  @Test(arguments: [
    "", "{}", "[]", "null", "true", "{\"captive\": \"yes\"}", "{\"captive\": 1}", "{\"captive\": null}",
    "{\"captive\": true",
    String(repeating: "[", count: 100_000),
  ])
  func `an answer without a valid member captive is rejected`(_ json: String) {
    #expect(ReachabilityVerification.CaptivePortal(json: Data(json.utf8)) == nil)
  }

  @Test(arguments: [
    "\"user-portal-url\": \"javascript:alert(1)\"", "\"user-portal-url\": 7", "\"user-portal-url\": \"\"",
    "\"seconds-remaining\": -1", "\"seconds-remaining\": 1e300", "\"seconds-remaining\": \"7\"",
    "\"bytes-remaining\": -5", "\"bytes-remaining\": 1.5", "\"can-extend-session\": \"no\"",
  ])
  func `other members with invalid values are ignored`(_ member: String) {
    let json = "{\"captive\": true, \(member)}"
    #expect(
      ReachabilityVerification.CaptivePortal(json: Data(json.utf8))
        == ReachabilityVerification.CaptivePortal(isCaptive: true))
  }
}
