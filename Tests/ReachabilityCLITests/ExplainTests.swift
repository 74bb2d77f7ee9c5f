// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import CommandSupport
import DeadlineSupport
import LiveSupport
import Testing

@Suite(.needsNamespaces, .deadline) struct `The command explain` {
  @Test func `a working route is explained step by step`() throws {
    let network = try NetworkNamespace.sample()
    try #expect(
      reachability("explain", "10.9.0.1", in: network)
        == Outcome(
          status: 0,
          output: """
            10.9.0.1  reachable over eth0 (wired)
            IPv4  passed   interface  eth0 (wired) is up
            IPv4  passed   addresses  eth0 has 10.1.0.1/24
            IPv4  passed   route      10.9.0.0/16 via 10.1.0.254 over eth0 (wired): table main, rule 32766
            IPv4  unknown  next hop   router 10.1.0.254 on eth0: no recent neighbour entry
            IPv4  passed   source     10.1.0.1 of eth0
                  unknown  traffic    no TCP traffic to judge by

            """))
  }

  @Test func `a problem is explained with advice`() throws {
    let network = try NetworkNamespace.wired()
    try network.ip("link set eth0 down")
    try #expect(
      reachability("explain", "10.1.0.7", in: network)
        == Outcome(
          status: 1,
          output: """
            10.1.0.7  The interface eth0 is administratively down
            IPv4  failed   interface  eth0 (wired): administratively down
                                      problem: The interface eth0 is administratively down.
                                      advice: Switch it on: ip link set dev eth0 up.
            IPv4  passed   addresses  eth0 has 10.1.0.1/24
            IPv4  unknown  route      none while the interface is in this state
            IPv4  unknown  next hop   unknown without a route
            IPv4  unknown  source     unknown without a route

            """))
  }

  @Test func `every object has the same keys`() throws {
    let network = try NetworkNamespace.sample()
    let outcome = try reachability("explain", "10.66.3.1", "--json", in: network)
    #expect(outcome.status == 1)
    #expect(
      outcome.output.withEqualTimesAndIndexes.hasPrefix(
        #"{"version":1,"time":"TIME","target":"10.66.3.1","status":"notReachable","reason":"prohibited","#
          + #""flags":[],"flagsValue":0,"interface":null,"index":null,"kind":null,"isTunnel":false,"#
          + #""linkType":null,"gateway":null,"source":null,"addresses":[],"#
          + #""summary":"The route 'prohibit 10.66.3.0/24' prohibits packets to 10.66.3.1","steps":["#
          + #"{"kind":"interface","family":"IPv4","verdict":"passed","fact":"#))
    for target in ["10.9.0.1", "10.66.3.1", "default", "localhost", "fe80::1"] {
      let text = try reachability("explain", "--json", target, in: network).output
      let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
      #expect(
        object?.keys.sorted() == [
          "addresses", "connection", "event", "evidence", "flags", "flagsValue", "gateway", "index",
          "interface", "isTunnel", "kind", "linkType", "reason", "repairs", "source", "status", "steps",
          "summary", "target",
          "time", "version",
        ])
      #expect(object?["connection"] is NSNull && object?["repairs"] is NSNull)
      let steps = try #require(object?["steps"] as? [[String: Any]])
      #expect(
        Set(steps.map { $0.keys.sorted() }) == [
          ["advice", "fact", "family", "kind", "microseconds", "problem", "verdict"]
        ])
    }
  }

  @Test func `without a target, the default route is explained; several are an error`() throws {
    let network = try NetworkNamespace.sample()
    #expect(try reachability("explain", in: network).output.hasPrefix("default  IPv6 has no default route; "))
    try #expect(
      reachability("explain", "10.9.0.1", "10.9.0.2", in: network)
        == Outcome(
          status: 2,
          errors: """
            error: 'explain' takes one target, got 2
            hint: use 'check' for several targets

            """))
  }

  @Test func `constraints apply`() throws {
    let network = try NetworkNamespace.sample()
    let marked = try reachability("explain", "10.9.0.1", "--mark", "0x42", in: network)
    #expect(marked.output.contains("via 10.2.0.254 over wire1 (wired): table 66, rule"))
    let bound = try reachability("explain", "10.9.0.1", "--interface", "loose", in: network)
    #expect(bound.status == 1)
    #expect(bound.output.contains("failed   interface  loose (wired): up, but without a carrier"))
  }

  @Test func `advice is tried in a copy first`() throws {
    let network = try NetworkNamespace.wired()
    try network.ip("route add blackhole 10.1.0.7")
    let proven = try reachability("explain", "10.1.0.7", "--prove", in: network)
    #expect(
      proven.output.contains(
        """
                                  advice: If this is not intended, remove it: ip route del blackhole 10.1.0.7/32 table main.
                                  proven: in a copy of this network, 10.1.0.7 is then reachable eth0 (wired) from 10.1.0.1

        """), "\(proven)")
    try network.batch("route del blackhole 10.1.0.7\nlink set eth0 down\nlink set peer0 down")
    let far = try reachability("explain", "10.77.0.7", "--prove", in: network)
    #expect(!far.output.contains("advice: Switch it on"), "\(far)")
    #expect(
      far.output.contains(
        " up\n                            in a copy of this network, 10.77.0.7 is then still not reachable: no route\n"
      ), "\(far)")
    #expect(
      far.output.hasSuffix(
        "\nno repair: of 3 commands that were tried in copies of this network, none helps\n"), "\(far)")
    // Nothing happened.
    #expect(try network.ip("-br link show eth0").contains("DOWN"))
  }

  @Test func `what helps and is no advice is a repair`() throws {
    let network = try NetworkNamespace.wired()
    try network.batch(
      "neigh replace 10.1.0.254 dev eth0 lladdr 02:00:00:00:00:09 nud stale")
    let outcome = try reachability("explain", "10.77.0.7", "--prove", in: network)
    #expect(
      outcome.output.hasSuffix(
        """
        repair: ip route add default via 10.1.0.254 dev eth0
                in a copy of this network, 10.77.0.7 is then reachable eth0 (wired) via 10.1.0.254 from 10.1.0.1, if \
        10.1.0.254 is a router

        """), "\(outcome)")
    let text = try reachability("explain", "10.77.0.7", "--prove", "--json", in: network).output
    let object = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let repair = try #require((object["repairs"] as? [[String: Any]])?.first)
    #expect(repair["command"] as? String == "ip route add default via 10.1.0.254 dev eth0")
    #expect(repair["outcome"] as? String == "helps")
  }

  @Test func `a reachable target has nothing to prove`() throws {
    let network = try NetworkNamespace.sample()
    let plain = try reachability("explain", "10.9.0.1", in: network)
    #expect(try reachability("explain", "10.9.0.1", "--prove", in: network) == plain)
  }

  @Test func `interface names are escaped`() throws {
    let network = try NetworkNamespace.wired()
    try network.ip(["link", "set", "eth0", "name", "a\u{1b}[31mb"])
    for state in ["up", "down"] {
      try network.ip(["link", "set", "a\u{1b}[31mb", state])
      // While the other end still has a carrier, `explain default` names that interface alone.
      if state == "down" { try network.wait(until: "peer0", shows: "NO-CARRIER") }
      for arguments in [["10.1.0.7"], ["fe80::7%a\u{1b}[31mb"], ["default"], ["10.1.0.7", "--json"]] {
        let outcome = try RunningCommand(["explain"] + arguments, in: network).finish()
        #expect(!outcome.output.contains("\u{1b}"), "\(arguments)")
        #expect(outcome.output.contains(#"\u"#), "\(arguments)")
      }
    }
  }

  @Test func `verdicts are coloured on a terminal`() throws {
    let network = try NetworkNamespace.wired()
    let command = try RunningCommand(["explain", "10.9.0.1"], in: network, terminals: [.output])
    let lines = try (0..<4).map { _ in try command.nextLine() }
    #expect(lines[1].hasPrefix("IPv4  \u{1b}[32mpassed \u{1b}[0m  interface"))
    #expect(lines[3].hasPrefix("IPv4  \u{1b}[31mfailed \u{1b}[0m  route"))
  }
}
#endif
