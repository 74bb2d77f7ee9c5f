// SPDX-License-Identifier: Apache-2.0
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import ReachabilityKit
import ReachabilityRehearsal
import RequirementSupport
import Testing

/// Runs `reachability-rehearse` in a network.
func rehearse(
  _ arguments: String..., in network: NetworkNamespace, environment: [String: String] = [:],
  through shell: String? = nil
) throws -> Outcome {
  try RunningCommand(
    arguments, of: "reachability-rehearse", in: network, environment: environment, through: shell
  ).finish()
}

extension NetworkNamespace {
  /// A network with two uplinks, of which the first is preferred.
  static func withUplinks() throws -> NetworkNamespace {
    try .made(
      by: """
        link set lo up
        link add eth0 type veth peer name peer0
        link add wlan0 type veth peer name peer1
        link add spare type veth peer name peer2
        link set eth0 addrgenmode none
        link set wlan0 addrgenmode none
        link set peer0 addrgenmode none
        link set peer1 addrgenmode none
        link set peer0 up
        link set peer1 up
        link set peer2 up
        link set eth0 up
        link set wlan0 up
        address add 10.1.0.1/24 dev eth0
        address add 192.168.1.5/24 dev wlan0
        address add fd00:1::1/64 dev eth0 nodad
        route add default via 10.1.0.254 metric 100
        route add default via 192.168.1.1 metric 200
        route add default via fd00:1::fe
        route add 10.9.0.0/16 via 10.1.0.253
        """, awaiting: "eth0", "wlan0", "peer0", "peer1")
  }
}

