// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import Foundation
import LiveSupport
import ReachabilityKit
import Testing

@testable import ReachabilityHTTP

/// Hostile servers, and requests through proxies, other networks and other address families.
@Suite(.needsPortal, .serialized, .deadline) struct `Hostile answers` {
  private static let sample = Result { try PortalLab() }

  private let lab: PortalLab

  init() throws {
    lab = try Self.sample.get()
    try lab.trust("site")
  }

  private static let notHTTP = "expected an HTTP answer, found "

  /// The name of an answer and its verdicts: without a body, and with `--expect-body ok`; `=` if both are equal.
  private static let answers: [(name: String, status: String, body: String)] = [
    ("trailer", "passed", "passed"),
    ("cut", notHTTP + "an answer that ends within its header fields", "="),
    ("cut-status", "not connected: Empty reply from server", "="),
    ("no-realm", "expected status 200 to 299, found status 401", "="),
    ("digest", "expected status 200 to 299, found status 401", "="),
    ("ssh", notHTTP + "no HTTP status line", "="),
    ("bare", notHTTP + "no HTTP status line", "="),
    ("low", notHTTP, "="),
    ("high", notHTTP, "="),
    ("empty", "not connected: Empty reply from server", "="),
    ("early", "passed", "passed"),
    ("hints", "expected status 200 to 299, found status 404", "="),
    ("chunks", "passed", notHTTP),
    ("huge", notHTTP, "="),
    ("long", notHTTP + "a line that is longer than libcurl accepts", "="),
    ("line", notHTTP + "a line that is longer than libcurl accepts", "="),
    ("status-line", notHTTP + "a line that is longer than libcurl accepts", "="),
    ("zero", notHTTP, "="),
    ("folded", "passed", "passed"),
    ("switch", "expected status 200 to 299, found status 101", "="),
    ("two", notHTTP, "="),
    ("location", "expected status 200 to 299, found status 302", "="),
    ("encoding", "passed", notHTTP),
    ("length", notHTTP + "Invalid Content-Length", "="),
    ("lengths", "passed", "not connected: transfer closed"),
  ]

  // Slow: 25 answers, four commands each.
  @Test(arguments: answers)
  func `every answer ends with a verdict`(_ name: String, _ status: String, _ body: String)
    throws
  {
    for server in ["http://site.test:8080", "https://site.test:8443"] {
      let url = "\(server)/\(name)"
      for (options, words) in [([], status), (["--expect-body", "ok"], body == "=" ? status : body)] {
        // Far longer than any of these answers takes.
        let outcome = try lab.start([url, "--timeout", "60s"] + options).finish()
        // Over TLS an end without close_notify may be reported as a failure.
        let line = "  \(url)  \(words)"
        let isOfTLS = server.hasPrefix("https") && outcome.output.contains("  \(url)  not connected: ")
        #expect(outcome.output.contains(line) || isOfTLS, "\(outcome)")
        #expect(outcome.status == (words == "passed" ? 0 : 1), "\(outcome)")
        #expect(outcome.errors == "")
      }
    }
  }

  @Test func `the first of two addresses is that of the portal`() throws {
    let outcome = try lab.verify("http://site.test:8080/locations")
    #expect(outcome.output.hasPrefix("captive portal at http://login.test/?a\n"), "\(outcome)")
  }

  @Test func `a proxy that answers with the status 511 is a captive portal`() throws {
    let outcome = try lab.start(
      ["https://site.test/204"], environment: ["https_proxy": "http://10.1.0.253:8080"]
    ).finish()
    #expect(outcome.status == 1 && outcome.output.hasPrefix("captive portal\n"), "\(outcome)")
  }

  @Test func `a portal API that answers with the status 511 is a captive portal`() throws {
    let outcome = try lab.verify("http://site.test/204", "--portal-api", "http://site.test/511")
    #expect(outcome.status == 1 && outcome.output.hasPrefix("captive portal\n"), "\(outcome)")
  }

  @Test func `a request's own time limit is ignored`() throws {
    let words = ["verify", "limit", "0.2", "http://site.test/late"]
    let outcome = try lab.start(words, of: "RequestProgram").finish()
    #expect(outcome == Outcome(status: 0, output: "passed\nverified\n"))
  }

  /// A lab in which a lookup fails after two seconds.
  private static func labWithoutAnswers() throws -> PortalLab {
    try PortalLab(resolver: "search .\nnameserver 10.2.0.1\noptions timeout:2 attempts:1\n")
  }

