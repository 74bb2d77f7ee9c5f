// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import LiveSupport
import Testing

/// Explanations of real requests that fail.
@Suite(.needsNameServer, .serialized, .deadline) struct `Failed requests` {
  private func explain(_ words: String..., in lab: NameLab) throws -> [String] {
    let outcome = try lab.start(["explain"] + words, of: "RequestProgram").finish()
    try #require(outcome.status == 0, "\(outcome.errors)")
    return outcome.output.split(separator: "\n").map(String.init)
  }

  @Test func `a name that does not exist`() throws {
    let lines = try explain("http://missing.test/", in: .sample())
    #expect(lines.prefix(2) == ["code -1003", "nameNotFound confirmed name"])
    #expect(
      lines.last == "the name could not be resolved; cause: The name missing.test does not exist")
  }

  @Test func `no route`() throws {
    let lines = try explain("http://10.77.0.1/", in: .sample())
    #expect(lines.count == 3 && lines[1].hasSuffix(" confirmed route"), "\(lines)")
  }

  @Test func `a server that refuses`() throws {
    let lines = try explain("http://10.1.0.1:9/", in: .sample())
    #expect(lines.first == "code -1004")
    #expect(lines.count == 3 && lines[1].hasSuffix(" beyond -"), "\(lines)")
  }

  @Test func `a next hop that does not answer`() throws {
    let lab = try NameLab()
    // This address is unassigned; the kernel sends three ARP requests before it gives up.
    try lab.network.writeSysctl("net/ipv4/neigh/eth0/retrans_time_ms", "50")
    let lines = try explain("http://10.1.0.8/", in: lab)
    #expect(lines.count == 3 && lines[1].hasSuffix(" confirmed nextHop"), "\(lines)")
  }

  @Test func `a server that sends no answer`() throws {
    let lab = try NameLab()
    let listener = try Listener(in: lab.network)
    let lines = try explain("http://10.1.0.1:\(listener.port)/", "1", in: lab)
    #expect(lines.prefix(2) == ["code -1001", "timedOut beyond -"], "\(lines)")
  }

  @Test func `no route to a name server`() throws {
    let lab = try NameLab(settings: "search .\nnameserver 10.77.0.53\noptions timeout:1 attempts:1\n")
    let lines = try explain("http://a.test/", in: lab)
    #expect(lines.prefix(2) == ["code -1003", "nameNotFound confirmed nameServer"], "\(lines)")
  }

  @Test func `a server that is insecure, or closes the connection`() throws {
    let lab = try NameLab()
    let listener = try Listener(in: lab.network)
    let url = "https://10.1.0.1:\(listener.port)/"
    let plain = try lab.start(["explain", url], of: "RequestProgram")
    _ = try listener.acceptedSource(replying: "HTTP/1.0 400 this is not TLS\r\n\r\n")
    #expect(try plain.nextLine().hasPrefix("code -1"))
    #expect(try plain.nextLine() == "insecure unrelated -")
    _ = try plain.finish()

    let broken = try lab.start(["explain", url.replacing("https", with: "http")], of: "RequestProgram")
    _ = try listener.acceptedSource()
    _ = try broken.nextLine()
    let line = try broken.nextLine()
    #expect(
      ["connectionLost beyond -", "unclear beyond -", "other unrelated -"].contains(line), "\(line)")
    _ = try broken.finish()
  }

  @Test func `a proxy whose name does not exist, or that refuses`() throws {
    let lab = try NameLab.sample()
    func explain(through proxy: String) throws -> [String] {
      let request = try lab.start(
        ["explain", "http://10.1.0.1/"], of: "RequestProgram", environment: ["http_proxy": proxy])
      return try request.finish().output.split(separator: "\n").map(String.init)
    }
    let unknown = try explain(through: "missing.test:3128")
    #expect(unknown.count == 3 && unknown[1].hasSuffix(" confirmed name"), "\(unknown)")
    #expect(
      unknown.last?.hasPrefix("requests go through the proxy at missing.test:3128, and ") == true,
      "\(unknown)")
    #expect(unknown.last?.hasSuffix("The name missing.test does not exist") == true, "\(unknown)")
    let closed = try explain(through: "10.1.0.1:9")
    #expect(closed.count == 3 && closed[1].hasSuffix(" beyond -"), "\(closed)")
    #expect(
      closed.last?.hasSuffix("the path to the proxy has no problem: check the proxy or the server") == true,
      "\(closed)"
    )
  }

  @Test func `a link that was down and is up again`() throws {
    let lab = try NameLab()
    try lab.network.ip("link set eth0 down")
    let request = try lab.start(["explain", "http://10.1.0.8/", "10", "wait"], of: "RequestProgram")
    #expect(try request.nextLine().hasPrefix("code -"))
    try lab.network.ip("link set eth0 up")
    let line = try request.nextLine()
    // URL sessions on Linux do not distinguish a missing route from a refusal.
    #expect(["noRoute recovered -", "cannotConnect beyond -", "unclear beyond -"].contains(line), "\(line)")
    _ = try request.finish()
  }

  // MARK: Evidence

  /// Requests a URL in a lab until the explanation says a text, since a stall is known after some timeouts.
  private func explain(_ url: String, in lab: UpstreamLab, until text: String) throws -> String {
    let deadline = ContinuousClock.now + .seconds(20)
    while true {
      let outcome = try RunningCommand(["explain", url, "1"], of: "RequestProgram", in: lab.client).finish()
      if outcome.output.contains(text) || ContinuousClock.now > deadline { return outcome.output }
    }
  }

  @Test func `a server whose host answers, but not its service`() throws {
    let lab = try UpstreamLab()
    let text = try explain("http://10.9.0.1:\(lab.port)/", in: lab, until: "stuck")
    #expect(
      text == """
        code -1001
        timedOut beyond -
        no answer arrived in time, and the path from this machine has no problem: \
        the server's host answers TCP, so the service on it is busy or stuck

        """)
  }

  @Test func `a server that is silent while others answer`() throws {
    let lab = try UpstreamLab()
    let talk = try lab.talk(to: "10.9.0.2")
    try lab.silence("10.9.0.1")
    let text = try explain("http://10.9.0.1:\(lab.port)/", in: lab, until: "the network answers")
    #expect(
      text == """
        code -1001
        timedOut beyond -
        no answer arrived in time, and the path from this machine has no problem: \
        the network answers other connections, this server does not

        """)
    withExtendedLifetime(talk) {}
  }

  @Test func `a network in which nothing answers`() throws {
    let lab = try UpstreamLab()
    let talks = try ["10.9.0.2", "10.9.0.3"].map { try lab.talk(to: $0) }
    try lab.cut()
    let text = try explain("http://10.9.0.1:\(lab.port)/", in: lab, until: "traffic")
    #expect(
      text == """
        code -1001
        timedOut confirmed traffic
        no answer arrived in time; cause: Nothing on this network answers: \
        several peers stall, and none over the same path answers

        """)
    withExtendedLifetime(talks) {}
  }
}
#endif