/// What `reachability-rehearse` prints and returns.
@Suite(.needsNamespaces, .deadline) struct `The command rehearse` {
  @Test func `each target and the path are compared`() throws {
    let network = try NetworkNamespace.withUplinks()
    let outcome = try rehearse(
      "10.9.0.7", "default", "fd00:9::1", "192.168.1.9", "--", "ip", "link", "set", "eth0", "down",
      in: network)
    #expect(
      outcome.output == """
        10.9.0.7     reachable eth0 (wired) via 10.1.0.253 from 10.1.0.1  →  \
        reachable wlan0 (wired) via 192.168.1.1 from 192.168.1.5
        default      reachable eth0 (wired) via 10.1.0.254 from 10.1.0.1  →  \
        reachable wlan0 (wired) via 192.168.1.1 from 192.168.1.5
        fd00:9::1    reachable eth0 (wired) via fd00:1::fe from fd00:1::1  →  not reachable: no route
        192.168.1.9  reachable wlan0 (wired) from 192.168.1.5, unchanged
        path         over eth0 and wlan0  →  over wlan0
        connections: none

        """)
    #expect(outcome.status == 1 && outcome.errors == "")
    // Nothing happened.
    #expect(try network.ip("link show eth0").contains("state UP"))
  }

  @Test func `nothing is lost where all stay reachable`() throws {
    let network = try NetworkNamespace.withUplinks()
    let outcome = try rehearse("10.9.0.7", "--without", "default via 192.168.1.1", in: network)
    #expect(
      outcome.output.contains("from 10.1.0.1, unchanged\npath      over eth0 and wlan0  →  over eth0\n"))
    #expect(outcome.status == 0, "\(outcome)")
  }

  @Test func `short forms, a script and a command follow each other`() throws {
    let network = try NetworkNamespace.withUplinks()
    let script = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: script) }
    try Data("#!/usr/bin/env -S sh -e\nip route add 10.50.0.0/16 via 192.168.1.77\n".utf8).write(to: script)
    let outcome = try rehearse(
      "10.50.0.1", "10.60.0.1", "--down", "eth0", "--script", script.path, "--", "sh", "-c",
      "ip route get 10.50.0.1 | grep -q 192.168.1.77 && echo seen && ip route add blackhole 10.60.0.0/16",
      in: network)
    #expect(outcome.errors == "seen\n" && outcome.status == 1)
    #expect(outcome.output.contains("→  reachable wlan0 (wired) via 192.168.1.77 from 192.168.1.5\n"))
    #expect(
      outcome.output.contains(
        "10.60.0.1  reachable eth0 (wired) via 10.1.0.254 from 10.1.0.1  →  "
          + "not reachable: a route or rule discards packets\n"))
  }

  @Test func `a link that was down is no promise of a carrier`() throws {
    let network = try NetworkNamespace.withUplinks()
    let far = try NetworkNamespace()
    try network.ip("link add lonely type veth peer name other netns \(far.path)")
    let outcome = try rehearse(
      "10.77.0.9", "--", "sh", "-c", "ip address add 10.77.0.1/24 dev lonely; ip link set lonely up",
      in: network)
    #expect(outcome.output.contains("a carrier is known only when it is up"), "\(outcome)")
    let path = try rehearse(
      "--", "sh", "-c",
      "ip address add 10.77.0.1/24 dev lonely; ip link set lonely up; ip route add default dev lonely metric 1",
      in: network)
    #expect(
      path.output.contains(
        "path     over eth0 and wlan0  →  unknown: the link lonely: whether it has a carrier"),
      "\(path)")
  }

  @Test func `an advertised default route may vanish where forwarding is switched on`() throws {
    let network = try NetworkNamespace.withUplinks()
    try network.sh("ip -6 route flush default; ip -6 route add default via fd00:1::fe dev eth0 proto ra")
    let outcome = try rehearse(
      "fd00:9::1", "10.9.0.7", "--", "sysctl", "-qw", "net.ipv6.conf.all.forwarding=1", in: network)
    #expect(
      outcome.status == 1
        && outcome.output.contains(
          "unknown: the route to ::/0: a router has advertised it, and the kernel removes it"),
      "\(outcome)")
    #expect(
      outcome.output.contains("10.9.0.7   reachable eth0 (wired) via 10.1.0.253 from 10.1.0.1, unchanged"))
  }

  @Test(arguments: [("10.1.0.7", "10.1.0.7/24"), ("fd00:1::7", "fd00:1::7/64 nodad")])
  func `a target whose address becomes this machine's own is lost`(_ target: String, _ address: String) throws
  {
    let network = try NetworkNamespace.withUplinks()
    let script = "ip addr add dev eth0 \(address)"
    let outcome = try rehearse(target, "--", "sh", "-c", script, in: network)
    #expect(outcome.status == 1 && !outcome.output.contains("1, unchanged"), "\(outcome)")
    let json = try rehearse(target, "--json", "--", "sh", "-c", script, in: network)
    #expect(json.output.contains(#""isLost":true"#), "\(json)")
  }

  @Test func `a rule that is added to the real network meanwhile makes the answer outdated`() throws {
    let network = try NetworkNamespace.withUplinks()
    let rehearsal = try network.run {
      let monitor = try ReachabilityMonitor()
      return try NetworkRehearsal(
        of: [.defaultRoute], [monitor.currentStatus(of: .defaultRoute)], monitor: monitor)
    }
    #expect(!rehearsal.differences().isOutdated)
    try network.ip("rule add pref 1 to 10.9.0.0/16 prohibit")
    #expect(rehearsal.differences().isOutdated)
  }

  @Test func `a route by a next hop that discards packets follows the next hop`() throws {
    let network = try NetworkNamespace.withUplinks()
    try network.batch("nexthop add id 5 blackhole\nroute add 10.44.0.0/16 nhid 5")
    let outcome = try rehearse(
      "10.44.0.1", "--", "ip", "nexthop", "replace", "id", "5", "via", "10.1.0.254", "dev", "eth0",
      in: network)
    #expect(
      outcome.output.contains(
        "10.44.0.1  not reachable: a route or rule discards packets  →  reachable eth0 (wired) via 10.1.0.254"
      ),
      "\(outcome)")
  }

  @Test(arguments: [true, false])
  func `routes of one range and metric keep their order, with a gateway or without`(_ hasFirst: Bool) throws {
    let network = try NetworkNamespace.made(
      by: """
        link set lo up
        link add eth0 type veth peer name peer0
        link set eth0 up
        link set peer0 up
        address add fd00:1::1/64 dev eth0 nodad
        """, awaiting: "eth0")
    let routes = ["via fd00:1::fe", "dev lo"].map { "-6 route append default \($0)" }
    for route in hasFirst ? routes : routes.reversed() { try network.ip(route) }
    let outcome = try rehearse("2001:db8::1", "--", "true", in: network)
    #expect(outcome.output.contains(", unchanged\npath"), "\(outcome)")
    #expect(outcome.output.contains("2001:db8::1  reachable eth0") == hasFirst, "\(outcome)")
  }

  @Test(arguments: [true, false])
  func `the kernel keeps the table of local addresses apart after the first rule, for good`(_ hadRule: Bool)
    throws
  {
    let network = try NetworkNamespace.withUplinks()
    if hadRule { try network.batch("rule add pref 50 to 10.99.0.0/16 lookup main\nrule del pref 50") }
    let outcome = try rehearse(
      "10.1.0.7", "--", "ip", "route", "add", "unreachable", "0.0.0.0/1", "table", "local", in: network)
    let predicted = outcome.output.contains("→  not reachable: a route says unreachable\n")
    try network.ip("route add unreachable 0.0.0.0/1 table local")
    let isReachable = try reachability("check", "10.1.0.7", in: network).status == 0
    #expect(predicted == hadRule && isReachable == !hadRule, "\(outcome)")
  }

  @Test func `what may still happen is no loss, but no promise either`() throws {
    let network = try NetworkNamespace.withUplinks()
    for (script, caveat) in [
      ("sleep 30 &", "the command left processes running, whose effects are not judged"),
      (
        "ip address change 10.1.0.1/24 dev eth0 valid_lft 100 preferred_lft 100",
        "an address has a lifetime now, whose end is not judged"
      ),
      (
        "ip -6 route replace default via fd00:1::fe dev eth0 expires 100",
        "a route has a lifetime now, whose end is not judged"
      ),
    ] {
      let outcome = try rehearse("10.9.0.7", "--", "sh", "-c", script, in: network)
      #expect(outcome.status == 1 && outcome.output.hasSuffix("\n\(caveat)\n"), "\(outcome)")
    }
  }

  @Test func `a lifetime that becomes shorter is a caveat, and one that stays is none`() throws {
    let network = try NetworkNamespace.withUplinks()
    try network.batch(
      """
      address change 10.1.0.1/24 dev eth0 valid_lft 1000 preferred_lft 1000
      route replace default via fd00:1::fe dev eth0 expires 1000
      """)
    for (script, caveats) in [
      ("true", ""), ("ip address change 10.1.0.1/24 dev eth0 valid_lft 2000 preferred_lft 2000", ""),
      (
        "ip address change 10.1.0.1/24 dev eth0 valid_lft 500 preferred_lft 500",
        "an address has a lifetime now, whose end is not judged\n"
      ),
      (
        "ip -6 route replace default via fd00:1::fe dev eth0 expires 500",
        "a route has a lifetime now, whose end is not judged\n"
      ),
    ] {
      let outcome = try rehearse("10.9.0.7", "--", "sh", "-c", script, in: network)
      #expect(outcome.status == (caveats.isEmpty ? 0 : 1), "\(outcome)")
      #expect(outcome.output.hasSuffix("\nconnections: none\n\(caveats)"), "\(outcome)")
    }
  }

  @Test func `an address that is checked for duplicates is used afterwards`() throws {
    let network = try NetworkNamespace.withUplinks()
    let outcome = try rehearse(
      "fd00:9::1", "--", "sh", "-c",
      """
      ip address del fd00:1::1/64 dev eth0; ip address add fd00:2::1/64 dev wlan0
      ip route replace default via fd00:2::fe dev wlan0
      """, in: network)
    #expect(
      outcome.output.contains("→  reachable wlan0 (wired) via fd00:2::fe from fd00:2::1\n"), "\(outcome)")
    let checked = "an address is still checked for duplicates, and not used before"
    let endless = try rehearse(
      "fd00:9::1", "--", "sh", "-c",
      """
      echo 60 >/proc/sys/net/ipv6/conf/wlan0/dad_transmits; ip address add fd00:2::1/64 dev wlan0
      ip address del fd00:1::1/64 dev eth0; ip route replace default via fd00:2::fe dev wlan0
      """, in: network)
    #expect(endless.output.contains("→  unknown: \(checked)\n"), "\(endless)")
    #expect(endless.status == 1 && endless.output.hasSuffix("\n\(checked)\n"))
  }

  @Test func `a link that joins a bridge, and a bridge that loses a port, lead elsewhere`() throws {
    let network = try NetworkNamespace.withUplinks()
    let joined = try rehearse(
      "10.1.0.9", "--", "sh", "-c",
      "ip link add br0 type bridge; ip link set br0 up; ip link set eth0 master br0", in: network)
    #expect(
      joined.status == 1 && joined.output.contains("unknown: eth0 is a part of another link now"), "\(joined)"
    )
    try network.batch(
      """
      link add br1 type bridge
      link set br1 up
      link set wlan0 master br1
      link set spare master br1
      link set spare up
      address del 192.168.1.5/24 dev wlan0
      address add 192.168.1.5/24 dev br1
      """)
    for link in ["br1", "spare", "wlan0"] { try network.wait(until: link, shows: "state UP") }
    let left = try rehearse("192.168.1.9", "--down", "wlan0", in: network)
    #expect(
      left.status == 1 && left.output.contains("br1 is a part of another link now, or has lost a port"),
      "\(left)")
    let same = try rehearse("192.168.1.9", "--", "true", in: network)
    #expect(same.status == 0, "\(same)")
  }

  @Test func `an object of JSON has all of it`() throws {
    let network = try NetworkNamespace.withUplinks()
    let outcome = try rehearse("10.9.0.7", "--json", "--down", "eth0", "--down", "wlan0", in: network)
    #expect(outcome.status == 1)
    let object = try #require(JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    #expect(object["event"] as? String == "rehearsal" && object["nothingIsLost"] as? Bool == false)
    let target = try #require((object["targets"] as? [[String: Any]])?.first)
    #expect((target["before"] as? [String: Any])?["interface"] as? String == "eth0")
    #expect((target["after"] as? [String: Any])?["reason"] as? String == "noRoute")
    #expect(target["isLost"] as? Bool == true && target["doubt"] is NSNull)
    #expect(
      ((object["path"] as? [String: Any])?["after"] as? [String: Any])?["path"] as? String == "unsatisfied")
  }

  @Test(.needsLineSchema) func `the object of JSON follows the schema`() throws {
    let network = try NetworkNamespace.withUplinks()
    let outcome = try rehearse("10.9.0.7", "default", "--json", "--down", "eth0", in: network)
    #expect(try LineSchema.problems(in: outcome.output) == "")
  }

  @Test(
    arguments: [
      ([], "no change was given"), (["--bogus"], "unknown option --bogus"),
      (["a b", "--", "true"], "'a b' is not a host name"),
      (["--down", "nosuch"], "'ip' failed with the exit status 1, so its change is not judged"),
      (["--", "no-such-command"], "there is no command 'no-such-command'"),
      (["--", "/etc"], "could not run '/etc'"),
      (["--script", "/nonexistent"], "could not read /nonexistent"),
      (["--timeout", "1ms", "--", "true"], "invalid value '1ms' for --timeout"),
      (["--shell"], "--shell needs a terminal"), (["--without", " "], "invalid value ' ' for --without"),
      (["--", "false"], "'false' failed with the exit status 1"),
      (["--", "sh", "-c", "kill -TERM $$"], "the signal 15 ended 'sh'"),
      (["--timeout", "300ms", "--", "sleep", "60"], "'sleep' did not end in time"),
      (["--", "nft", "add", "table", "inet", "x"], "'nft' failed"),
      (["--", "ip", "xfrm", "policy", "flush"], "'ip' failed"),
    ])
  func `what cannot be rehearsed has the exit status 2`(_ words: [String], _ problem: String) throws {
    let network = try NetworkNamespace.sample()
    let outcome = try RunningCommand(words, of: "reachability-rehearse", in: network).finish()
    #expect(outcome.status == 2 && outcome.errors.contains("error: \(problem)"), "\(outcome)")
    #expect(outcome.errors.contains("hint: ") && outcome.output == "")
  }

  @Test(.needsOtherUser) func `an ordinary user rehearses, and rules about the own user count`() throws {
    let network = try NetworkNamespace.withUplinks()
    try network.sh(
      "ip rule add pref 10 uidrange 65534-65534 to 10.9.0.0/16 prohibit; ip rule add pref 11 uidrange 5-6 blackhole"
    )
    let shell = "exec setpriv --reuid 65534 --regid 65534 --clear-groups \"$@\""
    let outcome = try rehearse(
      "10.9.0.7", "10.8.0.1", "--", "ip", "rule", "del", "pref", "10", in: network, through: shell)
    #expect(
      outcome.output.contains(
        "10.9.0.7  not reachable: a route or rule prohibits it  →  reachable eth0 (wired) via 10.1.0.253 from 10.1.0.1\n"
      ),
      "\(outcome)")
    #expect(
      outcome.output.contains("10.8.0.1  reachable eth0 (wired) via 10.1.0.254 from 10.1.0.1, unchanged\n"))
  }

  @Test(.needsOtherUser)
  func `a rule about all great user ids matches root in the copy, and makes all unknown`() throws {
    let network = try NetworkNamespace.withUplinks()
    let outcome = try rehearse(
      "10.9.0.7", "--", "ip", "rule", "add", "pref", "12", "uidrange", "1000-4294967294", "prohibit",
      in: network)
    #expect(outcome.output.contains("unknown: a rule is about users who have other numbers"), "\(outcome)")
    let small = try rehearse(
      "10.9.0.7", "--", "ip", "rule", "add", "pref", "12", "uidrange", "1000-60000", "prohibit", in: network)
    #expect(small.status == 0, "\(small)")
  }

  @Test(.needsOtherUser) func `a rule about users that an ordinary user adds makes all unknown`() throws {
    let network = try NetworkNamespace.withUplinks()
    let outcome = try rehearse(
      "10.9.0.7", "--", "ip", "rule", "add", "pref", "12", "uidrange", "0-0", "prohibit", in: network,
      through: "exec setpriv --reuid 65534 --regid 65534 --clear-groups \"$@\"")
    #expect(
      outcome.status == 1
        && outcome.output.contains("unknown: a rule is about users who have other numbers in the copy"),
      "\(outcome)")
  }

  @Test func `a shell in the copy is compared again at its end`() throws {
    let network = try NetworkNamespace.withUplinks()
    let program = try Executable("reachability-rehearse").path
    // A pipe that stays open, since its end would end the shell.
    let shell = """
      d=$(mktemp -d); mkfifo $d/input; exec 3<>$d/input; printf 'ip link set eth0 down\\nexit\\n' >&3
      script -qec '\(program) --shell --color never 10.9.0.7' /dev/null <&3; rm -r $d
      """
    let command = try RunningCommand([], of: "reachability-rehearse", in: network, through: shell)
    let outcome = try command.finish()
    #expect(
      outcome.output.contains("unchanged") && outcome.output.contains("→  reachable wlan0"), "\(outcome)")
  }
}
