// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import CommandSupport
import DeadlineSupport
import LiveSupport
import Testing

/// `check` of names, with a real name server that answers for some of them.
@Suite(.needsNameServer, .deadline) struct `The command check of names` {
  private static let route = "eth0 (wired) via 10.1.0.254 from 10.1.0.1"
  private static let route6 = "eth0 (wired) via fd00:1::fe from fd00:1::1"
  private static let discarded = "a route or rule discards packets"

  @Test(
    arguments: [
      ("a.test", 0, ["a.test  reachable      \(route)", "  10.9.0.1  reachable      \(route)"]),
      ("A.Test.", 0, ["A.Test.  reachable      \(route)", "  10.9.0.1  reachable      \(route)"]),
      (
        "https://a.test:8443/x", 0,
        [
          "https://a.test:8443/x  reachable      \(route)",
          "  10.9.0.1  reachable      \(route)",
        ]
      ),
      ("aaaa.test", 0, ["aaaa.test  reachable      \(route6)", "  fd00:9::1  reachable      \(route6)"]),
      (
        "both.test", 0,
        [
          "both.test  reachable      \(route6)", "  fd00:9::1  reachable      \(route6)",
          "  10.9.0.1   reachable      \(route)",
        ]
      ),
      (
        "half.test", 0,
        [
          "half.test  reachable      \(route)", "  10.9.0.1   reachable      \(route)",
          "  10.66.1.1  not reachable  \(discarded)",
        ]
      ),
      (
        "zero.test", 0,
        [
          "zero.test  reachable      lo (loopback) from 127.0.0.1",
          "  0.0.0.0  reachable      lo (loopback) from 127.0.0.1",
        ]
      ),
      ("listed.test", 0, ["listed.test  reachable      \(route)", "  10.9.0.99  reachable      \(route)"]),
      ("none.test", 1, ["none.test  not reachable  no such name"]),
      ("empty.test", 1, ["empty.test  not reachable  the name has no address"]),
      ("refused.test", 1, ["refused.test  not reachable  the name server refused or failed"]),
      ("www.failed.org", 1, ["www.failed.org  not reachable  the name server refused or failed"]),
    ] as [(String, Int32, [String])])
  func `a name is printed with its addresses, or with the reason for having none`(
    name: String, status: Int32, lines: [String]
  ) throws {
    let outcome = try NameLab.sample().reachability("check", name)
    #expect(outcome == Outcome(status: status, output: lines.joined(separator: "\n") + "\n"))
  }

