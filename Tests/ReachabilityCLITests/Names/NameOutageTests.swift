// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import Testing

/// Hosts whose name server is behind the cable, or the route, that fails.
@Suite(.needsNameServer, .deadline) struct `The command watch of names around an outage` {
  /// A network whose name server is at the far end of a cable, and answers for addresses there.
  private final class Lab {
    let home: NetworkNamespace
    private let away: NetworkNamespace
    private let root: String
    private let settings: SettingsFolder
    private var server: NameServer?

    init(options: String = "timeout:5 attempts:2") throws {
      root = FileManager.default.temporaryDirectory.appending(path: "outage-\(UUID())").path
      home = try NetworkNamespace()
      away = try NetworkNamespace()
      settings = try SettingsFolder(root + "/etc", hosts: "10.1.0.254 listed.test\n")
      try settings.write("resolv.conf", "search .\nnameserver 10.8.0.53\noptions \(options)\n")
      try home.batch(
        """
        link set lo up
        link add eth0 type veth peer name peer0 netns \(away.path)
        link set eth0 addrgenmode none
        link set eth0 up
        address add 10.1.0.1/24 dev eth0
        """)
      try away.batch(
        """
        link set lo up
        link set peer0 addrgenmode none
        link set peer0 up
        address add 10.1.0.254/24 dev peer0
        address add 10.8.0.53/32 dev lo
        """)
      try home.wait(until: "eth0", shows: "state UP")
      try home.ip("route add default via 10.1.0.254")
      server = try NameServer(
        in: root, away, at: "10.8.0.53", serving: "10.1.0.0/24", "  local-data: \"a.test. A 10.9.0.1\"")
    }

    deinit {
      server = nil
      try? FileManager.default.removeItem(atPath: root)
    }

    func pullCable() throws {
      try away.ip("link set peer0 down")
      try home.wait(until: "eth0", shows: "NO-CARRIER")
    }

    /// Makes the router fall silent; the cable keeps its carrier.
    func silenceRouter() throws {
      try away.ip("address flush dev peer0")
      try home.ip("neigh flush dev eth0")
    }

    func restoreRouter() throws { try away.ip("address add 10.1.0.254/24 dev peer0") }

    func plugCable() throws { try away.ip("link set peer0 up") }

    func watch(_ names: String...) throws -> RunningCommand {
      try RunningCommand(["watch"] + names, in: home, through: settings.mounted(""))
    }
  }

  private static let reachable = "TIME  a.test  reachable      eth0 (wired) via 10.1.0.254 from 10.1.0.1"

  /// The status lines so far, without the addresses below.
  private func nextStatus(_ command: RunningCommand) throws -> String {
    while true {
      let line = try command.nextLine()
      if line.hasPrefix("TIME") { return line }
    }
  }

  /// The next known status, and the time until it arrived.
  private func timedStatus(_ command: RunningCommand) throws -> (line: String, time: Duration) {
    let start = ContinuousClock.now
    return (try nextStatus(command), ContinuousClock.now - start)
  }

  @Test(arguments: [1, 2])
  func `a lookup that began in an outage does not end the recovery`(timeout: Int) throws {
    let lab = try Lab(options: "timeout:\(timeout) attempts:1")
    // The router's address is asked for again only after the lookup has failed, which tries the name twice (`search`).
    try lab.home.writeSysctl("net/ipv4/neigh/eth0/retrans_time_ms", "\(2 * timeout * 1000 + 500)")
    let command = try lab.watch("a.test")
    try #expect(command.nextKnownLine() == Self.reachable)
    try lab.pullCable()
    try #expect(nextStatus(command) == "TIME  a.test  not reachable  no carrier, eth0 (wired)")
    try lab.home.sh("until ip neigh show dev eth0 | grep -q INCOMPLETE; do sleep 0.02; done")
    try lab.plugCable()
    try #expect(nextStatus(command) == Self.reachable)
    // The next change is the one that is made here once names are looked up again, not a failure of the lookup.
    try lab.home.sh("until ip neigh show dev eth0 | grep -q REACHABLE; do sleep 0.02; done")
    try lab.home.ip("route replace default via 10.1.0.253")
    try #expect(
      nextStatus(command) == "TIME  a.test  reachable      eth0 (wired) via 10.1.0.253 from 10.1.0.1")
  }

  @Test func `a host keeps its reason without a route, and returns with it`() throws {
    let lab = try Lab()
    let command = try lab.watch("a.test", "10.9.0.1")
    var lines = try [command.nextKnownLine(), nextStatus(command)]
    try lab.home.ip("route del default")
    lines = try [nextStatus(command), nextStatus(command)]
    #expect(
      Set(lines) == ["TIME  a.test    not reachable  no route", "TIME  10.9.0.1  not reachable  no route"])
    // Lookups fail meanwhile.
    Thread.sleep(forTimeInterval: 3)
    try lab.home.ip("route add default via 10.1.0.254")
    lines = []
    let times = try (0..<2).map { _ in
      let (line, time) = try timedStatus(command)
      lines.append(line)
      return time
    }
    let route = "reachable      eth0 (wired) via 10.1.0.254 from 10.1.0.1"
    #expect(Set(lines) == ["TIME  a.test    \(route)", "TIME  10.9.0.1  \(route)"])
    // The address is reachable at once, and so is the host.
    #expect(times[1] < .milliseconds(900))
  }

  @Test func `a start without a carrier names the unreachable name server immediately`() throws {
    let lab = try Lab()
    try lab.pullCable()
    let start = ContinuousClock.now
    let command = try lab.watch("a.test")
    try #expect(command.nextKnownLine() == "TIME  a.test  not reachable  no name server can be reached")
    #expect(ContinuousClock.now - start < .seconds(5))
    try lab.plugCable()
    let back = ContinuousClock.now
    try #expect(nextStatus(command) == Self.reachable)
    // Not after the lookup that began without a carrier, which takes ten seconds.
    #expect(ContinuousClock.now - back < .seconds(7))
  }

  @Test func `a host returns with a router that answers again, not with the next retry`() throws {
    let lab = try Lab(options: "timeout:1 attempts:1")
    for (name, value) in [("retrans_time_ms", "50"), ("mcast_solicit", "1")] {
      try lab.home.writeSysctl("net/ipv4/neigh/eth0/\(name)", value)
    }
    try lab.silenceRouter()
    let command = try lab.watch("a.test")
    try #expect(command.nextKnownLine().hasPrefix("TIME  a.test  not reachable"))
    // Slow: after the fourth failure the next retry is eight seconds away.
    try lab.home.sh(
      "until [ $(awk '/^Udp: [0-9]/ { print $5 }' /proc/net/snmp) -ge 16 ]; do sleep 0.05; done")
    try lab.home.sh("until ip neigh show dev eth0 | grep -q FAILED; do sleep 0.02; done")
    try lab.restoreRouter()
    let back = ContinuousClock.now
    // Another program's packet finds the router.
    try lab.home.sh("bash -c 'echo x >/dev/udp/10.1.0.254/9'")
    try #expect(nextStatus(command) == Self.reachable)
    #expect(ContinuousClock.now - back < .seconds(5))
  }

  @Test func `a name that needs no name server has no other status first`() throws {
    let lab = try Lab()
    try lab.pullCable()
    let command = try lab.watch("listed.test")
    try #expect(command.nextKnownLine() == "TIME  listed.test  not reachable  no carrier, eth0 (wired)")
  }
}
#endif
