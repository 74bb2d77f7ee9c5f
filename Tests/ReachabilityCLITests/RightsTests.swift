// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import LiveSupport
import Testing

/// Only entering another network namespace needs a privilege.
@Suite(.needsNamespaces, .deadline) struct `Without privileges` {
  /// Starts the command without capabilities, and without a way to gain them.
  private static let withoutPrivileges =
    "exec setpriv --bounding-set=-all --inh-caps=-all --no-new-privs \"$@\""

  @Test(arguments: [
    ["check", "10.9.0.1", "default", "10.66.1.1", "fe80::2%eth0", "::1"],
    ["check", "--from", "10.2.0.1", "8.8.8.8"],
    ["check", "--mark", "0x42", "10.9.0.1"], ["check", "--interface", "wire1", "10.2.0.9"],
    ["watch", "10.9.0.1", "default", "--count", "2"], ["wait", "10.9.0.1"],
    ["wait", "--until", "unreachable", "10.9.0.1", "--timeout", "300ms"], ["path"],
    ["path", "--require", "loopback"], ["path", "--watch", "--count", "1"],
  ])
  func `each command gives the same answer`(_ arguments: [String]) throws {
    for more in [[], ["--json"]] {
      let privileged = try RunningCommand(arguments + more, in: .sample()).finish()
      let ordinary = try RunningCommand(arguments + more, in: .sample(), through: Self.withoutPrivileges)
        .finish()
      // The order of two targets' initial events is unspecified.
      #expect(ordinary.status == privileged.status)
      #expect(
        ordinary.output.split(separator: "\n").sorted() == privileged.output.split(separator: "\n").sorted())
      #expect(ordinary.errors == privileged.errors)
    }
  }

  @Test func `a watch receives changes`() throws {
    let network = try NetworkNamespace.wired()
    let watch = try RunningCommand(
      ["watch", "10.9.0.1", "--count", "3"], in: network, through: Self.withoutPrivileges)
    try #expect(watch.nextLine() == "TIME  10.9.0.1  not reachable  no route")
    try network.ip("route add 10.9.0.0/16 via 10.1.0.254")
    try #expect(
      watch.nextLine() == "TIME  10.9.0.1  reachable      eth0 (wired) via 10.1.0.254 from 10.1.0.1")
    try network.ip("link set eth0 down")
    try #expect(watch.nextLine().hasPrefix("TIME  10.9.0.1  not reachable"))
    try #expect(watch.finish().status == 0)
  }

  @Test(arguments: [["check"], ["watch"], ["wait"], ["path"], ["path", "--watch"]])
  func `another namespace cannot be entered, and the error names the privilege`(
    _ arguments: [String]
  ) throws {
    let network = try NetworkNamespace()
    try network.hideFolders("/run")
    try network.sh("ip netns add blue")
    for more in [[], ["--json"]] {
      let command = try RunningCommand(
        arguments + ["--namespace", "blue"] + more, in: network, through: Self.withoutPrivileges)
      let error = """
        error: could not enter the network namespace 'blue': Operation not permitted; \
        this requires CAP_SYS_ADMIN in it and in this process's user namespace, as root has

        """
      try #expect(command.finish() == Outcome(status: 2, errors: error))
    }
  }

  @Test func `the process's own namespace needs no privileges, by any path`() throws {
    let outcome = try RunningCommand(
      ["check", "10.9.0.1", "--namespace", "/proc/self/ns/net"], in: .sample(),
      through: Self.withoutPrivileges
    ).finish()
    let line = "10.9.0.1  reachable      eth0 (wired) via 10.1.0.254 from 10.1.0.1\n"
    #expect(outcome == Outcome(status: 0, output: line))
  }
}
#endif
