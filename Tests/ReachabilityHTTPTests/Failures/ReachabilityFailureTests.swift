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
    network.set(.reachable(over: .wifi))
    #expect(try await monitor.explain(error, for: url).agreement == .recovered)
    #expect(
      try await monitor.explain(errorNumber: POSIXErrorCode.ECONNREFUSED.rawValue, for: url).agreement
        == .beyond)
    let bad = try #require(URL(string: "file:///etc/hosts"))
    await #expect(throws: ReachabilityTargetError.self) { try await monitor.explain(error, for: bad) }
  }
}
