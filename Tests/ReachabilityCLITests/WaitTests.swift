// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import LiveSupport
import Testing

@Suite(.needsNamespaces, .deadline) struct `The command wait` {
  @Test(arguments: [
    ["10.1.0.2"], ["10.1.0.2", "127.0.0.1", "default"], ["--until", "reachable", "10.9.0.1"],
    ["--until=unreachable", "10.66.1.1", "2001:db8::1"], ["10.1.0.2", "--timeout", "1h"],
    ["10.1.0.2", "--settle", "2m"], ["10.1.0.2", "--timeout", "3155760000000ms", "--settle", "876600h"],
    ["10.1.0.2", "--timeout", "3155760000s", "--settle", "52596000m"],
  ])
  func `a requested state that already holds ends the wait immediately and silently`(_ arguments: [String])
    throws
  {
    let command = try RunningCommand(["wait"] + arguments, in: .sample())
    try #expect(command.finish() == Outcome(status: 0))
  }

  @Test func `a requested state that already holds is a success with a timeout of zero`() throws {
    try #expect(reachability("wait", "127.0.0.1", "--timeout", "0s", in: .sample()) == Outcome(status: 0))
  }

  @Test func `the wait ends when a route appears, silently without a terminal`() throws {
    let network = try NetworkNamespace.wired()
    let command = try RunningCommand(["wait"], in: network)
    try network.ip("route add default via 10.1.0.254")
    try #expect(command.finish() == Outcome(status: 0))
  }

  @Test func `a wait with --json prints each change`() throws {
    let network = try NetworkNamespace.wired()
    let command = try RunningCommand(["wait", "--json", "10.9.0.1"], in: network)
    let unreachable = #"""
      "status":"notReachable","reason":"noRoute",\#
      "flags":[],"flagsValue":0,"interface":null,"index":null,"kind":null,"isTunnel":false,"linkType":null,\#
      "gateway":null,"source":null,"addresses":[]
      """#
    let initial =
      #"{"version":1,"time":"TIME","target":"10.9.0.1",\#(unreachable),"previous":null,"event":"initial"}"#
    try #expect(command.nextLine() == initial)
    try network.ip("route add 10.9.0.0/16 via 10.1.0.254")
    let outcome = try command.finish()
    #expect(
      outcome
        == Outcome(
          status: 0,
          output: initial + "\n"
            + #"""
            {"version":1,"time":"TIME","target":"10.9.0.1","status":"reachable","reason":null,\#
            "flags":["reachable"],"flagsValue":2,"interface":"eth0","index":0,"kind":"wired","isTunnel":false,\#
            "linkType":"veth","gateway":"10.1.0.254","source":"10.1.0.1","addresses":[],\#
            "previous":{\#(unreachable)},"event":"change"}

            """#))
  }

  @Test func `the wait ends only when all targets are reachable`() throws {
    let network = try NetworkNamespace.wired()
    let command = try RunningCommand(["wait", "10.8.0.1", "10.9.0.1"], in: network, terminals: [.errors])
    try #expect(command.nextLine(of: .errors) == "waiting for 10.8.0.1: not reachable: no route")
    try #expect(command.nextLine(of: .errors) == "waiting for 10.9.0.1: not reachable: no route")
    try network.ip("route add 10.9.0.1 dev eth0")
    try network.ip("route add blackhole 10.8.0.1")
    let discarded = "waiting for 10.8.0.1: not reachable: a route or rule discards packets"
    try #expect(command.nextLine(of: .errors) == discarded)
    try network.ip("route replace 10.8.0.1 dev eth0")
    let outcome = try command.finish()
    #expect(
      outcome
        == Outcome(
          status: 0,
          errors: """
            waiting for 10.8.0.1: not reachable: no route
            waiting for 10.9.0.1: not reachable: no route
            \(discarded)

            """))
  }

  @Test func `a wait may name an interface that does not exist yet`() throws {
    let network = try NetworkNamespace.wired()
    let command = try RunningCommand(
      ["wait", "10.1.0.2", "--interface", "wan0"], in: network, terminals: [.errors])
    let line = try command.nextLine(of: .errors)
    try network.ip("link set eth0 name wan0")
    let outcome = try command.finish()
    #expect(line == "waiting for 10.1.0.2: not reachable: no such interface")
    #expect(outcome == Outcome(status: 0, errors: line + "\n"))
  }

  @Test func `a wait for unreachable targets ends when the interface goes down`() throws {
    let network = try NetworkNamespace.wired()
    let command = try RunningCommand(
      ["wait", "--until", "unreachable", "10.1.0.2"], in: network, terminals: [.errors])
    let line = try command.nextLine(of: .errors)
    try network.ip("link set eth0 down")
    let outcome = try command.finish()
    #expect(line == "waiting for 10.1.0.2: reachable eth0 (wired) from 10.1.0.1")
    #expect(outcome == Outcome(status: 0, errors: line + "\n"))
  }

  @Test func `a wait ends only after the state has lasted for the settling time`() throws {
    let network = try NetworkNamespace.wired()
    let command = try RunningCommand(["wait", "--settle", "500ms", "--json"], in: network)
    _ = try command.nextLine()
    let start = ContinuousClock.now
    try network.ip("route add default via 10.1.0.254")
    try #expect(command.finish().status == 0)
    #expect(ContinuousClock.now - start >= .milliseconds(500))
  }

  @Test func `a timeout names the targets that are not reachable, with problem and advice`() throws {
    let start = ContinuousClock.now
    let outcome = try reachability(
      "wait", "2001:db8::1", "127.0.0.1", "10.3.0.2", "--timeout", "1s", in: .sample())
    #expect(
      outcome
        == Outcome(
          status: 1,
          errors: """
            timed out: 2001:db8::1 is not reachable: no route
              problem: There is no route to 2001:db8::1, and no default route.
              advice: Check that a router advertises itself, or add one: ip -6 route add default via GATEWAY dev eth0.
            timed out: 10.3.0.2 is not reachable: no carrier, loose (wired)
              problem: loose is up but has no carrier.
              advice: Bring up the other end of loose, or the link below it.

            """))
    #expect(ContinuousClock.now - start >= .seconds(1))
  }

  @Test func `a timeout names the targets that are still reachable`() throws {
    let outcome = try reachability(
      "wait", "--until", "unreachable", "10.9.0.1", "10.66.1.1", "--timeout", "1000ms", in: .sample())
    #expect(
      outcome
        == Outcome(
          status: 1,
          errors: "timed out: 10.9.0.1 is reachable eth0 (wired) via 10.1.0.254 from 10.1.0.1\n"))
  }

  @Test func `a timeout ends the wait while the reader has stopped reading`() throws {
    let targets = (0..<500).map { "10.9.\($0 / 250).\($0 % 250)" }
    let command = try RunningCommand(["wait", "--json", "--timeout", "1s"] + targets, in: NetworkNamespace())
    try command.waitUntilOutputIsFull()
    try #expect(command.exitStatus() == 1)
  }

  @Test func `a reader that closes the pipe ends the wait silently, without any change`() throws {
    let command = try RunningCommand(["wait", "--json", "10.66.1.1"], in: .sample())
    let line = try command.nextLine()
    command.closeOutput()
    let outcome = try command.finish()
    #expect(outcome == Outcome(status: 2, output: line + "\n"))
  }
}
#endif
