// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import Testing

/// The options `--ipv4` and `--ipv6`.
@Suite(.needsNameServer, .deadline) struct `Address families of the command` {
  private static let route = "eth0 (wired) via 10.1.0.254 from 10.1.0.1"
  private static let route6 = "eth0 (wired) via fd00:1::fe from fd00:1::1"

  @Test(
    arguments: [
      (["-4", "both.test"], 0, "both.test  reachable      \(route)\n  10.9.0.1  reachable      \(route)\n"),
      (
        ["--ipv6", "both.test"], 0,
        "both.test  reachable      \(route6)\n  fd00:9::1  reachable      \(route6)\n"
      ),
      (["-6", "a.test"], 1, "a.test  not reachable  the name has no address\n"),
      (["-4", "aaaa.test"], 1, "aaaa.test  not reachable  the name has no address\n"),
      (["-4", "10.9.0.1"], 0, "10.9.0.1  reachable      \(route)\n"),
    ] as [([String], Int32, String)])
  func `check is about the addresses of one family`(
    _ arguments: [String], _ status: Int32, _ output: String
  ) throws {
    let command = try NameLab.sample().start(["check"] + arguments)
    try #expect(command.finish() == Outcome(status: status, output: output))
  }

  @Test func `watch and wait observe one family, beside others of the same name`() throws {
    let lab = try NameLab.sample()
    let watch = try lab.start(["watch", "-6", "both.test"])
    let lines = try watch.output { $0.contains("fd00:9::1  reachable") }
    #expect(!lines.contains("10.9.0.1"), "\(lines)")
    let wait = try lab.start(["wait", "-6", "--timeout", "300ms", "a.test"]).finish()
    #expect(wait.status == 1 && wait.errors.contains("The name a.test has no IPv6 address.\n"), "\(wait)")
  }

  @Test func `explain names the family that a name has no address of`() throws {
    let outcome = try NameLab.sample().start(["explain", "-6", "a.test"]).finish()
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("The name a.test has no IPv6 address"), "\(outcome)")
    let only = try NameLab.sample().start(["explain", "-4", "both.test"]).finish()
    #expect(
      only.output.contains("both.test resolves to 10.9.0.1 ") && !only.output.contains("IPv6"), "\(only)")
  }

  @Test(arguments: [
    (["-46"], "--ipv4 does not fit --ipv6"), (["-6", "10.1.0.1"], "'10.1.0.1' is no IPv6 address"),
    (["-4", "--from", "fd00:1::1"], "--from fd00:1::1 is no IPv4 address"),
    (["-4", "tcp://[fd00:1::1]:9"], "'tcp://[fd00:1::1]:9' is no IPv4 address"),
    (["-4", "::"], "'::' is no IPv4 address"), (["path", "-4"], "'path' does not accept -4"),
  ])
  func `addresses of the other family are refused`(_ arguments: [String], _ error: String) throws {
    let outcome = try RunningCommand(arguments, in: .sample()).finish()
    #expect(outcome.status == 2 && outcome.errors.hasPrefix("error: \(error)\nhint: "), "\(outcome)")
  }

  @Test func `the default route says that it leads packets of one family only`() throws {
    let network = try NetworkNamespace.wired()
    try network.ip("route add default via 10.1.0.254")
    try #expect(reachability(in: network).output == "default  reachable      \(Self.route), no IPv6\n")
    try #expect(reachability("-4", in: network).output == "default  reachable      \(Self.route)\n")
    try #expect(reachability("-6", in: network).output == "default  not reachable  no route\n")
    try network.ip("-6 route add default via fd00:1::fe")
    try #expect(reachability(in: network).output == "default  reachable      \(Self.route)\n")
    try network.ip("route del default")
    try #expect(reachability(in: network).output == "default  reachable      \(Self.route6), no IPv4\n")
  }
}
#endif
