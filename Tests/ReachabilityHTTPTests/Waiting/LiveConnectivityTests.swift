// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import Testing

/// Requests that wait for the network, with a real server on a veth link.
@Suite(.serialized, .onOwnThreads, .needsNamespaces, .needsPython, .deadline)
struct LiveConnectivityTests {
  private let lab: RequestLab

  init() throws { lab = try RequestLab() }

  private let hello = "done: 200, 5 bytes, sum 99162322\nbody: hello\n"

  @Test func `a request with a network does not wait`() throws {
    #expect(try lab.start("fetch", RequestLab.url + "/").finish() == Outcome(status: 0, output: hello))
    #expect(lab.server.requests == ["GET /"])
  }

  @Test(arguments: ["here", "at the far end"])
  func `a request waits for a link that is down, and calls onWait once`(_ end: String) throws {
    let isHere = end == "here"
    let (network, link) = isHere ? (lab.host, "v0") : (lab.peer, "p0")
    try network.ip("link set \(link) down")
    let program = try lab.start("fetch", RequestLab.url + "/")
    let reason = isHere ? "interface down" : "no carrier"
    #expect(try program.nextLine() == "waiting: not reachable: \(reason), v0 (wired)")
    try network.ip("link set \(link) up")
    let outcome = try program.finish()
    #expect(outcome.output.hasSuffix("v0 (wired)\n" + hello))
    #expect(outcome.output.split(separator: "waiting", omittingEmptySubsequences: false).count == 2)
    #expect(lab.server.requests == ["GET /"])
  }

  @Test(arguments: [
    ("POST", "POST / posted"), ("upload", "PUT / sent"), ("uploadfile", "PUT / a file"),
    ("download", "GET /"),
  ])
  func `a request that waited is made once when the link is up`(
    _ method: String, _ request: String
  ) throws {
    try lab.host.ip("link set v0 down")
    let program = try lab.start("fetch", RequestLab.url + "/", "method=\(method)")
    #expect(try program.nextLine().hasPrefix("waiting: "))
    try lab.raiseLink()
    let outcome = try program.finish()
    #expect(outcome.status == 0)
    #expect(outcome.output.hasSuffix(method == "download" ? "body: hello\n" : "body: taken\n"))
    #expect(lab.server.requests == [request])
  }

