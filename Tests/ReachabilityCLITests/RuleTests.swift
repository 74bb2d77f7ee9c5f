// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import LiveSupport
import Testing

/// Policy rules that select packets by more than their addresses.
@Suite(.needsNamespaces, .deadline) struct `Policy rules and the command` {
  private static func network(_ rules: String) throws -> NetworkNamespace {
    let network = try NetworkNamespace.wired()
    try network.batch("route add default via 10.1.0.254\nroute add default via fd00:1::fe\n" + rules)
    return network
  }

  private func text(_ network: NetworkNamespace, _ arguments: String...) throws -> String {
    try RunningCommand(arguments, in: network).finish().output
  }

  @Test func `a rule for users matches the effective user of a set-user-ID program`() throws {
    guard try NetworkNamespace().shell("setpriv --euid 1000 true").status == 0 else {
      print("skipped: this process cannot become another user")
      return
    }
    let network = try Self.network("rule add pref 50 uidrange 1000-1000 prohibit\n")
    let run = try RunningCommand(
      ["explain", "10.9.0.1"], in: network, through: "exec setpriv --euid 1000 \"$@\"")
    let outcome = try run.finish()
    #expect(outcome.status == 1)
    #expect(outcome.output.contains(/failed +route +rule 50 \(user 1000-1000\): prohibit\n/), "\(outcome)")
    #expect(try reachability("check", "10.9.0.1", in: network).status == 0)
  }

  @Test func `a user without an ID in its user namespace matches rules by the kernel's ID`() throws {
    let network = try Self.network("rule add pref 50 uidrange 0-0 prohibit\n")
    guard try network.shell("unshare -U true").status == 0 else {
      print("skipped: no user namespace can be created")
      return
    }
    let run = try RunningCommand(["check", "10.9.0.1"], in: network, through: "exec unshare -U \"$@\"")
    #expect(try run.finish().output.contains("prohibits it"))
  }

  @Test func `a rule for a port and a protocol applies to a URL`() throws {
    let network = try Self.network(
      "rule add pref 50 ipproto 6 dport 443 prohibit\nrule add pref 60 ipproto 17 dport 53-60 blackhole\n")
    func status(_ target: String) throws -> String { try text(network, "check", target) }
    #expect(try status("https://10.9.0.1").contains("prohibits it"))
    #expect(try status("https://10.9.0.1:8443/x").contains("reachable"))
    #expect(try status("http://10.9.0.1:443").contains("prohibits it"))
    #expect(try status("tcp://10.9.0.1:443").contains("prohibits it"))
    #expect(try status("udp://10.9.0.1:443").hasPrefix("udp://10.9.0.1:443  reachable"))
    #expect(try status("udp://10.9.0.1:57").contains("discards packets"))
    #expect(try status("udp://10.9.0.1:61").hasPrefix("udp://10.9.0.1:61  reachable"))
    #expect(try status("10.9.0.1").hasPrefix("10.9.0.1  reachable"))
  }

  @Test(arguments: ["10.9.0.1", "fd00:9::1"])
  func `the probed port decides which rules the route step applies`(_ address: String) throws {
    let network = try Self.network("")
    for family in ["-4", "-6"] {
      try network.ip("\(family) rule add pref 50 ipproto 6 dport 443 prohibit")
    }
    let text = try text(network, "explain", "--probe", "443", address)
    #expect(text.contains(/failed +route +rule 50 \(ipproto tcp dport 443\): prohibit\n/), "\(text)")
    #expect(text.contains("port 443: prohibited (EACCES)"), "\(text)")
    let other = try self.text(network, "explain", "--probe", "444", "--timeout", "100ms", address)
    #expect(other.contains("passed   route "), "\(other)")
  }
}
#endif
