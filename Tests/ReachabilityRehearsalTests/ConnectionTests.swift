// SPDX-License-Identifier: Apache-2.0
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import RequirementSupport
import Testing

/// A network with two uplinks to one other network, and connections over both; the first one is preferred.
private final class ConnectedLab {
  let host: NetworkNamespace
  let peer: NetworkNamespace
  let listener: Listener
  var streams: [TCPStream] = []

  init() throws {
    (host, peer) = (try NetworkNamespace(), try NetworkNamespace())
    for (number, name) in [(1, "eth0"), (2, "wlan0")] {
      try host.ip("link add \(name) type veth peer name far\(number) netns \(peer.path)")
      try host.batch("link set lo up\nlink set \(name) up\naddress add 10.\(number).0.1/24 dev \(name)")
      try peer.batch(
        "link set lo up\nlink set far\(number) up\naddress add 10.\(number).0.2/24 dev far\(number)")
    }
    try peer.batch("address add 10.9.0.1/32 dev lo\nroute add 10.0.0.0/8 via 10.1.0.1")
    for name in ["eth0", "wlan0"] { try host.wait(until: name, shows: "state UP") }
    try host.batch("route add 10.9.0.0/16 via 10.1.0.2 metric 1\nroute add 10.9.0.0/16 via 10.2.0.2 metric 2")
    listener = try Listener(in: peer)
    for octets in [[10, 1, 0, 2], [10, 2, 0, 2], [10, 9, 0, 1]] as [[UInt8]] {
      streams.append(try TCPStream(from: host, to: octets, listener))
    }
  }

  /// The lines about connections, without ports.
  func lines(_ arguments: String..., environment: [String: String] = [:]) throws -> (
    lines: [String], status: Int32
  ) {
    let outcome = try RunningCommand(
      arguments, of: "reachability-rehearse", in: host, environment: environment
    ).finish()
    let lines = outcome.output.split(separator: "\n").drop { !$0.hasPrefix("connections") }
    return (
      lines.map { String($0).replacing(#/:\d+/#, with: "").replacing(#/ +/#, with: " ") }, outcome.status
    )
  }
}

@Suite(.needsNamespaces, .deadline) struct `Connections in a rehearsal` {
  /// The end of a line that names the owner: the test program, or its name cut by the kernel.
  private func owner(_ lines: [String]) -> [String] {
    lines.map {
      $0.replacing(#/10\.1\.0\.1 .*? (?=no route|its local|its packets|answers|a route)/#, with: "10.1.0.1 ")
    }
  }

  @Test func `those that lose their route or their address are lost, those on another path are moved`() throws
  {
    let lab = try ConnectedLab()
    let (down, status) = try lab.lines("10.9.0.1", "--down", "eth0")
    #expect(status == 1)
    #expect(
      owner(down) == [
        "connections: 1 that would break and 1 that would take another path, of 3",
        " 10.1.0.2 → 10.1.0.1 no route", " 10.9.0.1 → 10.1.0.1 its packets leave over wlan0 via 10.2.0.2",
      ], "\(down)")
    let (gone, _) = try lab.lines("10.9.0.1", "--", "ip", "address", "del", "10.1.0.1/24", "dev", "eth0")
    #expect(gone.filter { $0.contains("its local address disappears") }.count == 2, "\(gone)")
    let (blocked, _) = try lab.lines("10.9.0.1", "--", "ip", "route", "add", "blackhole", "10.9.0.1/32")
    #expect(
      owner(blocked).last == " 10.9.0.1 → 10.1.0.1 a route or rule discards packets", "\(blocked)")
  }

  @Test func `all are kept where nothing concerns them`() throws {
    let lab = try ConnectedLab()
    let (lines, status) = try lab.lines(
      "10.9.0.1", "--", "ip", "route", "add", "10.55.0.0/16", "via", "10.2.0.2")
    #expect(lines == ["connections: 3, all of them keep their path"] && status == 0)
  }

  @Test func `those over an interface without a carrier are lost, although the route stays`() throws {
    let lab = try ConnectedLab()
    try lab.host.batch(
      """
      link add br0 type bridge
      link set br0 up
      address del 10.1.0.1/24 dev eth0
      link set eth0 master br0
      address add 10.1.0.1/24 dev br0
      route add 10.9.0.0/16 via 10.1.0.2 metric 1
      """)
    try lab.host.wait(until: "br0", shows: "state UP")
    let (lines, status) = try lab.lines("10.9.0.1", "--down", "eth0")
    #expect(status == 1)
    #expect(lines.filter { $0.contains("br0 carries no packets") }.count == 2, "\(lines)")
  }

  @Test func `answers to an address of an interface that is down are missed`() throws {
    let lab = try ConnectedLab()
    // The address of eth0, but packets leave over wlan0.
    try lab.host.batch("rule add pref 5 to 10.9.0.1/32 lookup 9\nroute add default via 10.2.0.2 table 9")
    let (lines, status) = try lab.lines("10.9.0.9", "--down", "eth0")
    #expect(status == 1)
    #expect(
      lines.contains {
        $0.contains("10.9.0.1 → 10.1.0.1") && $0.contains("over eth0, which carries no packets")
      }, "\(lines)")
  }

  @Test func `the session over which the command is typed is first`() throws {
    let lab = try ConnectedLab()
    let text = try rehearse("--down", "eth0", in: lab.host).output
    let ends = try #require(text.firstMatch(of: #/10\.9\.0\.1:(\d+) → 10\.1\.0\.1:(\d+)/#))
    // This process has them open, which the command descends from.
    #expect(text.matches(of: #/your session/#).count == 2)
    let variable = "10.9.0.1 \(ends.1) 10.1.0.1 \(ends.2)"
    let (lines, _) = try lab.lines("--down", "eth0", environment: ["SSH_CONNECTION": variable])
    #expect(try #require(lines.dropFirst().first).contains("10.9.0.1 →"), "\(lines)")
    #expect(lines.filter { $0.contains("(your session)") }.count == 1)
  }
}
