// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import RequirementSupport
import Testing

@Suite(.needsNamespaces, .deadline) struct `The option --connect` {
  /// The output, with `TIME` in place of durations.
  private func output(_ outcome: Outcome) -> String {
    outcome.output.replacing(/[0-9]+(\.[0-9])? m?s\b/, with: "TIME")
  }

  @Test func `check says of each target whether it answers`() throws {
    let network = try NetworkNamespace.wired()
    let listener = try Listener(in: network)
    let outcome = try reachability(
      "check", "--connect", "--timeout", "5s", "tcp://10.1.0.1:\(listener.port)", "tcp://10.1.0.1:9",
      in: network)
    #expect(outcome.status == 1)
    let name = "tcp://10.1.0.1:\(listener.port)"
    let column = String(repeating: " ", count: name.count + 2)
    #expect(
      output(outcome) == """
        \(name)  reachable      eth0 (wired) from 10.1.0.1
        \(column)connected      10.1.0.1 port \(listener.port) after TIME
        \("tcp://10.1.0.1:9".padding(toLength: name.count, withPad: " ", startingAt: 0))  reachable      eth0 (wired) from 10.1.0.1
        \(column)not connected  10.1.0.1 port 9: refused

        """, "\(outcome)")
    let one = try reachability("check", "--connect", "--json", name, in: network)
    #expect(
      one.status == 0 && one.output.contains(#""connection":{"#) && one.output.contains(#""connected":true"#))
    let plain = try reachability("check", "--json", name, in: network)
    #expect(plain.status == 0 && !plain.output.contains(#""connection":"#))
  }

  @Test func `wait returns when the targets answer, or says which do not`() throws {
    let network = try NetworkNamespace.wired()
    let listener = try Listener(in: network)
    let (open, shut) = ("tcp://10.1.0.1:\(listener.port)", "tcp://10.1.0.1:9")
    try #expect(reachability("wait", "--connect", "--timeout", "20s", open, in: network).status == 0)
    try #expect(
      reachability("wait", "--connect", "--any", "--timeout", "20s", shut, open, in: network).status == 0)
    let outcome = try reachability("wait", "--connect", "--timeout", "300ms", open, shut, in: network)
    #expect(
      outcome == Outcome(status: 1, errors: "timed out: tcp://10.1.0.1:9: 10.1.0.1 port 9: refused\n"))
  }

  @Test func `a server that answers before its target's status has settled is not forgotten`() throws {
    let network = try NetworkNamespace.wired()
    let listener = try Listener(in: network)
    try network.ip("address del 10.1.0.1/24 dev eth0")
    let wait = try RunningCommand(
      ["wait", "--connect", "--settle", "3s", "--timeout", "15s", "tcp://10.1.0.1:\(listener.port)"],
      in: network)
    // It has looked at least once.
    usleep(500_000)
    try network.ip("address add 10.1.0.1/24 dev eth0")
    try #expect(wait.finish() == Outcome(status: 0))
  }

  @Test func `a server that is silent delays no other, and is named when the time is over`() throws {
    let network = try NetworkNamespace.wired()
    // Packets leave for a router that does not forward them.
    try network.ip("neighbour replace 10.1.0.254 lladdr 02:00:00:00:00:fe dev eth0 nud permanent")
    try network.ip("route add 10.9.0.0/16 via 10.1.0.254")
    let (silent, open) = ("tcp://10.9.0.1:443", "tcp://10.1.0.1:8183")
    let check = try RunningCommand(["check", "--connect", silent], in: network)
    let wait = try RunningCommand(
      ["wait", "--connect", "--any", "--timeout", "60s", open, silent], in: network)
    let listener = try Listener(in: network, port: 8183)
    // An attempt at the silent one takes ten seconds, and has begun earlier.
    try #expect(wait.finish() == Outcome(status: 0))
    #expect(throws: CommandError.self) { try check.exitStatus(within: .zero) }
    let outcome = try reachability("wait", "--connect", "--timeout", "300ms", silent, open, in: network)
    #expect(outcome.status == 1)
    #expect(
      outcome.errors.hasPrefix("timed out: \(silent): ") && outcome.errors.contains("no answer"),
      "\(outcome)")
    withExtendedLifetime(listener) {}
  }

  @Test(arguments: [
    (["check", "--connect", "10.1.0.1"], "--connect needs a TCP port, which '10.1.0.1' does not have"),
    (["check", "--connect"], "--connect needs a TCP port, which 'default' does not have"),
    (["check", "--connect", "tcp://0.0.0.0:80"], "'tcp://0.0.0.0:80' is no address to connect to"),
    (
      ["wait", "--connect", "udp://10.1.0.1:53"],
      "--connect needs a TCP port, which 'udp://10.1.0.1:53' does not have"
    ),
    (
      ["wait", "--connect", "--until", "unreachable", "tcp://10.1.0.1:9"],
      "--connect does not fit --until unreachable"
    ),
    (
      ["wait", "--connect", "--verify", "http://10.1.0.1/", "tcp://10.1.0.1:9"],
      "--connect does not fit --verify, which connects too"
    ),
  ])
  func `a target without a port and options that do not fit are refused`(
    _ arguments: [String], _ error: String
  ) throws {
    let outcome = try RunningCommand(arguments, in: .sample()).finish()
    #expect(outcome.status == 2 && outcome.errors.hasPrefix("error: \(error)\nhint: "), "\(outcome)")
  }

  @Test func `check gives up a lookup after the time limit`() throws {
    let network = try NetworkNamespace.wired()
    // Nothing answers for the name server.
    try network.ip("route add 10.9.0.0/16 via 10.1.0.254")
    let command = try RunningCommand(
      ["check", "--timeout", "300ms", "slow.example"], in: network,
      through: """
        exec unshare --mount sh -c 'mount -t tmpfs none /mnt && echo nameserver 10.9.0.53 >/mnt/resolv.conf \
        && mount --bind /mnt/resolv.conf /etc/resolv.conf && exec "$@"' sh "$@"
        """)
    #expect(
      try command.finish() == Outcome(status: 2, output: "slow.example  unknown        resolving its name\n"))
  }
}
#endif
