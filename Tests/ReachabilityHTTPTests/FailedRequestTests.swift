#if os(Linux)
import CommandSupport
import LiveSupport
import Testing

/// Real requests of URL sessions that fail for real.
@Suite(.needsNameServer, .serialized) struct `Failed requests` {
  private func explain(_ words: String..., in lab: NameLab) throws -> [String] {
    let outcome = try lab.start(["explain"] + words, of: "RequestProgram").finish()
    try #require(outcome.status == 0, "\(outcome.errors)")
    return outcome.output.split(separator: "\n").map(String.init)
  }

  @Test func `a name that does not exist`() throws {
    let lines = try explain("http://missing.test/", in: .sample())
    #expect(lines.prefix(2) == ["code -1003", "nameNotFound confirmed name"])
    #expect(
      lines.last == "the name could not be looked up, and this is why: The name missing.test does not exist")
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
    // Nobody has this address, which the system finds out by asking three times.
    try lab.network.writeSysctl("net/ipv4/neigh/eth0/retrans_time_ms", "50")
    let lines = try explain("http://10.1.0.8/", in: lab)
    #expect(lines.count == 3 && lines[1].hasSuffix(" confirmed nextHop"), "\(lines)")
  }

  @Test func `a server that says nothing`() throws {
    let lab = try NameLab()
    let listener = try Listener(in: lab.network)
    let lines = try explain("http://10.1.0.1:\(listener.port)/", "1", in: lab)
    #expect(lines.prefix(2) == ["code -1001", "timedOut beyond -"], "\(lines)")
  }

  @Test func `a link that was down, and is up again`() throws {
    let lab = try NameLab()
    try lab.network.ip("link set eth0 down")
    let request = try lab.start(["explain", "http://10.1.0.8/", "10", "wait"], of: "RequestProgram")
    #expect(try request.nextLine().hasPrefix("code -"))
    try lab.network.ip("link set eth0 up")
    let line = try request.nextLine()
    // URL sessions on Linux do not tell a missing route from a refusal.
    #expect(["noRoute recovered -", "cannotConnect beyond -", "unclear beyond -"].contains(line), "\(line)")
    _ = try request.finish()
  }
}
#endif
