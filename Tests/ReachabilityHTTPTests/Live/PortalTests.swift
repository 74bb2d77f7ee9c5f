// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import Testing

/// A portal whose name server answers every name with its address, and that redirects every request.
@Suite(.needsPortal, .serialized, .deadline) struct `Captive portals` {
  private static let path = "  path satisfied eth0 (wired) via 10.1.0.254, ipv4, dns\n"

  @Test func `a captive portal differs from a dead and from a working server`() throws {
    let lab = try PortalLab(isCaptive: true)
    let caught = try lab.verify("http://site.test/204")
    let page = "captive portal at http://portal.test/login"
    #expect(caught == Outcome(status: 1, output: "\(page)\n\(Self.path)  http://site.test/204  \(page)\n"))
    // The portal answers for every name, so every connection is established.
    #expect(try lab.verify("tcp://site.test:80").status == 0)
    // The portal has no certificate for the site.
    let secure = try lab.verify("https://site.test/204", "--timeout", "5s")
    #expect(secure.status == 1 && secure.output.hasPrefix("not verified\n"), "\(secure)")
    let dead = try lab.verify("http://10.1.0.253:81/")
    #expect(dead.output.hasPrefix("not verified\n"))
  }

  @Test func `a captive network is not queried further`() throws {
    let lab = try PortalLab(isCaptive: true)
    let api = "http://portal.test/api"
    let caught = try lab.verify("http://site.test/204", "--portal-api", api)
    let page = "captive portal at http://portal.test/login"
    #expect(caught == Outcome(status: 1, output: "\(page)\n\(Self.path)  \(api)  \(page)\n"))
    #expect(try lab.verify("http://portal.test/accept").status == 0)
    let free = try lab.verify("http://site.test/204", "--portal-api", api)
    #expect(
      free
        == Outcome(
          status: 0, output: "verified\n\(Self.path)  \(api)  passed\n  http://site.test/204    passed\n"))
  }

  @Test func `the status 511 needs no redirect`() throws {
    let lab = try PortalLab()
    let outcome = try lab.verify("http://site.test/511")
    #expect(
      outcome
        == Outcome(status: 1, output: "captive portal\n\(Self.path)  http://site.test/511  captive portal\n"))
    let elsewhere = try lab.verify("http://site.test/elsewhere")
    #expect(elsewhere.output.hasPrefix("captive portal at http://portal.test/login\n"))
  }

  @Test func `a released portal is noticed by the next verification`() throws {
    let lab = try PortalLab(isCaptive: true)
    let command = try lab.start(["--watch", "--every", "100ms", "--json", "http://site.test/204"])
    #expect(try command.nextLine().contains(#""verification":"unknown""#))
    let caught = try command.nextLine()
    #expect(
      caught.contains(
        #""verification":"captivePortal","portal":"http://portal.test/login","path":"satisfied""#))
    #expect(try lab.verify("http://portal.test/accept").status == 0)
    let free = try command.nextLine()
    #expect(free.contains(#""verification":"verified","portal":null,"path":"satisfied""#))
  }
}

@Suite(.needsPortal, .serialized, .deadline) struct `Watching verifications` {
  @Test func `a link that comes back is verified again`() throws {
    let lab = try PortalLab()
    let command = try lab.start(["--watch", "--timeout", "2s", "http://10.1.0.253/204"])
    let prefix = "TIME  "
    func next(_ state: String) throws {
      while true {
        let line = try command.nextLine()
        guard line.hasPrefix(prefix) else { continue }
        if line == prefix + state { return }
        // A change of the path may arrive in several steps.
        #expect(line == prefix + "unknown" || line == prefix + "not verified", "\(line)")
      }
    }
    #expect(try command.nextLine() == "TIME  unknown")
    try next("verified")
    #expect(try command.nextLine() == "  path satisfied eth0 (wired) via 10.1.0.254, ipv4, dns")
    #expect(try command.nextLine() == "  http://10.1.0.253/204  passed")
    try lab.away.ip("link set peer0 down")
    try next("unknown")
    let path = try command.nextLine()
    #expect(path.hasPrefix("  path unsatisfied: no carrier"), "\(path)")
    try next("not verified")
    // The kernel asks for the site's link address three times, also without a carrier. If the last of these questions is
    // lost before the link is back, the next connection fails with them.
    try lab.home.ip("neigh flush dev eth0")
    try lab.away.ip("link set peer0 up")
    try next("verified")
    command.send(SIGINT)
    #expect(try command.finish().status == 0)
  }

  @Test func `without an interval no endpoint is contacted again`() throws {
    let lab = try PortalLab()
    // The page differs on each request.
    let once = try lab.start(["--watch", "--json", "http://site.test/count", "--expect-body", "nothing"])
    _ = try once.nextLine()
    #expect(try once.nextLine().contains("found\":\"a body of 1 byte: '1'\""))
    // Five further requests prove that time has passed.
    let often = try lab.start([
      "--watch", "--json", "--every", "100ms", "--count", "6", "http://site.test/count", "--expect-body",
      "nothing",
    ])
    let numbers = try often.finish().output.matches(of: /a body of 1 byte: '([0-9])'/).map { $0.output.1 }
    #expect(numbers == ["2", "3", "4", "5", "6"])
    once.send(SIGTERM)
    let rest = try once.finish()
    #expect(rest.status == 0 && !rest.output.contains("'2'"))
  }

  @Test func `a reader that closes the pipe ends the watch, even without a change`() throws {
    let lab = try PortalLab()
    let command = try lab.start(["--watch", "http://10.1.0.253/204"])
    // After this line nothing is written.
    while try command.nextLine() != "  http://10.1.0.253/204  passed" {}
    command.closeOutput()
    #expect(try command.exitStatus(within: RunningCommand.timeLimit) == 0)
  }
}
#endif
