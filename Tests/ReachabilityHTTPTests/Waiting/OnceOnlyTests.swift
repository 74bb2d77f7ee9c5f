// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import Foundation
import LiveSupport
import Testing

/// Requests that must not be sent twice, with misbehaving servers and changing networks.
@Suite(.serialized, .onOwnThreads, .needsNamespaces, .needsPython, .deadline)
struct OnceOnlyTests {
  private let lab: RequestLab

  init() throws { lab = try RequestLab() }

  @Test(arguments: [
    ("POST", "POST /drop posted"), ("stream", "POST /drop streamed"), ("PUT", "PUT /drop posted"),
    ("upload", "PUT /drop sent"), ("uploadfile", "PUT /drop a file"),
  ])
  func `a kept connection that closes without an answer repeats no request with a body`(
    _ method: String, _ request: String
  ) throws {
    for waits in ["yes", "no"] {
      let outcome = try lab.start(
        "fetch", RequestLab.url + "/drop", "method=\(method)", "kept=\(RequestLab.url)/", "waits=\(waits)",
        "idle=5"
      ).finish()
      #expect(outcome.output.hasPrefix("error: -1"), "\(outcome)")
    }
    #expect(lab.server.requests == ["GET /", request, "GET /", request])
  }

  @Test(arguments: [
    ("/moved-drop", ["POST /moved-drop posted", "POST /moved-drop?again posted"]),
    ("/login-drop", ["POST /login-drop posted", "POST /login-drop#Authorization posted"]),
  ])
  func `what a redirect or a challenge leads to is not sent twice`(_ path: String, _ requests: [String])
    throws
  {
    let outcome = try lab.start("fetch", RequestLab.url + path, "method=POST", "delegate=login").finish()
    #expect(outcome.output.contains("\nerror: -1"), "\(outcome)")
    #expect(lab.server.requests == requests)
  }

  @Test(arguments: ["POST", "stream"])
  func `a POST whose connection is lost with the route is not repeated`(_ method: String) throws {
    let program = try lab.start(
      "fetch", RequestLab.url + "/held-drop", "method=\(method)", "kept=\(RequestLab.url)/")
    try lab.server.waitForHalf()
    try lab.host.ip("route del 10.1.0.0/24 dev v0")
    try lab.server.sendRest()
    let line = try program.nextLine()
    try lab.host.ip("route add 10.1.0.0/24 dev v0")
    #expect(line.hasPrefix("error: -1"), "\(line)")
    #expect(lab.server.requests.count { $0.hasPrefix("POST") } == 1)
  }

  @Test(arguments: ["GET", "POST"])
  func `invalidating a session cancels a request that waits`(_ method: String) throws {
    try lab.host.ip("link set v0 down")
    let program = try lab.start(
      "fetch", RequestLab.url + "/", "method=\(method)", "signal=invalidate")
    #expect(try program.nextLine().hasPrefix("waiting: "))
    program.send(SIGUSR1)
    #expect(try program.nextLine() == "error: -999 cancelled while waiting for tcp://10.1.0.2:8080")
    #expect(try program.finish().status == 1)
    #expect(lab.server.requests == [])
  }

  @Test(arguments: ["GET", "POST"])
  func `a session that finishes its tasks also finishes requests that wait`(_ method: String) throws {
    try lab.host.ip("link set v0 down")
    let program = try lab.start("fetch", RequestLab.url + "/", "method=\(method)", "signal=finish")
    #expect(try program.nextLine().hasPrefix("waiting: "))
    program.send(SIGUSR1)
    try lab.raiseLink()
    let outcome = try program.finish()
    #expect(outcome.output.contains("\ndone: 200, 5 bytes"), "\(outcome)")
    #expect(lab.server.requests.count == 1)
  }

  @Test func `invalidating a session cancels a request on a separate connection`() throws {
    let program = try lab.start(
      "fetch", RequestLab.url + "/held-drop", "method=POST", "signal=invalidate")
    try lab.server.waitForHalf()
    program.send(SIGUSR1)
    #expect(try program.nextLine().hasPrefix("error: -999 "))
  }

  @Test func `a request that is cancelled before it begins leaves nothing in the session`() throws {
    let outcome = try lab.start("cancelled", "3000").finish()
    #expect(outcome.status == 0, "\(outcome)")
    let growth = try #require(Int(outcome.output.dropLast()))
    #expect(growth < 2000, "\(growth) KB")
  }

