// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import CommandSupport
import DeadlineSupport
import LiveSupport
import RequirementSupport
import Testing

@Suite(.needsNamespaces, .deadline) struct `System errors` {
  @Test(arguments: [["check"], ["watch", "--json"], ["wait"]])
  func `a system without free sockets is an error`(_ arguments: [String]) throws {
    // One more than the three streams, which loading the program needs.
    let outcome = try run(arguments, descriptors: 4)
    #expect(outcome == Self.withoutSockets)
  }

  @Test(arguments: 5...20)
  func `a low descriptor limit leads to an error or to the right answer`(_ limit: Int) throws {
    let errors = [Self.withoutSockets, Self.withoutEvents, Self.withoutDescriptors]
    let line = "TIME  127.0.0.1  reachable      lo (loopback) from 127.0.0.1\n"
    let watch = try run(["watch", "127.0.0.1", "--count", "1", "--timeout", "1m"], descriptors: limit)
    #expect((errors + [Outcome(status: 0, output: line)]).contains(watch))

    let timedOut = "timed out: 127.0.0.1 is reachable lo (loopback) from 127.0.0.1\n"
    let wait = try run(
      ["wait", "--until", "unreachable", "127.0.0.1", "--timeout", "100ms"], descriptors: limit)
    #expect((errors + [Outcome(status: 1, errors: timedOut)]).contains(wait))
  }

  @Test(arguments: 5...20, ["check", "explain"])
  func `a command that observes nothing needs no descriptors for that`(_ limit: Int, _ command: String) throws
  {
    let outcome = try run([command, "127.0.0.1"], descriptors: limit)
    let errors = [Self.withoutSockets, Self.withoutEvents]
    #expect(errors.contains(outcome) || (outcome.status == 0 && outcome.errors == ""), "\(outcome)")
  }

  @Test(
    arguments: [
      (EPERM, "Operation not permitted"), (EACCES, "Permission denied"),
      (EAFNOSUPPORT, "Address family not supported by protocol"),
    ])
  func `a sandbox without netlink sockets is an error`(
    _ error: (number: Int32, text: String)
  ) throws {
    let network = try NetworkNamespace()
    try network.run { try Faults.refuse("socket", where: (0, UInt32(AF_NETLINK)), with: error.number) }
    let expected = Outcome(
      status: 2,
      errors: """
        error: the kernel's network tables can't be read: could not open a netlink socket: \(error.text)

        """)
    for arguments in [
      ["check"], ["check", "--json", "127.0.0.1", "name.test"], ["watch"], ["wait", "--timeout", "1m"],
      ["path"],
    ] {
      #expect(try reachability(arguments, in: network) == expected)
    }
  }

  @Test(
    Requirement(
      .unless(
        "\(withoutProc) test ! -e /proc/self",
        "no file system can be mounted over /proc for one command alone")))
  func `the command reads its arguments where /proc is not mounted`() throws {
    let command = try RunningCommand(
      ["check", "127.0.0.1", "::1"], in: .sample(), through: "\(Self.withoutProc) \"$@\"")
    let lines = """
      127.0.0.1  reachable      lo (loopback) from 127.0.0.1
      ::1        reachable      lo (loopback) from ::1

      """
    #expect(try command.finish() == Outcome(status: 0, output: lines))
  }

  private static let withoutProc =
    "exec unshare --mount sh -c 'mount -t tmpfs none /proc && exec \"$0\" \"$@\"'"

  @Test func `a non-blocking stream receives all lines`() throws {
    let network = try NetworkNamespace()
    let targets = (0..<3000).map { "10.\($0 / 256).\($0 % 256).1" }
    let command = try RunningCommand(["check"] + targets, in: network, isBlocking: false)
    try command.waitUntilOutputIsFull()
    let outcome = try command.finish()
    #expect(
      outcome.output
        == targets.map {
          "\($0.padding(toLength: 11, withPad: " ", startingAt: 0))  not reachable  no route\n"
        }.joined())
    #expect(outcome.status == 1 && outcome.errors == "")
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `a signal ends a watch whose non-blocking stream is full`(_ signal: Int32) throws {
    let network = try NetworkNamespace()
    let targets = (0..<3000).map { "10.\($0 / 256).\($0 % 256).1" }
    let command = try RunningCommand(["watch"] + targets, in: network, isBlocking: false)
    try command.waitUntilOutputIsFull()
    command.send(signal)
    #expect(try command.exitStatus(within: RunningCommand.timeLimit) == 0)
  }

  private func reachability(_ arguments: [String], in network: NetworkNamespace) throws -> Outcome {
    try RunningCommand(arguments, in: network).finish()
  }

  @Test(
    arguments: [["check"], ["watch", "--count", "9"], ["--help"]],
    [(">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")])
  func `data that cannot be written is an error`(
    _ arguments: [String], _ sink: (redirection: String, error: String)
  ) throws {
    let command = try RunningCommand(
      arguments + ["127.0.0.1"], in: .sample(), through: "exec \"$@\" \(sink.redirection)")
    let outcome = try command.finish()
    #expect(outcome == Outcome(status: 2, errors: "error: could not write the output: \(sink.error)\n"))
  }

  private static let withoutSockets = Outcome(
    status: 2,
    errors: """
      error: the kernel's network tables can't be read: could not open a netlink socket: \
      Too many open files

      """)
  private static let withoutEvents = Outcome(
    status: 2,
    errors: """
      error: the kernel's network tables can't be read: could not prepare to wait for changes: \
      Too many open files

      """)
  private static let withoutDescriptors = Outcome(
    status: 2,
    errors: """
      error: changes cannot be observed: Too many open files; raise the limit of open files (ulimit -n)

      """)

  /// Runs the command with a limit of descriptors, which includes its three streams.
  private func run(_ arguments: [String], descriptors limit: Int) throws -> Outcome {
    try RunningCommand(arguments, in: .sample(), through: "ulimit -n \(limit); exec \"$@\"")
      .finish()
  }
}
#endif