  @Test(arguments: ["resource=1", "deadline=1"])
  func `an outage beyond the deadline ends with a timeout`(_ limit: String) throws {
    try lab.host.ip("link set v0 down")
    let outcome = try lab.start("fetch", RequestLab.url + "/", limit).finish()
    #expect(outcome.status == 1)
    let lines = outcome.output.split(separator: "\n")
    let status = "tcp://10.1.0.2:8080 is not reachable: interface down, v0 (wired)"
    #expect(
      lines == [
        "waiting: not reachable: interface down, v0 (wired)",
        "error: -1001 no connectivity in time: \(status)", "after: -1009 \(status)", "seconds: 1",
      ])
  }

  // Slow: the wait must be longer than a timeout of 3 seconds.
  @Test func `waiting does not count towards the request's own timeout`() throws {
    try lab.host.ip("link set v0 down")
    let program = try lab.start("fetch", RequestLab.url + "/", "idle=3", "deadline=30")
    #expect(try program.nextLine().hasPrefix("waiting: "))
    // Longer than the request may be idle.
    let begin = ContinuousClock.now
    while ContinuousClock.now - begin < .seconds(4) { try lab.host.ip("link show v0") }
    try lab.raiseLink()
    #expect(try program.finish().output.hasSuffix(hello))
  }

  @Test func `cancellation throws -999 before the request, while waiting and in the middle`()
    throws
  {
    let before = try lab.start("fetch", RequestLab.url + "/", "cancelled=yes").finish()
    #expect(before.output.hasPrefix("error: -999 "), "\(before)")
    #expect(lab.server.requests == [])

    let middle = try lab.start("fetch", RequestLab.url + "/halves")
    try lab.server.waitForHalf()
    middle.send(SIGUSR1)
    #expect(try middle.nextLine().hasPrefix("error: -999 "))
    #expect(lab.server.requests == ["GET /halves"])

    try lab.host.ip("link set v0 down")
    let waiting = try lab.start("fetch", RequestLab.url + "/")
    #expect(try waiting.nextLine().hasPrefix("waiting: "))
    waiting.send(SIGUSR1)
    #expect(try waiting.nextLine() == "error: -999 cancelled while waiting for tcp://10.1.0.2:8080")
    #expect(lab.server.requests == ["GET /halves"])
  }

  @Test func `a request without waiting fails without a network`() throws {
    try lab.host.ip("link set v0 down")
    let outcome = try lab.start("fetch", RequestLab.url + "/", "waits=no").finish()
    #expect(outcome.output.hasPrefix("error: -1 Failed to connect to 10.1.0.2 port 8080"))
  }

  @Test(arguments: [
    ("http://10.1.0.2:9/", "error: -1004 Failed to connect to 10.1.0.2 port 9"),
    ("https://10.1.0.2:8080/", "error: -1 "), ("http://10.1.0.2:8080/missing", "done: 404, 0 bytes"),
  ])
  func `a failure that no network change repairs is not waited for`(_ url: String, _ beginning: String) throws
  {
    let outcome = try lab.start("fetch", url).finish()
    #expect(outcome.output.hasPrefix(beginning), "\(outcome)")
  }

  @Test func `a transfer outlives an outage that TCP bridges`() throws {
    let program = try lab.start("fetch", RequestLab.url + "/halves")
    try lab.server.waitForHalf()
    try lab.peer.ip("link set p0 down")
    try lab.server.sendRest()
    // This kernel has noticed the outage, and the data that the server sent is lost.
    try lab.host.sh("for i in $(seq 2000); do ip link show v0 | grep -q NO-CARRIER && exit; done; exit 1")
    try lab.peer.ip("link set p0 up")
    let outcome = try program.finish()
    #expect(outcome.output.hasPrefix("done: 200, 200000 bytes, "), "\(outcome)")
    #expect(lab.server.requests == ["GET /halves"])
  }

  @Test func `a stalled transfer ends with the request's own timeout, without waiting`()
    throws
  {
    let program = try lab.start("fetch", RequestLab.url + "/halves", "idle=2")
    try lab.server.waitForHalf()
    try lab.host.ip("link set v0 down")
    try lab.server.sendRest()
    let outcome = try program.finish()
    #expect(outcome.output.hasPrefix("error: -1001 "), "\(outcome)")
    #expect(!outcome.output.contains("waiting"))
    #expect(lab.server.requests == ["GET /halves"])
  }

  @Test func `a connection that breaks is an error, and does not wait`() throws {
    let program = try lab.start("fetch", RequestLab.url + "/halves")
    try lab.server.waitForHalf()
    lab.server.stop()
    try lab.server.start()
    let outcome = try program.finish()
    #expect(outcome.output.hasPrefix("error: -1 "), "\(outcome)")
    #expect(lab.server.requests == ["GET /halves"])
  }

  @Test func `a download that stalls without an address is repeated in withReachability`() throws {
    // More than a busy machine takes to remove the address.
    let program = try lab.start("repeat", RequestLab.url + "/halves", "idle=6")
    #expect(try program.nextLine() == "run")
    try lab.server.waitForHalf()
    try lab.host.ip("addr del 10.1.0.1/24 dev v0")
    try lab.server.sendRest()
    #expect(try program.nextLine().hasPrefix("failed: -1001 "))
    #expect(try program.nextLine().hasPrefix("waiting: not reachable"))
    try lab.host.ip("addr add 10.1.0.1/24 dev v0")
    #expect(try program.nextLine() == "run")
    #expect(try program.nextLine().hasPrefix("done: 200, 200000 bytes, "))
    #expect(lab.server.requests == ["GET /halves", "GET /halves"])
  }

  @Test func `a POST that a server redirected is not repeated`() throws {
    let program = try lab.start("fetch", RequestLab.url + "/held-redirection", "method=POST")
    try lab.server.waitForHalf()
    // The network changes meanwhile, so it could explain the failure.
    try lab.host.ip("link set v0 down")
    try lab.raiseLink()
    try lab.server.sendRest()
    #expect(try program.finish().output.hasPrefix("error: -1004 Failed to connect to 10.1.0.2 port 9"))
    #expect(lab.server.requests == ["POST /held-redirection posted"])
  }

  @Test func `a request through a proxy waits for the proxy`() throws {
    let environment = ["http_proxy": "10.1.0.2:8080"]
    let outcome = try lab.start("fetch", "http://192.0.2.7/", environment: environment).finish()
    #expect(outcome == Outcome(status: 0, output: hello))
    try lab.host.ip("link set v0 down")
    let program = try lab.start("fetch", "http://192.0.2.7/", environment: environment)
    #expect(try program.nextLine() == "waiting: not reachable: interface down, v0 (wired)")
    try lab.raiseLink()
    #expect(try program.finish().output.hasSuffix(hello))
    #expect(lab.server.requests == ["GET http://192.0.2.7/", "GET http://192.0.2.7/"])
  }
}
#endif