  /// `CANCELLED_REQUESTS` requests instead of 1600.
  @Test func `a request may be cancelled when its answer arrives`() throws {
    let count = ProcessInfo.processInfo.environment["CANCELLED_REQUESTS"].flatMap(Int.init) ?? 1600
    let outcome = try lab.start("cancel", RequestLab.url + "/", "\(count)", "7").finish(
      within: .seconds(60 + count / 10))
    #expect(outcome.output == "answered and cancelled\n", "\(outcome)")
  }

  // Slow: runs until one crashes or hangs. If none does, Foundation has been repaired, and `TaskDelegate.end()` need
  // not wait.
  @Test func `the session's own call crashes or hangs if it is cancelled when its answer arrives`() throws {
    let isRepaired = try (1...20).allSatisfy { seed in
      let program = try lab.start(
        "cancel", RequestLab.url + "/", "3200", "\(seed)", "plain",
        environment: ["SWIFT_BACKTRACE": "enable=no"])
      // One that does not hang takes a few seconds.
      return (try? program.finish(within: .seconds(20)).status) == 0
    }
    #expect(!isRepaired)
  }

  @Test(arguments: [(40, 2), (500, 6)])
  func `uploads have as many connections to a host as their session allows`(_ count: Int, _ limit: Int) throws
  {
    let program = try RunningCommand(
      ["uploads", RequestLab.url + "/crowd", "\(count)", "\(limit)"], of: "RequestProgram", in: lab.host,
      through: #"ulimit -n 1024; exec "$@""#)
    let outcome = try program.finish(within: .seconds(60))
    #expect(outcome.output == "\(count) of \(count) answered\n", "\(outcome)")
    let present = lab.server.requests.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
    #expect(present.max() == limit)
  }

  // Slow: 40 requests, one after the other, on a network that changes.
  /// `REQUEST_RUNS` requests instead of 40, with the seed `REQUEST_SEED` instead of a random one.
  @Test(arguments: ["server", "proxy"])
  func `a misbehaving server or proxy gets nothing twice while routes change`(_ kind: String) throws {
    let environment = ProcessInfo.processInfo.environment
    let count = environment["REQUEST_RUNS"].flatMap(Int.init) ?? 40
    let seed = environment["REQUEST_SEED"].flatMap(UInt64.init) ?? .random(in: 0...9999)
    let isProxy = kind == "proxy"
    let program = try lab.start(
      "many", isProxy ? "http://192.0.2.7" : RequestLab.url, "\(count)", "\(seed)",
      environment: isProxy ? ["http_proxy": "10.1.0.2:8080"] : [:])
    // Changes at random moments while the program runs.
    let changes = try RunningServer(
      """
      exec setpriv --pdeathsig KILL /bin/bash -c 'while :; do
        sleep 0.0$((RANDOM % 10))$((RANDOM % 10))
        case $((RANDOM % 3)) in
          0) ip route del 10.1.0.0/24 dev v0; sleep 0.0$((RANDOM % 10)); ip route add 10.1.0.0/24 dev v0;;
          1) ip link set v0 down; sleep 0.0$((RANDOM % 10)); ip link set v0 up;;
          2) ip addr del 10.1.0.1/24 dev v0; sleep 0.0$((RANDOM % 10)); ip addr add 10.1.0.1/24 dev v0;;
        esac
      done'
      """, in: lab.host, until: "true", log: "/dev/null")
    let outcome = try program.finish(within: .seconds(60 + count))
    withExtendedLifetime(changes) {}
    #expect(outcome.status == 0, "seed \(seed): \(outcome)")
    let requests = lab.server.requests
    var counts: [Substring: Int] = [:]
    for line in requests where line.hasPrefix("POST") || line.hasPrefix("PATCH") {
      let words = line.split(separator: " ", maxSplits: 2)
      // A redirected request arrives once more, as the server requested.
      counts[words[1], default: requests.contains("moved \(words[1])") ? -1 : 0] += 1
    }
    #expect(!counts.isEmpty && counts.values.contains(1), "seed \(seed): \(outcome)")
    #expect(counts.filter { $0.value > 1 } == [:], "seed \(seed)")
  }
}
#endif
