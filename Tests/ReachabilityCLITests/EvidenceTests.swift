// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandLineSupport
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import ReachabilityKit
import Testing

@testable import ReachabilityCLI

/// What the commands print of the machine's own TCP traffic, in a network whose upstream breaks behind a live link.
@Suite(.needsNamespaces, .serialized, .deadline) struct `Evidence and the command` {
  /// Repeats a command until its output satisfies a condition; ages and counts settle within some seconds.
  private func reachability(
    _ arguments: String..., in network: NetworkNamespace, through shell: String? = nil,
    until isDone: (String) -> Bool
  ) throws -> Outcome {
    let deadline = ContinuousClock.now + .seconds(20)
    while true {
      var outcome = try RunningCommand(arguments, in: network, through: shell).finish()
      outcome.output = outcome.output.withEqualAges.withoutWeakness
      if isDone(outcome.output) || ContinuousClock.now > deadline { return outcome }
    }
  }

  @Test func `explain has a step for the traffic, and one silent peer changes neither status nor summary`()
    throws
  {
    let lab = try UpstreamLab()
    let talk = try lab.talk(to: "10.9.0.1")
    let working = """
      10.9.0.1  reachable over eth0 (wired)
      IPv4  passed   interface  eth0 (wired) is up
      IPv4  passed   addresses  eth0 has 10.1.0.1/24
      IPv4  passed   route      default via 10.1.0.254 over eth0 (wired): table main, rule 32766
      IPv4  passed   next hop   router 10.1.0.254 on eth0 answered a moment ago
      IPv4  passed   source     10.1.0.1 of eth0

      """
    func explain(until text: String) throws -> Outcome {
      try reachability("explain", "10.9.0.1", in: lab.client) { $0.contains(text) }
    }
    try #expect(
      explain(until: "1 peer answers")
        == Outcome(
          status: 0,
          output: working + "      passed   traffic    1 peer answers, last segment received AGE ago\n"))
    try lab.cut()
    try #expect(
      explain(until: "1 peer stalls")
        == Outcome(
          status: 0,
          output: working + """
                  unknown  traffic    no answer for AGE, 1 peer stalls (10.9.0.1 port \(lab.port))
                                      problem: The only peer with traffic does not answer: the fault is the peer's or the network's.
                                      advice: Compare with another host: reachability explain HOST --probe PORT.

            """))
    withExtendedLifetime(talk) {}
  }

  @Test func `explain tells a silent server from a silent network`() throws {
    let lab = try UpstreamLab()
    let talks = try ["10.9.0.1", "10.9.0.2", "10.9.0.3"].map { try lab.talk(to: $0) }
    try lab.silence("10.9.0.2")
    let server = try reachability("explain", "10.9.0.2", in: lab.client) { $0.contains("stalls") }
    #expect(
      server.output.contains("problem: The target does not answer, but other peers over the same path do.\n"),
      "\(server)")
    try lab.cut()
    #expect(server.status == 0)
    let network = try reachability("explain", "10.9.0.1", in: lab.client) { $0.contains("several") }
    // Then the first line says so, and the exit status.
    #expect(network.status == 1)
    #expect(
      network.output.hasPrefix("10.9.0.1  reachable over eth0 (wired); but no answer for "), "\(network)")
    #expect(
      network.output.contains(
        "problem: Nothing on this network answers: several peers stall, and none over the same path answers.\n"
      ),
      "\(network)")
    #expect(
      network.output.hasSuffix("advice: The router 10.1.0.254 answers, so check its uplink.\n"), "\(network)")
    withExtendedLifetime(talks) {}
  }

  @Test func `explain names connections that a change left behind, and how to list them`() throws {
    let lab = try UpstreamLab()
    let talks = try ["10.9.0.1", "10.9.0.2"].map { try lab.talk(to: $0) }
    try lab.client.sh(
      """
      ip link add eth1 type veth peer name c1 netns \(lab.router.path) && ip link set eth1 addrgenmode none &&
      ip address add 10.5.0.1/24 dev eth1 && ip link set eth1 up
      """)
    try lab.router.sh(
      """
      ip address add 10.5.0.254/24 dev c1 && ip link set c1 up &&
      ip rule add pref 1 iif c1 from 10.1.0.0/24 blackhole
      """)
    try lab.client.wait(until: "eth1", shows: "state UP")
    try lab.client.ip("route replace default via 10.5.0.254")
    let new = try lab.talk(to: "10.9.0.3")
    let outcome = try reachability("explain", in: lab.client) {
      $0.contains("1 peer answers") && $0.contains("2 connections left behind by a change")
    }
    #expect(outcome.status == 0)
    #expect(
      outcome.output.contains(
        "2 connections were left behind by a change: they keep addresses of interfaces that their packets no longer take."
      ), "\(outcome)")
    let advice = try #require(outcome.output.firstMatch(of: /To list them: (ss .*)\.\n/), "\(outcome)")
    let list = try lab.client.sh(String(advice.1))
    #expect(list.contains("10.9.0.1") && list.contains("10.9.0.2"), "\(list)")
    #expect(!list.contains("10.9.0.3"), "\(list)")
    let json = try reachability("explain", "--json", in: lab.client) { $0.contains(#""leftBehind":{"#) }
    #expect(
      json.output.contains(#""leftBehind":{"connections":2,"milliseconds":"#)
        && json.output.contains(#""addresses":["10.1.0.1"]"#), "\(json)")
    let watch = try RunningCommand(["watch", "--evidence", "--timeout", "0s"], in: lab.client).finish()
    #expect(watch.output.contains("2 connections left behind by a change"), "\(watch)")
    withExtendedLifetime((talks, new)) {}
  }

  @Test func `a user without a number in its namespace owns no connection`() throws {
    let lab = try UpstreamLab()
    guard try lab.client.shell("unshare -U true").status == 0 else {
      print("skipped: no user namespace can be created")
      return
    }
    let talk = try lab.talk(to: "10.9.0.1")
    try lab.cut()
    let named = try reachability("explain", "10.9.0.1", in: lab.client) { $0.contains("1 peer stalls") }
    #expect(named.output.contains("(10.9.0.1 port \(lab.port))"), "\(named)")
    // There the kernel reports the owner of every connection, also root's, as the user of the command.
    let unnamed = try reachability(
      "explain", "10.9.0.1", in: lab.client, through: "exec unshare -U \"$@\""
    ) {
      $0.contains("1 peer stalls")
    }
    #expect(unnamed.output.contains("1 peer stalls"), "\(unnamed)")
    #expect(!unnamed.output.contains("port \(lab.port)"), "\(unnamed)")
    withExtendedLifetime(talk) {}
  }

  @Test func `watch --evidence prints no line that reads as the one before`() throws {
    let lab = try UpstreamLab()
    let dead = try lab.talk(to: "10.9.0.1")
    let watch = try RunningCommand(["watch", "--evidence", "10.9.0.1", "--timeout", "12s"], in: lab.client)
    var lines = [try watch.nextLine()]
    func waitForLine(_ text: String) throws {
      while lines.last?.contains(text) != true { lines.append(try watch.nextLine().withEqualAges) }
    }
    try waitForLine("1 peer answers")
    try lab.silence("10.9.0.1")
    try waitForLine("1 peer stalls")
    // The fault becomes the peer's, which the line does not say.
    let live = try lab.talk(to: "10.9.0.2")
    lines += try watch.finish().output.split(separator: "\n").map { String($0).withEqualAges }
    for (line, next) in zip(lines, lines.dropFirst()) { #expect(line != next, "\(lines)") }
    withExtendedLifetime((dead, live)) {}
  }

  @Test func `an object of a path is news if its evidence means something else, however that reads`() throws {
    let lab = try UpstreamLab()
    let monitor = try lab.client.run { try ReachabilityMonitor() }
    var one = PathEvidence(monitor.path, .none, monitor: monitor)
    var other = one
    one.path = TrafficEvidence(.stalled, strength: .strong, fault: .undetermined, stalledPeers: 1)
    other.path = TrafficEvidence(.stalled, strength: .strong, fault: .peer, stalledPeers: 1)
    try #require(one.readsSame(as: other) && !one.meansSame(as: other))
    for isJSON in [false, true] {
      let report = PathReport(isJSON: isJSON, output: StandardOutput())
      #expect(report.isSameEvidence(one, one))
      #expect(report.isSameEvidence(one, other) == !isJSON)
    }
  }

  @Test func `watch --evidence says that large packets probably do not pass`() throws {
    let lab = try UpstreamLab()
    let talk = try lab.talk(to: "10.9.0.1")
    let stream = try TCPStream(from: lab.client, to: [10, 9, 0, 1], port: lab.port)
    let watch = try RunningCommand(["watch", "--evidence", "10.9.0.1"], in: lab.client)
    while try !watch.nextLine().contains("answering") {}
    // A tunnel on the way, whose router must not send ICMP.
    try lab.router.ip("link set s0 mtu 1300")
    try lab.router.ip("rule add pref 1 iif lo to 10.1.0.1 blackhole")
    stream.send(3000)
    var line = ""
    while !line.contains("packets of 1500 bytes probably do not pass") { line = try watch.nextLine() }
    #expect(line.contains("answering") || line.contains("stalled"))
    withExtendedLifetime((talk, stream)) {}
  }

  @Test func `watch --evidence prints a line when the evidence changes its meaning`() throws {
    let lab = try UpstreamLab()
    let watch = try RunningCommand(["watch", "--evidence", "10.9.0.1"], in: lab.client)
    let status = "10.9.0.1  reachable      eth0 (wired) via 10.1.0.254 from 10.1.0.1"
    try #expect(watch.nextLine() == "TIME  " + status)
    try #expect(watch.nextLine() == "TIME  10.9.0.1  no evidence    no TCP traffic to judge by")
    let talk = try lab.talk(to: "10.9.0.1")
    try #expect(
      watch.nextLine().withEqualAges
        == "TIME  10.9.0.1  answering      1 peer answers, last segment received AGE ago")
    try lab.cut()
    try #expect(
      watch.nextLine().withEqualAges.withoutWeakness
        == "TIME  10.9.0.1  stalled        no answer for AGE, 1 peer stalls (10.9.0.1 port \(lab.port))"
    )
    try lab.client.ip("route del default")
    var lines = [try watch.nextLine()]
    while lines.last?.contains("no route") != true { lines.append(try watch.nextLine()) }
    // More timeouts make the evidence stronger meanwhile.
    #expect(lines.last == "TIME  10.9.0.1  not reachable  no route")
    withExtendedLifetime(talk) {}
  }

  @Test func `traffic over another interface is no evidence for the interface of a target`() throws {
    let lab = try UpstreamLab()
    try lab.client.sh(
      """
      ip link add eth1 type veth peer name end1 && ip link set eth1 addrgenmode none && ip link set end1 up &&
      ip address add 10.5.0.1/24 dev eth1 && ip link set eth1 up && ip route add default via 10.5.0.254 metric 9
      """)
    try lab.client.wait(until: "eth1", shows: "state UP")
    let talk = try lab.talk(to: "10.9.0.1")
    _ = try reachability("explain", "10.9.0.1", in: lab.client) { $0.contains("1 peer answers") }
    let outcome = try reachability("explain", "10.9.0.1", "--interface", "eth1", in: lab.client) { _ in true }
    #expect(
      outcome.output.hasSuffix("unknown  traffic    no TCP traffic to judge by\n"), "\(outcome)")
    withExtendedLifetime(talk) {}
  }

  @Test func `watch without --evidence prints no evidence`() throws {
    let lab = try UpstreamLab()
    let talk = try lab.talk(to: "10.9.0.1")
    let watch = try RunningCommand(["watch", "10.9.0.1", "--timeout", "2s"], in: lab.client)
    try #expect(
      watch.finish()
        == Outcome(
          status: 0, output: "TIME  10.9.0.1  reachable      eth0 (wired) via 10.1.0.254 from 10.1.0.1\n"))
    withExtendedLifetime(talk) {}
  }

  @Test func `path --evidence prints the evidence of the path and of its interfaces`() throws {
    let lab = try UpstreamLab()
    let talk = try lab.talk(to: "10.9.0.1")
    let outcome = try reachability("path", "--evidence", in: lab.client) { $0.contains("1 peer answers") }
    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(
      lines.suffix(2) == [
        "evidence     path          answering    1 peer answers, last segment received AGE ago",
        "             eth0 (wired)  answering    1 peer answers, last segment received AGE ago",
      ], "\(outcome)")
    #expect(outcome.status == 0)
    withExtendedLifetime(talk) {}
  }

  @Test func `path --watch --evidence prints the evidence alone when only it changes`() throws {
    let lab = try UpstreamLab()
    let watch = try RunningCommand(["path", "--watch", "--evidence"], in: lab.client)
    while try watch.nextLine() != "             eth0 (wired)  no evidence  no TCP traffic to judge by" {}
    let talk = try lab.talk(to: "10.9.0.1")
    let lines = try (0..<4).map { _ in try watch.nextLine().withEqualAges }
    #expect(
      lines == [
        "", "time      TIME",
        "evidence  path          answering    1 peer answers, last segment received AGE ago",
        "          eth0 (wired)  answering    1 peer answers, last segment received AGE ago",
      ])
    withExtendedLifetime(talk) {}
  }

  private static let noEvidence = """
    {"verdict":"none","strength":"weak","fault":null,"receivedMilliseconds":null,"stalledMilliseconds":null,\
    "connections":0,"answeringPeers":0,"stalledPeers":0,"stalledConnections":0,"ownStalledConnections":[],\
    "suspectedMTU":null,
    """

  @Test func `the JSON object of evidence has every field, with ages in milliseconds`() throws {
    let lab = try UpstreamLab()
    let watch = try RunningCommand(["watch", "--evidence", "--json", "10.9.0.1"], in: lab.client)
    try #expect(watch.nextLine().contains(#""status":"reachable""#))
    func evidence(_ fields: String) -> String {
      #"{"version":1,"time":"TIME","target":"10.9.0.1","evidence":{\#(fields)},"event":"evidence"}"#
    }
    let router =
      #""nextHop":"10.1.0.254","nextHopState":"confirmed","silentTunnelMilliseconds":null,"obstacle":null,"#
      + #""leftBehind":null"#
    let first = try watch.nextLine()
    #expect(first.hasPrefix(evidence("").dropLast(#"},"event":"evidence"}"#.count)), "\(first)")
    #expect(first.contains(Self.noEvidence.dropFirst().dropLast(1)), "\(first)")
    let talk = try lab.talk(to: "10.9.0.1")
    try #expect(
      watch.nextLine().withEqualMilliseconds
        == evidence(
          #""verdict":"answering","strength":"strong","fault":null,"receivedMilliseconds":AGE,"#
            + #""stalledMilliseconds":null,"connections":1,"answeringPeers":1,"stalledPeers":0,"#
            + #""stalledConnections":0,"ownStalledConnections":[],"suspectedMTU":null,\#(router)"#))
    try lab.cut()
    try #expect(
      watch.nextLine().withEqualMilliseconds.replacing(/"timeouts":[0-9]+/, with: "TIMEOUTS")
        .replacing(#""strength":"weak""#, with: #""strength":"strong""#)
        == evidence(
          #""verdict":"stalled","strength":"strong","fault":"undetermined","receivedMilliseconds":AGE,"#
            + #""stalledMilliseconds":AGE,"connections":1,"answeringPeers":0,"stalledPeers":1,"#
            + #""stalledConnections":1,"ownStalledConnections":[{"peer":"10.9.0.1","port":\#(lab.port),"#
            + #""milliseconds":AGE,TIMEOUTS}],"suspectedMTU":null,\#(router)"#))
    withExtendedLifetime(talk) {}
  }

  @Test func `the JSON object of a path has the evidence of the path and of each interface`() throws {
    let lab = try UpstreamLab()
    for (arguments, event) in [(["path"], "check"), (["path", "--watch", "--count", "1"], "initial")] {
      let text = try RunningCommand(arguments + ["--evidence", "--json"], in: lab.client).finish().output
      let object = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      let interfaces = try #require(object["interfaces"] as? [[String: Any]])
      #expect(object["event"] as? String == event)
      for evidence in [object["evidence"], interfaces.first?["evidence"]] {
        #expect((evidence as? [String: Any])?["verdict"] as? String == "none", "\(text)")
        #expect((evidence as? [String: Any])?.count == 16)
      }
      let plain = try RunningCommand(arguments + ["--json"], in: lab.client).finish().output
      #expect(!plain.contains("evidence"))
    }
  }

  @Test func `another user's stalled connections are counted, and their peers never printed`() throws {
    let lab = try UpstreamLab()
    guard try lab.client.shell("setpriv --euid 1000 true").status == 0,
      let foreign = try? lab.talk(to: "10.9.0.3", as: 1001)
    else {
      print("skipped: this process cannot become another user")
      return
    }
    let own = try lab.talk(to: "10.9.0.1", as: 1000)
    try lab.cut()
    for arguments in [["explain"], ["path", "--evidence"], ["watch", "--evidence", "--timeout", "0s"]] {
      for more in [[], ["--json"]] {
        let deadline = ContinuousClock.now + .seconds(20)
        var output = ""
        while !(output.contains("2 peers stall") || output.contains(#""stalledPeers":2"#)) {
          let run = try RunningCommand(
            arguments + more, in: lab.client, through: "exec setpriv --euid 1000 \"$@\"")
          output = try run.finish().output
          #expect(!output.contains("10.9.0.3"), "\(output)")
          guard ContinuousClock.now < deadline else {
            Issue.record("no stall: \(output)")
            return
          }
        }
        #expect(output.contains("10.9.0.1"), "\(output)")
      }
    }
    withExtendedLifetime([own, foreign]) {}
  }

  @Test func `a sandbox that refuses the list is named, and the status is as before`() throws {
    let lab = try UpstreamLab()
    let talk = try lab.talk(to: "10.9.0.1")
    // EPERM; NETLINK_SOCK_DIAG. Programs that this thread starts are in the sandbox too.
    try lab.client.run { try Faults.refuse("socket", where: (2, 4), with: 1) }
    let outcome = try RunningCommand(
      ["watch", "--evidence", "10.9.0.1", "--timeout", "0s"], in: lab.client
    ).finish()
    #expect(
      outcome
        == Outcome(
          status: 0,
          output: """
            TIME  10.9.0.1  reachable      eth0 (wired) via 10.1.0.254 from 10.1.0.1
            TIME  10.9.0.1  no evidence    TCP connections cannot be read: the system does not permit it

            """))
    let explained = try RunningCommand(["explain", "10.9.0.1"], in: lab.client).finish()
    #expect(explained.status == 0)
    #expect(
      explained.output.contains(
        "unknown  traffic    TCP connections cannot be read: the system does not permit it\n"), "\(explained)"
    )
    withExtendedLifetime(talk) {}
  }
}
#endif
