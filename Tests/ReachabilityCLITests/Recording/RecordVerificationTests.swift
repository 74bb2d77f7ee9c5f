// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import Testing

/// `reachability record --verify`, with servers, and with programs that fail.
// Slow: verifications follow each other after a second, which is the shortest time.
@Suite(.needsNamespaces, .needsPython, .deadline) struct `A record with verifications` {
  private let folder: RecordFolder
  private let network: NetworkNamespace

  init() throws {
    folder = try RecordFolder()
    network = try NetworkNamespace()
    try network.raiseLoopback()
  }

  private static let site = "http://127.0.0.1:8080/"

  /// A server that answers with the status in the path, or else with 204; 302 leads to the page of a portal.
  private func server() throws -> RunningServer {
    let program = """
      import http.server, sys
      class Site(http.server.BaseHTTPRequestHandler):
          def log_message(self, *words): pass
          def do_GET(self):
              self.send_response(int(self.path[1:].partition("?")[0] or 204))
              self.send_header("Location", "http://me:secret@portal.test/login?token=secret#secret")
              self.send_header("Content-Length", "0")
              self.end_headers()
      server = http.server.ThreadingHTTPServer(("127.0.0.1", 8080), Site)
      open(sys.argv[1] + "/ready", "w").close()
      server.serve_forever()
      """
    try program.write(toFile: folder.path + "/server.py", atomically: true, encoding: .utf8)
    try? FileManager.default.removeItem(atPath: folder.path + "/ready")
    return try RunningServer(
      "exec setpriv --pdeathsig KILL /usr/bin/python3 '\(folder.path)/server.py' '\(folder.path)'",
      in: network, until: "[ -e '\(folder.path)/ready' ]", log: folder.path + "/log")
  }

  /// What the record says about an endpoint, in order.
  private func values(of endpoint: String = site) throws -> [String] {
    try folder.objects().filter { $0["endpoint"] as? String == endpoint }
      .compactMap { $0["verification"] as? String }
  }

  private func wait(for value: String, _ count: Int = 1, at endpoint: String = site) throws {
    try folder.wait(for: #""endpoint":"\#(endpoint)","verification":"\#(value)""#, count)
  }

  /// The processes that a command has started.
  private func children(of command: RunningCommand) throws -> [pid_t] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { pid_t($0) }.filter { process in
      let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
      return status?.contains("\nPPid:\t\(command.processID)\n") ?? false
    }
  }

  /// Waits until a process has ended, also if nothing has asked for its exit status.
  private func waitForEnd(of process: pid_t) throws {
    let deadline = ContinuousClock.now + RunningCommand.timeLimit
    while let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
      !status.contains("State:\tZ")
    {
      guard ContinuousClock.now < deadline else { throw CommandError("no end: \(status)") }
      usleep(1000)
    }
  }