  @Test func `an unresponsive name server uses a bounded number of threads`() throws {
    let lab = try Self.labWithoutAnswers()
    let outcome = try lab.start(["crowd", "http://site.test/204"], of: "RequestProgram").finish()
    let threads = try #require(Int(outcome.output.trimmingCharacters(in: .newlines)), "\(outcome)")
    // Two for each of 64 requests, and those of the runtime and the monitor.
    #expect((64...160).contains(threads))
  }

  @Test(arguments: ["10.1.0.253", "near.test"])
  func `time spent waiting for others' lookups does not count`(_ host: String) throws {
    let lab = try Self.labWithoutAnswers()
    let outcome = try lab.start(
      ["crowd", "http://site.test/204", "http://\(host)/204"], of: "RequestProgram"
    ).finish()
    #expect(outcome == Outcome(status: 0, output: "[passed]\n"))
  }

  @Test func `servers see the name of the command`() throws {
    let outcome = try lab.verify(
      "http://site.test/headers", "--expect-body", "User-Agent: reachability-verify")
    #expect(outcome.status == 0, "\(outcome)")
  }

  @Test func `IPv6 addresses can be requested, with zones too`() throws {
    let lab = try PortalLab()
    try lab.home.batch("address add 2001:db8::1/64 dev eth0 nodad\naddress add fe80::1/64 dev eth0 nodad")
    try lab.away.batch("address add 2001:db8::5/64 dev peer0 nodad\naddress add fe80::5/64 dev peer0 nodad")
    for network in [lab.home, lab.away] { try network.awaitAddresses() }
    for url in ["http://[2001:db8::5]:8081/204", "http://[fe80::5%25eth0]:8081/204"] {
      let outcome = try lab.verify(url)
      #expect(outcome.status == 0, "\(outcome)")
    }
  }

  // Slow: 60 commands.
  @Test func `a list of hosts without proxy is read as this libcurl reads it`() throws {
    let lab = try PortalLab()
    try lab.home.batch("address add 2001:db8::1/64 dev eth0 nodad")
    try lab.away.batch("address add 2001:db8::5/64 dev peer0 nodad")
    for network in [lab.home, lab.away] { try network.awaitAddresses() }
    let lists = [
      "0.0.0.0/0", "::/0", "10.1.0.253/8", "10.0.0.1/8x", "10.0.0.0/33", "10.0.0.0/-1", "10.1.0.253/",
      "10.0.0.0/+8",
      "2001:db8::/32", "2001:db8::/29", "2001:db8::5", "2001:db8::5/128", "[2001:db8::5]", "*", " *",
      "*,site.test",
      "site.test", "other.test site.test", "other.test;site.test", "..site.test", ".test.",
    ]
    for list in lists {
      for address in ["http://10.1.0.253/204", "http://[2001:db8::5]:8081/204", "http://site.test/204"] {
        let environment = ["http_proxy": "10.1.0.253:81", "no_proxy": list]
        let outcome = try lab.start([address], environment: environment).finish()
        let url = try #require(URL(string: address))
        let usesProxy = ProxySettings(environment: environment).proxy(of: url) != nil
        #expect(outcome.output.contains("10.1.0.253 port 81") == usesProxy, "\(list): \(outcome)")
        #expect(outcome.output.hasPrefix("verified\n") != usesProxy, "\(list): \(outcome)")
      }
    }
  }

  @Test func `a watch fails when its proxy becomes unreachable`() throws {
    let lab = try PortalLab()
    let command = try lab.start(
      ["--watch", "--json", "--timeout", "1s", "http://10.3.0.1/204"],
      environment: ["http_proxy": "http://10.1.0.253:80"])
    func next(_ word: String) throws {
      while !(try command.nextLine().contains("\"verification\":\"\(word)\"")) {}
    }
    try next("verified")
    try lab.home.ip("route add blackhole 10.1.0.253/32")
    try next("failed")
    try lab.home.ip("route delete blackhole 10.1.0.253/32")
    try next("verified")
    command.send(SIGINT)
    #expect(try command.finish().status == 0)
  }

  @Test func `a monitor of another network sends its requests there`() async throws {
    let lab = lab
    let monitor = try ReachabilityMonitor(in: .path(lab.home.path))
    let url = try #require(URL(string: "http://10.1.0.253/204"))
    let report = try await monitor.verify(ReachabilityVerification([.url(url)]))
    #expect(report.state == .verified, "\(report)")
    // The resolver's files are known only for a named network namespace.
    let name = try #require(URL(string: "http://site.test/204"))
    let other = try await monitor.verify(ReachabilityVerification([.url(name)]))
    #expect(
      other.outcomes.map(\.verdict.description) == [
        "not connected: \(ReachabilityStatus.Reason.namesNotResolved.description)"
      ])
  }
}
#endif