  @Test func `every unreachable address has its reason`() throws {
    let lines = try NameLab.sample().reachability("lost.test").output.split(separator: "\n")
    #expect(lines.first == "lost.test  not reachable  \(Self.discarded)")
    #expect(
      Set(lines.dropFirst()) == [
        "  10.66.1.1  not reachable  \(Self.discarded)", "  10.66.1.2  not reachable  \(Self.discarded)",
      ])
  }

  @Test func `constraints apply to each address`() throws {
    let outcome = try NameLab.sample().reachability("--from", "10.1.0.1", "both.test")
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("  10.9.0.1   reachable      \(Self.route)\n"))
    #expect(outcome.output.contains("  fd00:9::1  not reachable  "))
  }

  @Test(arguments: [
    ("", "no name server is configured"), ("nameserver 10.7.7.7", "no name server can be reached"),
  ])
  func `a missing name server and an unreachable one are different reasons`(settings: String, reason: String)
    throws
  {
    let lab = try NameLab(settings: settings + "\n", isServing: false)
    let outcome = try lab.reachability("a.test", "localhost", "10.9.0.1", "listed.test")
    #expect(outcome.status == 1)
    #expect(
      outcome.output == """
        a.test       not reachable  \(reason)
        localhost    reachable      lo (loopback) from ::1
          ::1        reachable      lo (loopback) from ::1
          127.0.0.1  reachable      lo (loopback) from 127.0.0.1
        10.9.0.1     reachable      \(Self.route)
        listed.test  reachable      \(Self.route)
          10.9.0.99  reachable      \(Self.route)

        """)
  }

  @Test func `an explanation without a configured name server does not contradict itself`() throws {
    let lab = try NameLab(settings: "\n", isServing: false)
    let outcome = try lab.reachability("explain", "a.test")
    #expect(outcome.status == 1)
    #expect(
      outcome.output.replacing(/[0-9]+(\.[0-9])? m?s\b/, with: "TIME") == """
        a.test  No name server is configured, so a.test cannot be resolved
          unknown  name server  127.0.0.1 over lo (loopback), since none is configured
          failed   name         a.test: no name server is configured (TIME)
                                problem: No name server is configured, so a.test cannot be resolved.
                                advice: List one in /etc/resolv.conf (nameserver ADDRESS), or let DHCP or the network manager do so.

        """)
  }

  @Test func `lookups of several names time out concurrently`() throws {
    let names = (0..<4).map { "n\($0).silent.test" }
    let lab = try NameLab.shortSample()
    let outcome = try lab.start(["10.9.0.1"] + names).finish()
    #expect(
      outcome.output == """
        10.9.0.1        reachable      \(Self.route)
        n0.silent.test  not reachable  no name server answered in time
        n1.silent.test  not reachable  no name server answered in time
        n2.silent.test  not reachable  no name server answered in time
        n3.silent.test  not reachable  no name server answered in time

        """)
    #expect(outcome.status == 1)
  }

  // MARK: Commands

  @Test(arguments: [
    ("chekc", "check"), ("status", "check"), ("monitor", "watch"), ("ping", "verify"), ("test", "verify"),
  ])
  func `a first word that is neither a command nor a host is an error that suggests a command`(
    word: String, command: String
  ) throws {
    let lab = try NameLab.sample()
    try lab.control("local_zone \(word). static")
    let error = Outcome(
      status: 2,
      errors: """
        error: there is no command '\(word)', and no such host
        hint: did you mean '\(command)'? 'reachability check \(word)' checks a host

        """)
    #expect(try lab.reachability(word, "10.9.0.1") == error)
    #expect(try lab.reachability("--json", word) == error)
    for words in [["check", word], ["--", word]] {
      let outcome = try lab.start(words).finish()
      #expect(outcome.status == 1 && outcome.output.hasPrefix("\(word)  not reachable  "), "\(outcome)")
      #expect(outcome.errors == "")
    }
  }

  @Test func `a host is no mistyped command, whether its lookup succeeds or fails`() throws {
    let lab = try NameLab()
    try lab.change("echo '10.9.0.9 chekc' >> hosts")
    let route = Self.route
    #expect(
      try lab.reachability("chekc")
        == Outcome(status: 0, output: "chekc  reachable      \(route)\n  10.9.0.9  reachable      \(route)\n")
    )
    try lab.control("local_zone waut. always_refuse")
    #expect(
      try lab.reachability("waut")
        == Outcome(
          status: 1, output: "waut  not reachable  the name server refused or failed\n",
          errors: "hint: did you mean 'wait'? 'reachability check waut' checks a host\n"))
    try lab.control("local_zone printer. static")
    #expect(
      try lab.reachability("printer")
        == Outcome(status: 1, output: "printer  not reachable  no such name\n"))
  }

  // MARK: JSON

  @Test func `an object has the addresses, each with its own status`() throws {
    let output = try NameLab.sample().reachability("--json", "half.test").output
    let route =
      #""status":"reachable","reason":null,"flags":["reachable"],"flagsValue":2,"interface":"eth0","#
      + #""index":0,"kind":"wired","isTunnel":false,"linkType":"veth","gateway":"10.1.0.254","source":"10.1.0.1""#
    let lost =
      #""status":"notReachable","reason":"blackhole","flags":[],"flagsValue":0,"interface":null,"#
      + #""index":null,"kind":null,"isTunnel":false,"linkType":null,"gateway":null,"source":null"#
    #expect(
      output.withEqualTimesAndIndexes
        == #"{"version":1,"time":"TIME","target":"half.test",\#(route),"addresses":["#
        + #"{"address":"10.9.0.1",\#(route)},{"address":"10.66.1.1",\#(lost)}],"previous":null,"event":"check"}"#
        + "\n")
    #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(output.utf8)) }
  }

  @Test(
    arguments: [
      ("none.test", "nameNotFound"), ("empty.test", "noAddressRecords"), ("refused.test", "nameServerFailed"),

      ("www.failed.org", "nameServerFailed"),
    ])
  func `an object without addresses has the reason`(name: String, reason: String) throws {
    let outcome = try NameLab.sample().reachability("--json", name)
    #expect(
      outcome
        == Outcome(
          status: 1,
          output: #"""
            {"version":1,"time":"TIME","target":"\#(name)","status":"notReachable","reason":"\#(reason)",\#
            "flags":[],"flagsValue":0,"interface":null,"index":null,"kind":null,"isTunnel":false,"linkType":null,\#
            "gateway":null,"source":null,"addresses":[],"previous":null,"event":"check"}

            """#))
  }
}
#endif