  @Test func `each outcome of an endpoint is a line, and the report has a lane for each`() throws {
    var server: RunningServer? = try server()
    let command = try folder.record(
      "127.0.0.1", "--verify", Self.site, "--verify", Self.site + "500", "--verify", Self.site + "302",
      "--verify-every", "1s", in: network)
    try wait(for: "verified")
    try wait(for: "failed", at: Self.site + "500")
    try wait(for: "captivePortal", at: Self.site + "302")
    server = nil
    try wait(for: "failed")
    server = try self.server()
    try wait(for: "verified", 2)
    command.send(SIGTERM)
    try #expect(command.finish() == Outcome(status: 0))
    withExtendedLifetime(server) {}

    #expect(!folder.text().contains("secret"))
    #expect(try values() == ["unknown", "verified", "failed", "verified"])
    let line = try #require(try folder.lines().first { $0.contains(#""verification":"verified""#) })
    #expect(
      line.withEqualRuns.replacing(/"milliseconds":[0-9]+/, with: "MS") == #"""
        {"version":1,"time":"TIME",UPTIME,"endpoint":"http://127.0.0.1:8080/","verification":"verified",\#
        "portal":null,"path":"unsatisfied","reason":"noRoute","isCurrent":true,"portalAPI":[],\#
        "endpoints":[{"endpoint":"http://127.0.0.1:8080/","outcome":"passed","portal":null,"expected":null,\#
        "found":null,"error":null,MS}],"event":"verification"}
        """#)
    let own = try folder.objects().filter { $0["endpoint"] as? String == Self.site }
    let times = own.compactMap { $0["uptimeMicroseconds"] as? Int }
    try expectReport(outage: (times[3] - times[2]) / 1000)
  }

  /// Compares the report with the time in milliseconds from the end of the server to its return.
  private func expectReport(outage: Int) throws {
    let report = try reachability("report", "--json", folder.file).output.split(separator: "\n").compactMap {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }.filter { $0["kind"] as? String == "verification" }
    let lanes = report.filter { $0["event"] as? String == "lane" }
    #expect(
      lanes.compactMap { $0["name"] as? String } == [Self.site, Self.site + "302", Self.site + "500"])
    let lost = try #require(lanes.first?["unreachableMilliseconds"] as? Int)
    #expect(abs(lost - outage) <= 1 && lost > 0)
    let incidents = report.filter { $0["event"] as? String == "incident" }
    func causes(_ name: String) -> [String] {
      incidents.filter { $0["name"] as? String == name }.compactMap { $0["cause"] as? String }
    }
    let cause = try #require(causes(Self.site).first)
    #expect(cause.hasPrefix("no answer: "), "\(cause)")
    #expect(causes(Self.site + "500").first?.hasPrefix("an unexpected answer: status 500") == true)
    #expect(
      causes(Self.site + "302").first?.hasPrefix("a captive portal answered: http://portal.test/login")
        == true)
  }

  @Test func `a proxy's password is not recorded`() throws {
    let command = try RunningCommand(
      ["record", "127.0.0.1", "--to", folder.file, "--verify", Self.site], in: network,
      environment: ["http_proxy": "http://mallory:hu/sh@10.1.0.1:9"])
    try wait(for: "failed")
    command.send(SIGTERM)
    try #expect(command.finish() == Outcome(status: 0))
    let text = try folder.lines().joined()
    #expect(!text.contains("mallory") && !text.contains("hu/sh") && text.contains("proxy"))
  }

  @Test func `URLs that differ in the query have lanes of their own, without the query`() throws {
    let server = try server()
    let command = try folder.record(
      "127.0.0.1", "--verify", Self.site + "?secret=1", "--verify", Self.site + "500?secret=2", "--verify",
      Self.site + "?secret=3", in: network)
    for name in [Self.site, Self.site + " (2)"] { try wait(for: "verified", at: name) }
    command.send(SIGTERM)
    try #expect(command.finish() == Outcome(status: 0))
    #expect(try !String(contentsOfFile: folder.file, encoding: .utf8).contains("secret"))
    withExtendedLifetime(server) {}
  }

  @Test func `a verification whose process is killed is unknown until the next one answers`() throws {
    let server = try server()
    let command = try folder.record(
      "127.0.0.1", "--verify", Self.site, "--verify-every", "1s", in: network)
    try wait(for: "verified")
    for child in try children(of: command) { kill(child, SIGKILL) }
    try wait(for: "verified", 2)
    try #expect(
      command.nextLine(of: .errors)
        == "error: the verification of \(Self.site) has ended, and is started again")
    // The second is the line for the time without a process.
    #expect(try values() == ["unknown", "verified", "unknown", "unknown", "verified"])
    withExtendedLifetime(server) {}
  }

  @Test func `the processes of verifications end with the record, also if it is killed`() throws {
    for signal in [SIGTERM, SIGKILL] {
      let command = try folder.record(
        "127.0.0.1", "--verify", Self.site, "--verify", "tcp://127.0.0.1:1", in: network)
      try folder.wait { lines in
        lines.count { $0.contains(#""event":"verification""#) } >= 4
      }
      let processes = try children(of: command)
      #expect(processes.count == 2)
      command.send(signal)
      _ = try command.exitStatus(within: .seconds(20))
      for process in processes { try waitForEnd(of: process) }
      try FileManager.default.removeItem(atPath: folder.file)
    }
  }

  // MARK: Programs that fail

  /// A script that prints a line about an endpoint, something else, and a result, and is killed.
  private static let short = #"""
    #!/bin/sh
    begin='{"version":1,"time":"2026-11-23T08:00:00.000Z","verification"'
    echo "$begin:\"unknown\",\"isCurrent\":false,\"event\":\"initial\"}"
    echo "no result"
    head -c 100000 /dev/zero; echo
    echo "$begin:\"verified\",\"isCurrent\":true,\"event\":\"change\"}"
    kill -9 $$
    """#

  @Test func `a program that prints too much and ends is reported once, and started again`() throws {
    let program = try CommandFolder(Self.short)
    defer { withExtendedLifetime(program) {} }
    let command = try program.start(
      ["record", "127.0.0.1", "--to", folder.file, "--verify", "http://u:p@a.test/?q"], in: network)
    try wait(for: "verified", 3, at: "http://a.test/")
    command.send(SIGTERM)
    let outcome = try command.finish()
    #expect(
      outcome
        == Outcome(
          status: 0,
          errors: """
            error: the verification of http://a.test/ printed a line that is not its result, which is left out
            error: the verification of http://a.test/ has ended, and is started again

            """))
    let run = ["unknown", "verified", "unknown"]
    #expect(try values(of: "http://a.test/").starts(with: run + run + ["unknown", "verified"]))
    #expect(try folder.objects().last?["event"] as? String == "stop")
  }

  @Test func `a verification without a result ends the record`() throws {
    func outcome(_ script: String?) throws -> Outcome {
      let program = try CommandFolder(script)
      defer { withExtendedLifetime(program) {} }
      return try program.start(
        ["record", "127.0.0.1", "--to", folder.file, "--verify", "http://a.test/"], in: network
      ).finish()
    }
    let missing = try outcome(nil)
    #expect(missing.status == 2 && missing.errors.contains("neither in"), "\(missing)")
    #expect(folder.names == [])
    for script in ["\u{7f}ELF nonsense", "#!/bin/sh\nkill -9 $$\n", "#!/bin/sh\n"] {
      let errors = "error: the verification of http://a.test/ did not run to a result\n"
      #expect(try outcome(script) == Outcome(status: 2, errors: errors))
    }
    let own = try outcome("#!/bin/sh\necho own error >&2\nexit 2\n")
    #expect(own == Outcome(status: 2, errors: "own error\n"))
    let address = try folder.record("--verify", "tcp://127.0.0.1", in: network).finish()
    #expect(
      address.status == 2 && address.errors.contains("'tcp://127.0.0.1' has no port from 1 to 65535"),
      "\(address)")
  }
}
#endif
