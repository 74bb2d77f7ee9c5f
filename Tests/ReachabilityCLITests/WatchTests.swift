// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import CommandSupport
import DeadlineSupport
import LiveSupport
import RequirementSupport
import Testing

@Suite(.needsNamespaces, .deadline) struct `The command watch` {
  @Test func `a watch prints the current statuses, then each change, with the time`() throws {
    let network = try NetworkNamespace.wired()
    let command = try RunningCommand(["watch", "10.9.0.1", "10.1.0.2", "--count", "5"], in: network)
    try #expect(command.nextLine() == "TIME  10.9.0.1  not reachable  no route")
    try #expect(command.nextLine() == "TIME  10.1.0.2  reachable      eth0 (wired) from 10.1.0.1")

    try network.ip("route add 10.9.0.0/16 via 10.1.0.254")
    let arrival = "TIME  10.9.0.1  reachable      eth0 (wired) via 10.1.0.254 from 10.1.0.1"
    try #expect(command.nextLine() == arrival)
    try network.ip("route change 10.9.0.0/16 via 10.1.0.253")
    let move = "TIME  10.9.0.1  reachable      eth0 (wired) via 10.1.0.253 from 10.1.0.1"
    try #expect(command.nextLine() == move)
    try network.ip("route add blackhole 10.9.0.1/32")

    let outcome = try command.finish()
    #expect(
      outcome
        == Outcome(
          status: 0,
          output: """
            TIME  10.9.0.1  not reachable  no route
            TIME  10.1.0.2  reachable      eth0 (wired) from 10.1.0.1
            \(arrival)
            \(move)
            TIME  10.9.0.1  not reachable  a route or rule discards packets

            """))
  }

  @Test func `a JSON object is written without delay and has the previous status`() throws {
    let network = try NetworkNamespace.wired()
    let command = try RunningCommand(["watch", "--json", "--count", "2", "10.1.0.2"], in: network)
    let reachable = #"""
      "status":"reachable","reason":null,\#
      "flags":["reachable","isDirect"],"flagsValue":131074,"interface":"eth0","index":0,"kind":"wired",\#
      "isTunnel":false,"linkType":"veth","gateway":null,"source":"10.1.0.1","addresses":[]
      """#
    let initial =
      #"{"version":1,"time":"TIME","target":"10.1.0.2",\#(reachable),"previous":null,"event":"initial"}"#
    try #expect(command.nextLine() == initial)
    try network.ip("link set eth0 down")
    let outcome = try command.finish()
    #expect(
      outcome
        == Outcome(
          status: 0,
          output: initial + "\n"
            + #"""
            {"version":1,"time":"TIME","target":"10.1.0.2","status":"notReachable",\#
            "reason":"interfaceDown","flags":[],"flagsValue":0,"interface":"eth0","index":0,"kind":"wired",\#
            "isTunnel":false,"linkType":"veth","gateway":null,"source":null,"addresses":[],\#
            "previous":{\#(reachable)},"event":"change"}

            """#))
  }

  @Test func `without a target, the default route is watched`() throws {
    let network = try NetworkNamespace.wired()
    let command = try RunningCommand(["watch", "--count=2"], in: network)
    try #expect(command.nextLine() == "TIME  default  not reachable  no route")
    try network.ip("route add default via fd00:1::fe")
    let outcome = try command.finish()
    #expect(
      outcome
        == Outcome(
          status: 0,
          output: """
            TIME  default  not reachable  no route
            TIME  default  reachable      eth0 (wired) via fd00:1::fe from fd00:1::1

            """))
  }

  @Test func `a count below the number of targets ends the initial statuses early`() throws {
    let outcome = try reachability("watch", "127.0.0.1", "10.66.1.1", "--count", "1", in: .sample())
    let line = "TIME  127.0.0.1  reachable      lo (loopback) from 127.0.0.1\n"
    #expect(outcome == Outcome(status: 0, output: line))
  }

  @Test func `a timeout ends the watch with success`() throws {
    let start = ContinuousClock.now
    let outcome = try reachability("watch", "127.0.0.1", "10.66.1.1", "--timeout", "1s", in: .sample())
    #expect(
      outcome
        == Outcome(
          status: 0,
          output: """
            TIME  127.0.0.1  reachable      lo (loopback) from 127.0.0.1
            TIME  10.66.1.1  not reachable  a route or rule discards packets

            """))
    #expect(ContinuousClock.now - start >= .seconds(1))
  }

  @Test func `the current statuses are written even with a timeout of zero`() throws {
    let outcome = try reachability("watch", "127.0.0.1", "--timeout", "0s", in: .sample())
    let line = "TIME  127.0.0.1  reachable      lo (loopback) from 127.0.0.1\n"
    #expect(outcome == Outcome(status: 0, output: line))
  }

  @Test func `a pipe receives local times with their date and offset, and a terminal those of day`() throws {
    func output(_ terminals: Set<RunningCommand.Stream>) throws -> String {
      let command = try RunningCommand(
        ["watch", "::1", "--timeout", "0s"], in: .sample(), terminals: terminals,
        environment: ["TZ": "IST-5:30", "NO_COLOR": "1"])
      _ = try command.finish()
      return command.outputWithTimes
    }
    let piped = try output([])
    #expect(
      piped.prefixMatch(of: /2[0-9]{3}-[0-9]{2}-[0-9]{2} [0-9:]{8}\.[0-9]{3}\+05:30  ::1  reachable/) != nil,
      "\(piped)")
    let shown = try output([.output])
    #expect(shown.prefixMatch(of: /[0-9:]{8}\.[0-9]{3}  ::1  reachable/) != nil, "\(shown)")
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `a signal after the first line ends the watch with success`(_ signal: Int32) throws {
    // Repeated, because an early signal can race with the start of its handler.
    for _ in 0..<25 {
      let command = try RunningCommand(["watch", "127.0.0.1"], in: .sample())
      let line = try command.nextLine()
      command.send(signal)
      let outcome = try command.finish()
      #expect(line == "TIME  127.0.0.1  reachable      lo (loopback) from 127.0.0.1")
      #expect(outcome == Outcome(status: 0, output: line + "\n"))
    }
  }

  @Test(arguments: [[], ["--json"]])
  func `a reader that closes the pipe ends the watch silently, without any change`(_ options: [String]) throws
  {
    let command = try RunningCommand(["watch", "127.0.0.1"] + options, in: .sample())
    let line = try command.nextLine()
    command.closeOutput()
    try #expect(command.finish() == Outcome(status: 0, output: line + "\n"))
  }

  @Test func `a pipe without a reader ends the watch silently`() throws {
    let command = try RunningCommand(["watch", "127.0.0.1"], in: .sample(), isRead: false)
    try #expect(command.finish() == Outcome(status: 0))
  }

  @Test func `a change shorter than the settling time is not reported`() throws {
    let network = try NetworkNamespace.wired()
    try network.ip("route add default via 10.1.0.254")
    let command = try RunningCommand(["watch", "--settle", "2s", "--count", "2"], in: network)
    let line = "TIME  default  reachable      eth0 (wired) via 10.1.0.254 from 10.1.0.1"
    try #expect(command.nextLine() == line)

    try network.ip("route change default via 10.1.0.253")
    try network.ip("route change default via 10.1.0.254")
    let start = ContinuousClock.now
    try network.ip("route change default via 10.1.0.252")
    let outcome = try command.finish()
    #expect(ContinuousClock.now - start >= .seconds(2))
    #expect(
      outcome
        == Outcome(
          status: 0,
          output: """
            \(line)
            TIME  default  reachable      eth0 (wired) via 10.1.0.252 from 10.1.0.1

            """))
  }

  @Test func `a signal ends the watch while the reader has stopped reading`() throws {
    let command = try stalledWatch()
    command.send(SIGTERM)
    try #expect(command.exitStatus() == 0)
  }

  @Test func `a signal ends the stalled watch of another namespace`() throws {
    let network = try NetworkNamespace.sample()
    let command = try stalledWatch("--namespace", network.path)
    command.send(SIGTERM)
    try #expect(command.exitStatus() == 0)
  }

  @Test(Requirement(.unless("strace -D -f -o /dev/null true", "no program may be traced here")))
  func `a timeout that has passed waits for the first status of a busy machine`() throws {
    // Each thread waits before its first answer of the kernel.
    let delay = "-qq -e trace=recvfrom -e inject=recvfrom:delay_enter=1500000:when=1"
    let command = try RunningCommand(
      ["watch", "127.0.0.1", "--timeout", "0s"], in: .sample(),
      through: #"exec strace -D -f -o /dev/null \#(delay) "$@""#)
    let line = "TIME  127.0.0.1  reachable      lo (loopback) from 127.0.0.1\n"
    try #expect(command.finish() == Outcome(status: 0, output: line))
  }

  @Test func `a timeout ends the watch while the reader has stopped reading`() throws {
    let command = try stalledWatch("--timeout", "1s")
    try #expect(command.exitStatus() == 0)
  }

  @Test func `a reader that closes a full pipe ends the watch`() throws {
    let command = try stalledWatch()
    command.closeOutput()
    try #expect(command.exitStatus() == 0)
  }

  @Test func `a reader that reads again receives the newest status of each target`() throws {
    let network = try NetworkNamespace.wired()
    let command = try stalledWatch(in: network)
    try network.ip("route add 10.9.0.0/16 via 10.1.0.254")
    var unreachable = Set(Self.manyTargets)
    while !unreachable.isEmpty {
      let line = try command.nextLine()
      let target = try #require(unreachable.first { line.contains("\"target\":\"\($0)\"") })
      if line.contains("\"status\":\"reachable\"") { unreachable.remove(target) }
    }
  }

  private static let manyTargets = (0..<500).map { "10.9.\($0 / 250).\($0 % 250)" }

  /// A watch whose initial lines fill a pipe that the test does not read.
  private func stalledWatch(
    _ options: String..., in network: NetworkNamespace? = nil
  ) throws -> RunningCommand {
    let command = try RunningCommand(
      ["watch", "--json"] + options + Self.manyTargets, in: network ?? .sample())
    try command.waitUntilOutputIsFull()
    return command
  }
}
#endif
