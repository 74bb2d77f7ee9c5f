// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Foundation
import ReachabilityHTTP
import ReachabilityTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The causes of errors, and their agreement with explanations of the network.
@Suite(.deadline) struct FailureExplanationTests {
  @Test(
    arguments: [
      (.cannotFindHost, .nameNotFound), (.dnsLookupFailed, .nameNotFound),
      (.notConnectedToInternet, .noRoute),
      (.dataNotAllowed, .noRoute), (.cannotConnectToHost, .cannotConnect), (.timedOut, .timedOut),
      (.networkConnectionLost, .connectionLost), (.secureConnectionFailed, .insecure),
      (.serverCertificateUntrusted, .insecure), (.cancelled, .cancelled), (.badServerResponse, .other),
      (.unsupportedURL, .other), (.unknown, .unclear),
    ] as [(URLError.Code, ReachabilityFailure.Cause)])
  func `a code of URLError has a cause`(_ code: URLError.Code, _ cause: ReachabilityFailure.Cause) {
    #expect(ReachabilityFailure.Cause(URLError(code)) == cause)
    #expect(
      ReachabilityFailure.Cause(NSError(domain: "kCFErrorDomainCFNetwork", code: code.rawValue)) == cause)
  }

  @Test(
    arguments: [
      (.ENETUNREACH, .noRoute), (.ENETDOWN, .noRoute), (.EHOSTUNREACH, .hostUnreachable),
      (.EADDRNOTAVAIL, .sourceMissing), (.EACCES, .prohibited), (.EPERM, .prohibited),
      (.ECONNREFUSED, .refused),
      (.ETIMEDOUT, .timedOut), (.ECONNRESET, .connectionLost), (.EPIPE, .connectionLost),
      (.ECANCELED, .cancelled),
      (.ENOENT, .other),
    ] as [(POSIXErrorCode, ReachabilityFailure.Cause)])
  func `an error number has a cause, alone and below another error`(
    _ code: POSIXErrorCode, _ cause: ReachabilityFailure.Cause
  ) {
    #expect(ReachabilityFailure.Cause(errorNumber: code.rawValue) == cause)
    #expect(ReachabilityFailure.Cause(POSIXError(code)) == cause)
    let number = NSError(domain: NSPOSIXErrorDomain, code: Int(code.rawValue))
    #expect(ReachabilityFailure.Cause(number) == cause)
    let stream = NSError(
      domain: NSURLErrorDomain, code: URLError.Code.cannotConnectToHost.rawValue,
      userInfo: ["_kCFStreamErrorDomainKey": 1, "_kCFStreamErrorCodeKey": Int(code.rawValue)])
    let below = NSError(
      domain: NSURLErrorDomain, code: URLError.Code.cannotConnectToHost.rawValue,
      userInfo: [NSUnderlyingErrorKey: number])
    // An error below that is not about the network adds nothing to the one above it.
    let expected = cause == .other ? .cannotConnect : cause
    #expect(ReachabilityFailure.Cause(stream) == expected)
    #expect(ReachabilityFailure.Cause(below) == expected)
  }

  @Test func `other errors have causes`() {
    #expect(ReachabilityFailure.Cause(CancellationError()) == .cancelled)
    #expect(ReachabilityFailure.Cause(CocoaError(.fileNoSuchFile)) == .other)
    #expect(ReachabilityFailure.Cause(errorNumber: -7) == .other)
    // As URLSession on Linux reports it.
    let openSSL = "error:0A000086:SSL routines::certificate verify failed"
    #expect(
      ReachabilityFailure.Cause(
        NSError(domain: NSURLErrorDomain, code: -1, userInfo: [NSLocalizedDescriptionKey: openSSL]))
        == .insecure)
    #expect(ReachabilityFailure.Cause(NSError(domain: "kCFErrorDomainCFNetwork", code: 1)) == .nameNotFound)
  }

  @Test(arguments: [
    "OpenSSL/3.0.15: error:0A00010B:SSL routines::wrong version number",
    "SSL certificate problem: unable to get local issuer certificate",
    "SSL: no alternative certificate subject name matches target host name 'a.test'",
    "OpenSSL SSL_connect: Connection reset by peer in connection to a.test:443",
    "TLS connect error: error:0A000126:SSL routines::unexpected eof while reading",
    "gnutls_handshake() failed: An unexpected TLS packet was received.",
    "Problem with the SSL CA cert (path? access rights?)",
  ])
  func `libcurl's texts about TLS mean an insecure connection`(_ text: String) {
    #expect(ReachabilityFailure.Cause(URLError(.unknown, text)) == .insecure)
  }

  @Test(arguments: [
    "Failed to connect to ssl.example.com port 443 after 3 ms: Couldn't connect to server",
    "Could not resolve proxy: tls-proxy.example.com",
    "transfer closed with outstanding read data remaining on certificate.example.com",
    "Recv failure: SSL is only a word here",
  ])
  func `a host name that mentions TLS does not mean an insecure connection`(_ text: String) {
    #expect(ReachabilityFailure.Cause(URLError(.unknown, text)) == .unclear)
  }

  @Test func `an error that contains itself is read to a limited depth`() {
    var error = NSError(domain: NSURLErrorDomain, code: -1)
    for _ in 0..<1000 {
      error = NSError(domain: NSURLErrorDomain, code: -1, userInfo: [NSUnderlyingErrorKey: error])
    }
    #expect(ReachabilityFailure.Cause(error) == .unclear)
  }

  // MARK: Agreement

  private static func explanation(
    _ status: ReachabilityStatus, _ steps: ReachabilityExplanation.Step...
  ) -> ReachabilityExplanation {
    ReachabilityExplanation(
      of: .address("10.9.0.1"), status: status, steps: steps, summary: "reachable over eth0")
  }

  private static let sound = explanation(
    .reachable(over: .wired), .init(.interface, .passed, fact: "eth0 is up"),
    .init(.route, .passed, fact: "default"))

  private static func failed(_ kind: ReachabilityExplanation.Step.Kind) -> ReachabilityExplanation {
    explanation(
      .notReachable(.noRoute),
      .init(kind, .failed, fact: "fact", problem: "Something is missing.", advice: "Add it."))
  }

  @Test(arguments: ReachabilityFailure.Cause.allCases)
  func `a cause agrees with its own steps and with no others`(
    _ cause: ReachabilityFailure.Cause
  ) {
    for kind in ReachabilityExplanation.Step.Kind.allCases {
      let failure = ReachabilityFailure(cause, Self.failed(kind))
      if cause.steps.contains(kind) {
        #expect(failure.agreement == .confirmed, "\(kind)")
        #expect(failure.step?.kind == kind)
        #expect(failure.summary.hasSuffix("; cause: Something is missing"))
      } else {
        let isUnrelated = [.insecure, .cancelled, .other].contains(cause)
        #expect(failure.agreement == (isUnrelated ? .unrelated : .otherTrouble), "\(kind)")
        #expect(failure.step == nil)
      }
    }
  }

  @Test(
    arguments: [
      (.nameNotFound, .recovered), (.noRoute, .recovered), (.hostUnreachable, .recovered),
      (.sourceMissing, .recovered),
      (.prohibited, .recovered), (.connectionLost, .beyond), (.refused, .beyond),
      (.cannotConnect, .beyond),
      (.timedOut, .beyond), (.unclear, .beyond), (.insecure, .unrelated), (.cancelled, .unrelated),
      (.other, .unrelated),
    ] as [(ReachabilityFailure.Cause, ReachabilityFailure.Agreement)])
  func `a network without problems yields an agreement for each cause`(
    _ cause: ReachabilityFailure.Cause, _ agreement: ReachabilityFailure.Agreement
  ) {
    let failure = ReachabilityFailure(cause, Self.sound)
    #expect(failure.agreement == agreement)
    #expect(failure.step == nil)
    #expect(!failure.summary.hasSuffix("."))
    if agreement == .recovered {
      #expect(failure.summary.hasSuffix("but the network has recovered: try again"))
    }
  }

  @Test func `a refusal is not a problem of the network`() {
    #expect(
      ReachabilityFailure(.refused, Self.sound).summary.hasPrefix(
        "the server refused the connection, and the path from this machine has no problem: "))
  }

  @Test func `the summary names the proxy that a request goes through`() throws {
    let proxy = try ReachabilityTarget("tcp://proxy.test:3128")
    let missing = ReachabilityFailure(.unclear, Self.failed(.name), proxy: proxy)
    #expect(missing.agreement == .confirmed)
    #expect(
      missing.summary
        == "requests go through the proxy at proxy.test:3128, and the request failed; cause: Something is missing"
    )
    #expect(
      ReachabilityFailure(.unclear, Self.sound, proxy: proxy).summary.hasSuffix(
        "check the proxy or the server"))
    #expect(
      ReachabilityFailure(.refused, Self.sound, proxy: proxy).summary.contains(
        "the proxy refused the connection"))
  }

  @Test func `an unresponsive next hop confirms a missing answer, though packets leave`() {
    let suspect = Self.explanation(
      .reachable(over: .wired),
      .init(.nextHop, .unknown, fact: "silent", problem: "The router did not answer.", advice: "Look."))
    for cause in [.timedOut, .hostUnreachable, .cannotConnect] as [ReachabilityFailure.Cause] {
      let failure = ReachabilityFailure(cause, suspect)
      #expect(failure.agreement == .confirmed)
      #expect(failure.step?.kind == .nextHop)
    }
    #expect(ReachabilityFailure(.refused, suspect).agreement == .beyond)
  }

  // MARK: Evidence

  private static let answering = TrafficEvidence(
    .answering, strength: .strong, received: .milliseconds(40), answeringPeers: 2)
  private static let stalled = TrafficEvidence(
    .stalled, strength: .strong, fault: .network, stalled: .seconds(3), stalledPeers: 2)

  @Test(
    arguments: [
      (.timedOut, "this server does not"), (.connectionLost, "so the other end probably closed this one"),
      (.cannotConnect, "so check the server"), (.unclear, "so check the server"),
    ] as [(ReachabilityFailure.Cause, String)])
  func `a missing answer is not the network's fault if other peers answer`(
    _ cause: ReachabilityFailure.Cause, _ end: String
  ) {
    let failure = ReachabilityFailure(cause, Self.sound, evidence: Self.answering)
    #expect(failure.agreement == .beyond)
    #expect(failure.step == nil)
    #expect(failure.evidence == Self.answering)
    let words = ", and the path from this machine has no problem: the network answers other connections, "
    #expect(failure.summary.hasSuffix(words + end), "\(failure.summary)")
    let proxy = ReachabilityFailure(cause, Self.sound, proxy: .address("10.9.0.9"), evidence: Self.answering)
    #expect(
      proxy.summary.hasSuffix(end.replacing("server", with: "proxy")), "\(proxy.summary)")
  }

  @Test func `a server whose host answers is not called silent`() {
    var explanation = Self.sound
    explanation.evidence = Self.answering
    #expect(
      ReachabilityFailure(.timedOut, explanation, evidence: Self.answering).summary.hasSuffix(
        "the server's host answers TCP, so the service on it is busy or stuck"))
  }

  @Test(arguments: [.timedOut, .connectionLost, .cannotConnect, .unclear] as [ReachabilityFailure.Cause])
  func `a network in which nothing answers confirms a missing answer`(_ cause: ReachabilityFailure.Cause) {
    let failure = ReachabilityFailure(cause, Self.sound, evidence: Self.stalled)
    #expect(failure.agreement == .confirmed)
    #expect(failure.step?.kind == .traffic)
    #expect(
      failure.summary.hasSuffix(
        "; cause: Nothing on this network answers: several peers stall, and none over the same path answers"
      ), "\(failure.summary)")
  }

  @Test(arguments: [TrafficEvidence.Fault.peer, .undetermined])
  func `a stall that is not the network's leaves the summary as it is`(_ fault: TrafficEvidence.Fault) {
    var evidence = Self.stalled
    evidence.fault = fault
    var explanation = Self.sound
    explanation.evidence = evidence
    explanation.steps.append(
      .init(.traffic, .unknown, fact: "1 peer stalls", problem: "It does not answer.", advice: "Look."))
    let failure = ReachabilityFailure(.timedOut, explanation, evidence: evidence)
    #expect(failure.agreement == .beyond)
    #expect(failure.summary == ReachabilityFailure(.timedOut, Self.sound).summary)
  }

  @Test func `old answers, other causes and other statuses make evidence say nothing`() {
    var old = Self.answering
    old.strength = .weak
    #expect(
      ReachabilityFailure(.timedOut, Self.sound, evidence: old).summary
        == ReachabilityFailure(.timedOut, Self.sound).summary)
    for cause in [.refused, .insecure, .cancelled, .other, .nameNotFound] as [ReachabilityFailure.Cause] {
      for evidence in [Self.answering, Self.stalled] {
        #expect(
          ReachabilityFailure(cause, Self.sound, evidence: evidence)
            == ReachabilityFailure(cause, Self.sound), "\(cause)")
      }
    }
    #expect(
      ReachabilityFailure(.timedOut, Self.failed(.route), evidence: Self.stalled)
        == ReachabilityFailure(.timedOut, Self.failed(.route)))
  }

  @Test func `explain(_:for:) uses the evidence of the network`() async throws {
    let network = SimulatedNetwork(.reachable(over: .wifi))
    let monitor = ReachabilityMonitor(simulating: network)
    let url = try #require(URL(string: "http://10.9.0.1:8080/x"))
    network.setEvidence(Self.answering)
    let server = try await monitor.explain(URLError(.timedOut), for: url)
    #expect(server.agreement == .beyond)
    #expect(server.summary.hasSuffix("the network answers other connections, this server does not"))
    network.setEvidence(Self.stalled)
    #expect(try await monitor.explain(URLError(.timedOut), for: url).step?.kind == .traffic)
    network.setEvidence(nil)
    #expect(try await monitor.explain(URLError(.timedOut), for: url).evidence == nil)
  }

  @Test func `an unknown status yields an unknown agreement`() {
    let failure = ReachabilityFailure(.noRoute, Self.explanation(.unknown(.systemError)))
    #expect(failure.agreement == .unknown)
  }

  @Test func `a simulated network explains errors as a real one does`() async throws {
    let network = SimulatedNetwork(.notReachable(.noRoute))
    let monitor = ReachabilityMonitor(simulating: network)
    let url = try #require(URL(string: "http://10.9.0.1:8080/x"))
    let error = URLError(.notConnectedToInternet)
    let failure = try await monitor.explain(error, for: url)
    #expect(failure.agreement == .confirmed)
    #expect(failure.step?.kind == .system)
    network.setStatus(.reachable(over: .wifi))
    #expect(try await monitor.explain(error, for: url).agreement == .recovered)
    #expect(
      try await monitor.explain(errorNumber: POSIXErrorCode.ECONNREFUSED.rawValue, for: url).agreement
        == .beyond)
    let bad = try #require(URL(string: "file:///etc/hosts"))
    await #expect(throws: ReachabilityTargetError.self) { try await monitor.explain(error, for: bad) }
  }
}
