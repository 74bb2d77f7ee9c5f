// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import LiveSupport
import Testing

@Suite(.needsNamespaces, .deadline) struct `The command check` {
  @Test(arguments: [CommandCase].checks)
  func `a status is one line of text`(_ check: CommandCase) throws {
    try #expect(
      RunningCommand(check.arguments, in: .sample()).finish()
        == Outcome(status: check.status, output: check.line + "\n"))
  }

  @Test func `the statuses of several targets are aligned, in the order of the targets`() throws {
    let outcome = try reachability(
      "10.9.0.1", "127.0.0.1", "fe80::2%eth0", "10.66.1.1", "10.3.0.2", "default", "10.1.0.1", in: .sample())
    #expect(
      outcome
        == Outcome(
          status: 1,
          output: """
            10.9.0.1      reachable      eth0 (wired) via 10.1.0.254 from 10.1.0.1
            127.0.0.1     reachable      lo (loopback) from 127.0.0.1
            fe80::2%eth0  reachable      eth0 (wired) from fe80::1
            10.66.1.1     not reachable  a route or rule discards packets
            10.3.0.2      not reachable  no carrier, loose (wired)
            default       reachable      eth0 (wired) via 10.1.0.254 from 10.1.0.1, no IPv6
            10.1.0.1      reachable      eth0 (wired) from 10.1.0.1

            """))
  }

  @Test func `without a target, the default route is checked`() throws {
    let line = "default  reachable      eth0 (wired) via 10.1.0.254 from 10.1.0.1, no IPv6\n"
    try #expect(reachability(in: .sample()) == Outcome(status: 0, output: line))
    try #expect(reachability("check", in: .sample()) == Outcome(status: 0, output: line))
  }

  @Test(arguments: ["0.0.0.0", "::"])
  func `an address of zeros means the default route`(_ text: String) throws {
    let line = "\(text)  reachable      eth0 (wired) via 10.1.0.254 from 10.1.0.1, no IPv6\n"
    try #expect(reachability(text, in: .sample()) == Outcome(status: 0, output: line))
  }

  @Test func `a network without a default route reports no route`() throws {
    let outcome = try reachability("default", "10.1.0.2", in: .wired())
    #expect(
      outcome
        == Outcome(
          status: 1,
          output: """
            default   not reachable  no route
            10.1.0.2  reachable      eth0 (wired) from 10.1.0.1

            """))
  }

  @Test func `a machine without interfaces reaches nothing`() throws {
    let outcome = try reachability("127.0.0.1", "::1", "default", in: NetworkNamespace())
    #expect(
      outcome
        == Outcome(
          status: 1,
          output: """
            127.0.0.1  not reachable  interface down, lo (loopback)
            ::1        not reachable  interface down, lo (loopback)
            default    not reachable  no route

            """))
  }

  @Test func `an interface that is down is the reason if only it has the subnet`() throws {
    let network = try NetworkNamespace.wired()
    try network.ip("link set eth0 down")
    try #expect(
      reachability("10.1.0.2", in: network)
        == Outcome(status: 1, output: "10.1.0.2  not reachable  interface down, eth0 (wired)\n"))
  }

  @Test(.needsTunnels) func `a tunnel interface is described as a tunnel`() throws {
    let network = try NetworkNamespace.wired()
    try network.batch(
      """
      link add vpn0 type vxlan id 1 remote 10.1.0.9 dstport 4789 dev eth0
      link set vpn0 addrgenmode none
      link set vpn0 up
      address add 10.7.0.1/24 dev vpn0
      """)
    let outcome = try reachability("10.7.0.2", in: network)
    let line = "10.7.0.2  reachable      vpn0 (vxlan tunnel) from 10.7.0.1 over eth0 (wired)\n"
    #expect(outcome == Outcome(status: 0, output: line))
    let object = try reachability("10.7.0.2", "--json", in: network)
    #expect(
      object
        == Outcome(
          status: 0,
          output: #"""
            {"version":1,"time":"TIME","target":"10.7.0.2","status":"reachable","reason":null,\#
            "flags":["transientConnection","reachable","isDirect"],"flagsValue":131075,\#
            "interface":"vpn0","index":0,"kind":"other","isTunnel":true,"linkType":"vxlan","gateway":null,\#
            "source":"10.7.0.1","underlays":[{"remote":"10.1.0.9","interface":"eth0","index":0,"kind":"wired",\#
            "isTunnel":false,"linkType":"veth","gateway":null,"source":"10.1.0.1"}],\#
            "addresses":[],"previous":null,"event":"check"}

            """#))
  }

  @Test func `a missing reader does not change the exit status`() throws {
    let command = try RunningCommand(["10.66.1.1", "10.1.0.1"], in: .sample(), isRead: false)
    try #expect(command.finish() == Outcome(status: 1))
  }
}

extension [CommandCase] {
  /// The cases of `check`.
  fileprivate static let checks = reachable + notReachable + constrained

  private static let reachable = [
    CommandCase(
      "by a gateway", "10.9.0.1", 0, "10.9.0.1  reachable      eth0 (wired) via 10.1.0.254 from 10.1.0.1"),
    CommandCase("on the link", "10.1.0.2", 0, "10.1.0.2  reachable      eth0 (wired) from 10.1.0.1"),
    CommandCase("IPv6 on the link", "fd00:1::2", 0, "fd00:1::2  reachable      eth0 (wired) from fd00:1::1"),
    CommandCase("local", "10.2.0.1", 0, "10.2.0.1  reachable      wire1 (wired) from 10.2.0.1"),
    CommandCase("IPv6 local", "fd00:1::1", 0, "fd00:1::1  reachable      eth0 (wired) from fd00:1::1"),
    CommandCase("loopback", "127.0.0.1", 0, "127.0.0.1  reachable      lo (loopback) from 127.0.0.1"),
    CommandCase(
      "IPv4 in IPv6", "::ffff:10.1.0.2", 0, "::ffff:10.1.0.2  reachable      eth0 (wired) from 10.1.0.1"),
    CommandCase(
      "link-local with a zone", "fe80::2%eth0", 0, "fe80::2%eth0  reachable      eth0 (wired) from fe80::1"),
    CommandCase(
      "default route", "default", 0,
      "default  reachable      eth0 (wired) via 10.1.0.254 from 10.1.0.1, no IPv6"),
  ]

  private static let notReachable = [
    CommandCase("no route", "2001:db8::1", 1, "2001:db8::1  not reachable  no route"),
    CommandCase("blackhole", "10.66.1.1", 1, "10.66.1.1  not reachable  a route or rule discards packets"),
    CommandCase("unreachable", "10.66.2.1", 1, "10.66.2.1  not reachable  a route says unreachable"),
    CommandCase("prohibited", "10.66.3.1", 1, "10.66.3.1  not reachable  a route or rule prohibits it"),
    CommandCase("no carrier", "10.3.0.2", 1, "10.3.0.2  not reachable  no carrier, loose (wired)"),
    CommandCase(
      "zone missing", "fe80::2", 1, "fe80::2  not reachable  a link-local address needs a zone"),
    CommandCase(
      "zone of no interface", "fe80::2%eth9", 1, "fe80::2%eth9  not reachable  no such interface"),
  ]

  private static let constrained = [
    CommandCase(
      "interface", "10.9.0.1 --interface eth0", 0,
      "10.9.0.1  reachable      eth0 (wired) via 10.1.0.254 from 10.1.0.1"),
    CommandCase(
      "interface without a route", "10.8.0.1 --interface wire1", 1, "10.8.0.1  not reachable  no route"),
    CommandCase(
      "interface that is down", "10.4.0.2 --interface off", 1,
      "10.4.0.2  not reachable  interface down, off (wired)"),
    CommandCase(
      "unknown interface", "10.9.0.1 --interface eth9", 1, "10.9.0.1  not reachable  no such interface"),
    CommandCase(
      "interface as the zone", "fe80::2 --interface eth0", 0,
      "fe80::2  reachable      eth0 (wired) from fe80::1"),
    CommandCase(
      "interface and the same zone", "--interface eth0 fe80::2%eth0", 0,
      "fe80::2%eth0  reachable      eth0 (wired) from fe80::1"),
    CommandCase(
      "own source with a rule of its own", "10.9.0.1 --from 10.2.0.1", 0,
      "10.9.0.1  reachable      wire1 (wired) via 10.2.0.253 from 10.2.0.1"),
    CommandCase(
      "foreign source", "10.9.0.1 --from 10.1.0.77", 1,
      "10.9.0.1  not reachable  no local address to send from"),
    CommandCase(
      "mark with a rule", "10.9.0.1 --mark 0x42", 0,
      "10.9.0.1  reachable      wire1 (wired) via 10.2.0.254 from 10.2.0.1"),
    CommandCase(
      "mark with a rule, decimal", "10.9.0.1 --mark=66", 0,
      "10.9.0.1  reachable      wire1 (wired) via 10.2.0.254 from 10.2.0.1"),
    CommandCase(
      "mark without a rule", "10.9.0.1 --mark 67", 0,
      "10.9.0.1  reachable      eth0 (wired) via 10.1.0.254 from 10.1.0.1"),
  ]
}
#endif
