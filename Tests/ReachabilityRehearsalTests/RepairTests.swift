// SPDX-License-Identifier: Apache-2.0
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import RequirementSupport
import Testing

/// Commands that are tried in copies because they may make a target reachable.
@Suite(.needsNamespaces, .deadline) struct `Repairs of a network` {
  /// A trouble, and the command that ends it.
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// Commands of a shell.
    var trouble: String
    var target: String
    /// The first command that helps.
    var repair: String
    var condition: String?

    init(
      _ description: String, _ trouble: String, _ target: String, _ repair: String, _ condition: String? = nil
    ) {
      testDescription = description
      self.trouble = trouble
      self.target = target
      self.repair = repair
      self.condition = condition
    }
  }

  static let cases = [
    Case(
      "a blackhole", "ip route add blackhole 10.9.0.7", "10.9.0.7",
      "ip route del blackhole 10.9.0.7/32 table main"),
    Case(
      "a rule", "ip rule add pref 90 to 10.9.0.0/16 prohibit", "10.9.0.7",
      "ip rule del pref 90 to 10.9.0.0/16 prohibit"),
    Case(
      "an interface that is down", "ip -4 route flush default; ip link set eth0 down", "10.1.0.7",
      "ip link set dev eth0 up"),
    Case(
      "no route, and a neighbour that answered",
      "ip -4 route flush default; ip route del 10.9.0.0/16; ip neigh add 10.1.0.254 dev eth0 lladdr 02:00:00:00:00:09 nud stale",
      "10.77.0.7",
      "ip route add default via 10.1.0.254 dev eth0", "10.1.0.254 is a router"),
    Case(
      "a rule that leads to an empty table with an end",
      "ip rule add pref 90 to 10.77.0.0/16 lookup 90; ip route add unreachable default table 90", "10.77.0.7",
      "ip route del unreachable default table 90"),
    Case(
      "two rules", "ip rule add pref 90 to 10.77.0.7 prohibit; ip rule add pref 91 to 10.77.0.7 blackhole",
      "10.77.0.7",
      "ip rule del pref 90 to 10.77.0.7/32 prohibit && ip rule del pref 91 to 10.77.0.7/32 blackhole"),
    Case(
      "a cable whose other end is down", "ip link set peer0 down", "10.77.0.7", "ip link set dev peer0 up"),
  ]

  @Test(arguments: cases)
  func `a command that helps in a copy helps in the network too`(_ test: Case) throws {
    let network = try NetworkNamespace.withUplinks()
    try network.sh(test.trouble)
    if test.trouble.contains("peer0 down") { try network.wait(until: "eth0", shows: "state LOWERLAYERDOWN") }
    // The kernel changes the state of the other end up to a second later.
    if test.trouble.contains("eth0 down") { try network.wait(until: "peer0", shows: "state LOWERLAYERDOWN") }
    let before = try network.sh(
      "ip -4 route show table all; ip -6 route show table all; ip rule; ip -br link")
    let outcome = try rehearse("--repair", test.target, in: network)
    let condition = test.condition ?? ""
    #expect(outcome.status == 0 && outcome.output.hasPrefix("repair: \(test.repair)\n"), "\(outcome)")
    #expect(
      outcome.output.split(separator: "\n").dropFirst().first?.hasSuffix(condition) == true, "\(outcome)")
    // Nothing happened.
    #expect(
      try network.sh("ip -4 route show table all; ip -6 route show table all; ip rule; ip -br link") == before
    )
    try network.sh(test.repair)
    if test.repair.hasPrefix("ip link set") { try network.wait(until: "eth0", shows: "state UP") }
    #expect(try reachability("check", test.target, in: network).status == 0)
  }

  @Test func `a carrier is a condition, since only an interface that is up has one`() throws {
    let (network, far) = (try NetworkNamespace(), try NetworkNamespace())
    try network.ip("link add lonely type veth peer name other netns \(far.path)")
    try network.ip("address add 10.77.0.1/24 dev lonely")
    let outcome = try rehearse("--repair", "10.77.0.9", in: network)
    #expect(outcome.output.hasPrefix("repair: ip link set dev lonely up\n"), "\(outcome)")
    #expect(outcome.output.contains(", if lonely has a carrier\n"), "\(outcome)")
  }

  @Test func `a router that did not answer is a condition`() throws {
    let network = try NetworkNamespace.withUplinks()
    try network.sh("ip neigh add 10.1.0.254 dev eth0 nud failed; ip route add blackhole 10.77.0.7")
    let outcome = try rehearse("--repair", "10.77.0.7", in: network)
    #expect(outcome.output.contains(", if 10.1.0.254 answers, which it did not\n"), "\(outcome)")
  }

  @Test func `a source that routers do not forward is no repair`() throws {
    let network = try NetworkNamespace.withUplinks()
    try network.sh(
      """
      ip -6 route flush default; ip -6 address flush dev eth0; ip -6 address add fe80::1/64 dev eth0 nodad
      ip -6 neigh add fe80::99 dev eth0 lladdr 02:00:00:00:00:09 router nud reachable
      """)
    try network.awaitAddresses()
    let outcome = try rehearse("--repair", "2001:db8::1", in: network)
    #expect(
      outcome.status == 1
        && outcome.output.contains(
          "  its packets would leave from fe80::1, and routers do not forward these\n"),
      "\(outcome)")
  }

  @Test func `another default route stands behind those that there are`() throws {
    let network = try NetworkNamespace.withUplinks()
    try network.sh("ip route del default via 192.168.1.1; ip route add 10.30.0.0/16 via 192.168.1.1")
    let outcome = try rehearse("--repair", "default", "--interface", "wlan0", in: network)
    #expect(
      outcome.output.hasPrefix("repair: ip route add default via 192.168.1.1 dev wlan0 metric 101\n"),
      "\(outcome)")
  }

  @Test func `a way past a tunnel is a warning`() throws {
    let network = try NetworkNamespace.withUplinks()
    try network.sh(
      """
      ip tuntap add name tun0 mode tun; ip link set tun0 up; ip address add 10.8.0.2/32 dev tun0
      ip route add default dev tun0 table 51820; ip rule add pref 90 lookup 51820
      """)
    let outcome = try rehearse("--repair", "10.77.0.7", in: network)
    #expect(outcome.output.contains("; its packets go past the tunnel tun0\n"), "\(outcome)")
  }

  @Test(arguments: [["10.77.0.7", "--interface", "nosuch"], ["fe80::1"]])
  func `a constraint that cannot be met has no repair`(_ words: [String]) throws {
    let network = try NetworkNamespace.withUplinks()
    try network.ip("rule add pref 90 to 10.66.0.0/16 prohibit")
    let outcome = try RunningCommand(["--repair"] + words, of: "reachability-rehearse", in: network).finish()
    #expect(outcome.status == 1 && outcome.output.hasSuffix("no repair is known for this\n"), "\(outcome)")
  }

  @Test func `a reachable target needs no repair`() throws {
    let network = try NetworkNamespace.withUplinks()
    let outcome = try rehearse("--repair", "10.9.0.7", in: network)
    #expect(outcome == Outcome(status: 0, errors: "10.9.0.7 is reachable: there is nothing to repair\n"))
  }

  @Test func `where nothing helps, all that was tried is listed`() throws {
    let network = try NetworkNamespace.wired()
    try network.ip("link set eth0 down")
    let outcome = try rehearse("--repair", "10.77.0.7", in: network)
    #expect(
      outcome
        == Outcome(
          status: 1,
          output: """
            no repair: none of the commands that were tried helps
            no help: ip link set dev eth0 up
              in a copy of this network, 10.77.0.7 is then still not reachable: no route

            """))
  }

  @Test func `constraints apply`() throws {
    let network = try NetworkNamespace.withUplinks()
    try network.ip("rule add pref 90 fwmark 0x42 to 10.9.0.0/16 prohibit")
    let free = try rehearse("--repair", "10.9.0.7", in: network)
    #expect(free.errors.contains("nothing to repair"))
    let marked = try rehearse("--repair", "10.9.0.7", "--mark", "0x42", in: network)
    #expect(
      marked.output.hasPrefix("repair: ip rule del pref 90 to 10.9.0.0/16 fwmark 0x42/0xffffffff prohibit\n"))
  }

  @Test(.needsOwnSettings) func `the name server is repaired where no name can be looked up`() throws {
    let lab = try NetworkNamespace.withUplinks()
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let folder = try SettingsFolder(path)
    try folder.write("resolv.conf", "nameserver 10.77.0.53\n")
    try lab.ip("route add blackhole 10.77.0.53")
    let outcome = try rehearse(
      "--repair", "www.example.com", in: lab, through: folder.mounted())
    #expect(
      outcome.output.hasPrefix("repair: ip route del blackhole 10.77.0.53/32 table main\n"), "\(outcome)")
    #expect(outcome.output.contains("the name server 10.77.0.53 is then reachable"), "\(outcome)")
  }

  @Test(.needsLineSchema) func `the object of JSON follows the schema`() throws {
    let network = try NetworkNamespace.withUplinks()
    try network.ip("route add blackhole 10.9.0.7")
    let outcome = try rehearse("--repair", "10.9.0.7", "--json", in: network)
    #expect(outcome.status == 0 && outcome.output.contains(#""outcome":"helps""#))
    #expect(try LineSchema.problems(in: outcome.output) == "")
  }

  @Test(
    arguments: [
      (["--repair", "10.9.0.7", "--down", "eth0"], "--repair takes no change"),
      (["--repair", "10.9.0.7", "10.9.0.8"], "--repair takes one target, got 2"),
    ])
  func `what does not fit is an error`(_ words: [String], _ problem: String) throws {
    let outcome = try RunningCommand(words, of: "reachability-rehearse").finish()
    #expect(outcome.status == 2 && outcome.errors.contains("error: \(problem)"), "\(outcome)")
  }
}
