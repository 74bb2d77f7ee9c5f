// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import Testing

@Suite(.needsNamespaces, .deadline) struct `Thread limits` {
  private static let commands = [
    ["watch", "127.0.0.1", "--count", "1"], ["path", "--watch", "--count", "1"],
    ["watch", "127.0.0.1", "--evidence", "--timeout", "0s"],
    ["export", "127.0.0.1", "--textfile", "/nonexistent/kit.prom"],
    ["wait", "127.0.0.1", "--timeout", "20s"], ["explain", "--probe", "1", "127.0.0.1"],
  ]

  private static let trouble = Outcome(
    status: 2,
    errors: """
      error: could not start a thread: Resource temporarily unavailable; raise the limit of threads (ulimit -u, or \
      pids.max of the control group)

      """)

  @Test(arguments: commands)
  func `a waiting command fails with an error if no thread can start`(_ arguments: [String]) throws {
    let network = try NetworkNamespace()
    try network.raiseLoopback()
    try network.run { try Faults.refuseThreads() }
    let outcome = try RunningCommand(arguments, in: network).finish(within: .seconds(10))
    #expect(outcome == Self.trouble)
  }

  @Test func `a check of an address needs no thread`() throws {
    let network = try NetworkNamespace()
    try network.raiseLoopback()
    try network.run { try Faults.refuseThreads() }
    let outcome = try RunningCommand(["check", "127.0.0.1"], in: network).finish(within: .seconds(10))
    #expect(outcome.status == 0)
  }

  @Test func `without a thread, an explanation lacks only the evidence`() throws {
    let network = try NetworkNamespace.wired()
    try network.run { try Faults.refuseThreads() }
    let outcome = try RunningCommand(["explain", "10.1.0.2"], in: network).finish(within: .seconds(10))
    #expect(outcome.status == 0)
    #expect(
      outcome.output.hasSuffix("traffic    TCP connections cannot be read: the system failed to answer\n"),
      "\(outcome)")
  }

  @Test func `a name lookup without a thread leaves the status unknown`() throws {
    let network = try NetworkNamespace()
    try network.run { try Faults.refuseThreads() }
    let outcome = try RunningCommand(["check", "name.test"], in: network).finish(within: .seconds(10))
    #expect(outcome.status == 2)
    #expect(outcome.output.contains("unknown"))
  }

  // Slow: 12 limits, each with every command, and lookups that are repeated after a second.
  @Test(arguments: 1...12)
  func `a low thread limit leads to an error or to the right answer`(_ limit: Int) throws {
    // An unused user ID, since the limit counts all threads of a user.
    let user = 200_000 + Int(getpid()) % 1_000_000 + 2_000_000 * limit
    guard try NetworkNamespace().shell("setpriv --reuid \(user) --clear-groups true").status == 0 else {
      print("skipped: this process cannot become another user")
      return
    }
    for arguments in Self.commands {
      let command = try RunningCommand(
        arguments, in: .sample(),
        through: "exec setpriv --reuid \(user) --clear-groups prlimit --nproc=\(limit) \"$@\"")
      let outcome = try command.finish(within: .seconds(20))
      // The probed port has no listener, and the folder of the metrics does not exist.
      let right: Int32 = ["explain": 1, "export": 2][arguments[0]] ?? 0
      #expect(outcome == Self.trouble || outcome.status == right, "\(arguments) \(outcome)")
    }
  }
}
#endif
