// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Foundation
import ReachabilityHTTP
import ReachabilityKit
import Synchronization
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.deadline) struct `Verification run` {
  private let transport = ScriptedTransport([
    "http://a.test/": .status(204), "http://b.test/": .status(200), "http://lost.test/": .status(404),
    "http://dead.test/": .failure(.cannotConnectToHost), "http://silent.test/": .never,
    "http://caught.test/": .status(302, ["Location": "http://portal.test/login"]),
    "http://stopped.test/": .status(511),
    "http://api.test/": .status(
      200, ["Content-Type": "Application/Captive+JSON; charset=utf-8"],
      body: #"{"captive": true, "user-portal-url": "https://portal.test/"}"#),
    "http://free.test/": .status(
      200, ["Content-Type": "application/captive+json"], body: #"{"captive": false}"#),
    "http://html.test/": .status(200, ["Content-Type": "text/html"], body: #"{"captive": true}"#),
  ])

  private func verify(
    _ verification: ReachabilityVerification,
    _ progress: (ReachabilityVerification.Outcome) -> Void = { _ in }
  ) async throws -> ReachabilityVerification.Report {
    try await VerificationRun(verification, on: nil, over: transport)(reporting: progress)
  }

  /// A path whose first network may announce a portal API, and whose second one announces another.
  private func path(announcing announced: String?) -> ReachabilityPath {
    var interfaces = [2, 3].map {
      ReachabilityPath.Interface(ReachabilityInterface(name: "eth\($0)", index: $0, kind: .wired))
    }
    interfaces[0].captivePortalAPI = announced
    interfaces[1].captivePortalAPI = "https://other.test/"
    return ReachabilityPath(.satisfied, interfaces: interfaces)
  }

  private func verify(
    portal address: String, _ endpoints: String...
  ) async throws -> (ReachabilityVerification.Report, [String]) {
    var verification = ReachabilityVerification(endpoints.map { .url(URL.at($0)) })
    verification.portalAPI = .url(URL.at(address))
    return (try await verify(verification), transport.requested)
  }

  private func verdicts(_ report: ReachabilityVerification.Report) -> [String] {
    report.outcomes.map(\.description)
  }

  @Test func `all endpoints answer as expected`() async throws {
    var reported: [Int?] = []
    let report = try await verify(.init(of: "http://a.test/", "http://b.test/")) { reported.append($0.index) }
    #expect(report.state == .verified)
    #expect(verdicts(report) == ["http://a.test/ passed", "http://b.test/ passed"])
    #expect(Set(reported) == [0, 1] && reported.count == 2)
    // Neither expectation depends on a body.
    #expect(transport.limits == [0, 0])
  }

  @Test func `a body that decides is read up to a mebibyte`() async throws {
    let endpoint = ReachabilityVerification.Endpoint.url(
      URL.at("http://a.test/"), expecting: .body(contains: ""))
    _ = try await verify(ReachabilityVerification([endpoint]))
    #expect(transport.limits == [1_048_576])
  }

  @Test(.timeLimit(.minutes(10)))
  func `with any, the first success cancels the other attempts`() async throws {
    let report = try await verify(
      .init(of: "http://silent.test/", "http://a.test/", "http://silent.test/", until: .any))
    #expect(report.state == .verified)
    #expect(verdicts(report) == ["http://a.test/ passed"])
    #expect(transport.cancelled == ["http://silent.test/", "http://silent.test/"])
  }

  @Test(.timeLimit(.minutes(10)))
  func `with all, the first failure cancels the other attempts`() async throws {
    let report = try await verify(.init(of: "http://silent.test/", "http://lost.test/"))
    #expect(report.state == .failed)
    #expect(verdicts(report) == ["http://lost.test/ expected status 200 to 299, found status 404"])
    #expect(transport.cancelled == ["http://silent.test/"])
  }

  @Test(.timeLimit(.minutes(10)))
  func `a share is decided before the last answer`() async throws {
    let verification = ReachabilityVerification(
      of: "http://silent.test/", "http://a.test/", "http://b.test/", "http://dead.test/",
      until: .share(of: 0.5))
    let report = try await verify(verification)
    #expect(report.state == .verified)
    #expect(transport.cancelled == ["http://silent.test/"])
  }

  @Test func `a failed request fails the verification with the system's reason`() async throws {
    let report = try await verify(.init(of: "http://dead.test/"))
    #expect(report.state == .failed)
    let outcome = try #require(report.outcomes.first)
    guard case .notConnected(let failure) = outcome.verdict else {
      Issue.record("\(outcome)")
      return
    }
    #expect(failure.code == .url(.cannotConnectToHost))
  }

  @Test func `an answer that is too late fails the verification`() async throws {
    let report = try await verify(.init(of: "http://silent.test/", timeout: .milliseconds(50)))
    #expect(report.state == .failed)
    #expect(verdicts(report) == ["http://silent.test/ timed out"])
    #expect(transport.cancelled == ["http://silent.test/"])
  }

  @Test func `a captive portal is neither verified nor failed`() async throws {
    let login = URL(string: "http://portal.test/login")
    #expect(try await verify(.init(of: "http://caught.test/")).state == .captivePortal(login))
    #expect(try await verify(.init(of: "http://stopped.test/")).state == .captivePortal(nil))
    // The outcome with an address is more specific.
    let both = ReachabilityVerification(of: "http://stopped.test/", "http://caught.test/", until: .any)
    #expect(try await verify(both).state == .captivePortal(login))
    let another = ReachabilityVerification(of: "http://caught.test/", "http://a.test/", until: .any)
    #expect(try await verify(another).state == .verified)
  }

  @Test func `connections are verified`() async throws {
    let verification = ReachabilityVerification(
      [
        .connection(to: try ReachabilityTarget("10.9.0.1"), port: 22),
        .connection(to: try ReachabilityTarget("fd00:9::1"), port: 23),
      ], .any)
    #expect(try await verify(verification).state == .verified)
    let other = ReachabilityVerification([.connection(to: try ReachabilityTarget("fd00:9::1"), port: 23)])
    let report = try await verify(other)
    #expect(report.state == .failed)
    #expect(verdicts(report) == ["tcp://[fd00:9::1]:23 not connected: Connection refused"])
    let refusal = try await verify(.init([.connection(to: .defaultRoute, port: 23)]))
    #expect(verdicts(refusal) == ["default tcp port 23 not connected: there is no connecting to default"])
  }

  @Test func `the portal API that the first network announces is queried, and no other`() async throws {
    var verification = ReachabilityVerification(of: "http://b.test/")
    verification.portalAPI = .announced
    let caught = try await VerificationRun(
      verification, on: path(announcing: "http://api.test/"), over: transport)(reporting: { _ in })
    #expect(caught.state == .captivePortal(URL(string: "https://portal.test/")))
    #expect(transport.requested == ["http://api.test/"])
    let free = try await VerificationRun(
      verification, on: path(announcing: nil), over: transport)(reporting: { _ in })
    #expect(free.state == .verified && free.portalOutcome == nil)
    #expect(transport.requested == ["http://api.test/", "http://b.test/"])
  }

  @Test func `a captive answer of the portal API ends the run`() async throws {
    let (report, requested) = try await verify(portal: "http://api.test/", "http://a.test/")
    let page = URL(string: "https://portal.test/")
    #expect(report.state == .captivePortal(page))
    #expect(report.portal == ReachabilityVerification.CaptivePortal(isCaptive: true, userPortalURL: page))
    #expect(report.outcomes.isEmpty)
    #expect(requested == ["http://api.test/"])
  }

  @Test func `a free answer of the portal API does not decide for endpoints`() async throws {
    let (report, requested) = try await verify(portal: "http://free.test/", "http://lost.test/")
    #expect(report.state == .failed)
    #expect(report.portal == ReachabilityVerification.CaptivePortal(isCaptive: false))
    #expect(report.portalOutcome?.isPassed == true)
    #expect(requested == ["http://free.test/", "http://lost.test/"])
    #expect(transport.types == ["application/captive+json", nil])
    var verification = ReachabilityVerification(of: "http://lost.test/")
    verification.portalAPI = .url(URL.at("http://free.test/"))
    var reported: [Int?] = []
    _ = try await verify(verification) { reported.append($0.index) }
    #expect(reported == [nil, 0])
  }

  @Test(arguments: [
    ("http://html.test/", "expected the type application/captive+json, found 'text/html'"),
    ("http://lost.test/", "expected status 200, found status 404"),
    ("http://caught.test/", "expected status 200, found status 302 to http://portal.test/login"),
  ])
  func `an invalid answer of the portal API is ignored`(_ address: String, _ verdict: String) async throws {
    let (report, _) = try await verify(portal: address, "http://a.test/")
    #expect(report.state == .verified)
    #expect(report.portal == nil)
    #expect(report.portalOutcome?.description == "\(address) \(verdict)")
  }

  @Test func `a portal API that answers with the status 511 ends the run`() async throws {
    let (report, requested) = try await verify(portal: "http://stopped.test/", "http://a.test/")
    #expect(report.state == .captivePortal(nil))
    #expect(report.portalOutcome?.verdict == .captivePortal(nil) && report.portal == nil)
    #expect(requested == ["http://stopped.test/"])
  }

  @Test func `without endpoints the portal API decides`() async throws {
    #expect(try await verify(portal: "http://free.test/").0.state == .verified)
    #expect(try await verify(portal: "http://dead.test/").0.state == .failed)
    for name in ["urn:ietf:params:capport:unrestricted", "URN:IETF:params:capport:unrestricted"] {
      let (report, requested) = try await verify(portal: name, "http://b.test/")
      #expect(report.state == .verified)
      #expect(report.portalOutcome?.isPassed == true)
      #expect(requested.last == "http://b.test/" && !requested.contains { $0.lowercased().hasPrefix("urn") })
    }
  }

  @Test func `without endpoints and portal API the state is unknown`() async throws {
    #expect(try await verify(.init([])).state == .unknown)
  }

  @Test(.timeLimit(.minutes(10)))
  func `cancellation ends a run`() async throws {
    let transport = transport
    let task = Task {
      try await VerificationRun(
        .init(of: "http://silent.test/", "http://silent.test/"), on: nil, over: transport)(
          reporting: { _ in })
    }
    try await eventually { transport.requested.count == 2 }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(transport.cancelled.count == 2)
  }

  @Test func `no endpoint is contacted after the decision`() async throws {
    var addresses = ["http://a.test/"] + Array(repeating: "http://silent.test/", count: 15)
    addresses.append("http://b.test/")
    let report = try await verify(ReachabilityVerification(addresses.map { .url(URL.at($0)) }, .any))
    #expect(report.state == .verified)
    #expect(!transport.requested.contains("http://b.test/"))
  }

  @Test func `the verification's timeout is the only time limit`() async throws {
    var request = URLRequest(url: .endpoint)
    request.timeoutInterval = 0.2
    let verification = ReachabilityVerification([.request(request)], timeout: .seconds(120))
    #expect(try await verify(verification).state == .verified)
    #expect(transport.timeouts == [.seconds(120)])
  }

  @Test func `a run that is cancelled before it begins contacts no endpoint`() async throws {
    let transport = transport
    let task = Task {
      try? await Task.sleep(for: .seconds(3600))
      return try await VerificationRun(.init([]), on: nil, over: transport)(reporting: { _ in })
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `outcomes are in the order of their endpoints, not of the answers`() async throws {
    transport.set(.held, for: "http://held.test/")
    var reported: [Int?] = []
    let verification = ReachabilityVerification(
      of: "http://held.test/", "http://a.test/", timeout: .seconds(3600))
    let report = try await verify(verification) { outcome in
      reported.append(outcome.index)
      transport.release()
    }
    #expect(reported == [1, 0])
    #expect(report.outcomes.map(\.index) == [0, 1])
  }

  @Test func `sixteen endpoints are contacted concurrently, the next one after an answer`() async throws {
    transport.set(.held, for: "http://held.test/")
    let transport = transport
    let endpoints = Array(
      repeating: ReachabilityVerification.Endpoint.url(URL.at("http://held.test/")), count: 40)
    // Other tests may occupy all threads for longer than a short timeout.
    let verification = ReachabilityVerification(endpoints, timeout: .seconds(3600))
    async let report = VerificationRun(verification, on: nil, over: transport)(reporting: { _ in })
    for answered in 0..<40 {
      try await eventually { transport.requested.count == min(answered + 16, 40) }
      transport.release()
    }
    #expect(try await report.state == .verified)
  }

  @Test func `many endpoints are contacted until the threshold is met`() async throws {
    let endpoints = (0..<100).map {
      ReachabilityVerification.Endpoint.url(URL.at("http://\($0 < 99 ? "a" : "dead").test/"))
    }
    var reported = 0
    let report = try await verify(ReachabilityVerification(endpoints, .share(of: 0.99))) { _ in reported += 1
    }
    #expect(report.state == .verified)
    #expect(reported >= 99)
  }

  @Test func `user information, query and fragment are not shown`() {
    let endpoint = ReachabilityVerification.Endpoint.url(URL.at("http://user:secret@a.test/x?y#z"))
    #expect(endpoint.description == "http://a.test/x")
    #expect(endpoint.target == (try? ReachabilityTarget("http://a.test")))
  }

  @Test func `equality of reports ignores durations`() {
    let one = ReachabilityVerification.Outcome(index: 0, endpoint: "a", .passed, duration: .seconds(1))
    let other = ReachabilityVerification.Outcome(index: 0, endpoint: "a", .passed, duration: .seconds(2))
    #expect(one == other && one.hashValue == other.hashValue)
    #expect(
      ReachabilityVerification.Report(.verified, outcomes: [one])
        == ReachabilityVerification.Report(.verified, outcomes: [other]))
    #expect(
      one != ReachabilityVerification.Outcome(index: 0, endpoint: "a", .timedOut, duration: .seconds(1)))
  }
}
