// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import CommandSupport
import DeadlineSupport
import LiveSupport
import Testing

/// The resolver's files may come from other programs, or from a network's announcements.
@Suite(.needsOwnSettings, .deadline) struct `Hostile resolver settings` {
  private static let long = String(repeating: "x", count: 20_000)
  private static let servers = [
    "nameserver fe80::53%a\u{1b}[31mb\n", "nameserver fe80::53%\u{1b}]0;title\u{7}\n",
    "nameserver fe80::53%a\u{9b}2Jb\nnameserver fe80::53%\u{202e}ab\n",
    "nameserver fe80::53%\u{3000}\u{2003}\n",
    #"nameserver fe80::53%"},{"a"\#n"#, #"nameserver fe80::53%\u001b[2J\#n"#, "nameserver fe80::53%a\u{0}b\n",
    "nameserver \u{1b}[2J127.0.0.1\nnameserver 127.0.0.1\u{1b}[2J\n",
    "\u{feff}nameserver 127.0.0.1\u{2028}x\n",
    "nameserver fe80::53%\(long)\nnameserver \(long)\n",
    "search \u{1b}[2J.test \(long.prefix(60)) a\u{202e}b\nnameserver 127.0.0.1\n",
    "domain \"},{\nnameserver 127.0.0.1\n",
    "options timeout:99999999999999999999 attempts:-1 ndots:\u{1b}[2J \(long)\nnameserver 127.0.0.1\n",
    "nameserver 127.0.0.1\roptions \u{1b}[2J\r\r\n", String(repeating: "nameserver 127.0.0.1\n", count: 5000),
    String(repeating: "\n\u{0}\u{1b}", count: 5000),
  ]

  @Test(arguments: servers)
  func `no line of resolv.conf can leave its column or string`(_ text: String) throws {
    let lab = try NameLab(settings: text, isServing: false)
    let path = try (lab.reachability("path"), lab.reachability("path", "--json"))
    path.0.expectHarmless(errors: 0, "path")
    #expect(path.0.lines.count { $0.hasPrefix("DNS ") } == 1)
    path.1.expectHarmless(lines: 1, errors: 0, isJSON: true, "path --json")
    for more in [[], ["--json"]] {
      let check = try lab.start(["check", "listed.test", "none.test"] + more).finish()
      check.expectHarmless(errors: 0, isJSON: more == ["--json"], "check \(more)")
      #expect(check.output.contains("10.9.0.99"))
    }
  }

  @Test func `bytes that are not UTF-8 name no server`() throws {
    let lab = try NameLab(isServing: false)
    try lab.change(
      #"printf 'nameserver fe80::53%%\377\376\nnameserver \233\n\200\nnameserver 10.9.0.53' >resolv.conf"#)
    let path = try (lab.reachability("path"), lab.reachability("path", "--json"))
    path.0.expectHarmless(errors: 0, "path")
    path.1.expectHarmless(lines: 1, errors: 0, isJSON: true, "path --json")
    #expect(path.1.output.contains("10.9.0.53"))
  }

  @Test(arguments: [
    ("hosts", "10.9.0.98 \u{1b}[2J \"},{ a\u{202e}b alias.test\n10.9.0.99 listed.test\n"),
    ("hosts", "10.9.0.99 \(long).test listed.test\n\u{0}\n10.9.0.99 listed.test\n"),
    ("hosts", String(repeating: "10.9.0.99 listed.test\n", count: 2000)),
    ("nsswitch.conf", "hosts: \u{1b}[2J files\n"), ("nsswitch.conf", "hosts: files [\(long)\n"),
    ("nsswitch.conf", "\u{0}\u{ff}\n"), ("nsswitch.conf", ""),
  ])
  func `no line of hosts or nsswitch.conf can leave its column or string`(_ name: String, _ text: String)
    throws
  {
    let lab = try NameLab(isServing: false)
    try lab.write(name, text)
    for more in [[], ["--json"]] {
      let outcome = try lab.start(["check", "listed.test", "alias.test", "none.test"] + more).finish()
      outcome.expectHarmless(errors: 0, isJSON: more == ["--json"], "\(name) \(more)")
      #expect(outcome.lines.count >= 3)
    }
  }

  private static func domain(_ length: Int) -> String { String(repeating: "x", count: length) }
  private static let overlong = "search \(domain(300))\nnameserver 127.0.0.1\n"
  private static let refused = "listed.test  unknown        the system could not be queried\n"

  // With glibc 2.36, getaddrinfo() ends the process for each list that is refused, and for no other one.
  @Test(
    arguments: [
      ("search \(domain(255))", false), ("search \(domain(256))", true), ("domain \(domain(256))", true),
      ("domain a \(domain(300))", false), ("search a \(domain(253))", false),
      ("search a \(domain(254))", true), ("search\t\(domain(55))\t \(domain(250))\t", true),
      ("search \(domain(56)) \(domain(250))", false), ("search a b c d e \(domain(246))", true),
      ("search a b c d e f \(domain(300))", false), ("search \(domain(300))\ndomain b", false),
      ("domain b\nsearch \(domain(20_000))", true), ("#search \(domain(300))", false),
      (" search \(domain(300))", false), ("search \(domain(300))\nsearch \nsearch \u{0}x", true),
    ] as [(String, Bool)])
  func `a list of search domains that would end the process prevents the lookup`(
    _ text: String, _ isRefused: Bool
  ) throws {
    let lab = try NameLab(settings: text + "\nnameserver 127.0.0.1\n", isServing: false)
    let outcome = try lab.reachability("check", "listed.test")
    #expect(outcome.status == (isRefused ? 2 : 0), "\(outcome)")
    if isRefused { #expect(outcome == Outcome(status: 2, output: Self.refused)) }
  }

  // Not an argument of the test above: each argument is printed.
  @Test func `a list after 50,000 comments prevents the lookup`() throws {
    let comments = String(repeating: "#\n", count: 50_000)
    try `a list of search domains that would end the process prevents the lookup`(
      "\(comments)search \(Self.domain(300))", true)
  }

  @Test(arguments: [
    (domain(255), false), (domain(256), true), (" \(domain(254))", false), (" \(domain(255))", true),
    ("a\n\(domain(300))", false), ("", false),
  ])
  func `LOCALDOMAIN replaces the search domains of resolv.conf`(_ text: String, _ isRefused: Bool) throws {
    let lab = try NameLab(settings: Self.overlong, isServing: false)
    let command = try lab.start(["check", "listed.test"], environment: ["LOCALDOMAIN": text])
    let outcome = try command.finish()
    #expect(outcome.status == (isRefused ? 2 : 0), "\(outcome)")
    if isRefused { #expect(outcome == Outcome(status: 2, output: Self.refused)) }
  }

  @Test func `an explanation names the place of an overlong search domain and its length`() throws {
    let lab = try NameLab(settings: Self.overlong, isServing: false)
    let file = try lab.reachability("explain", "listed.test").output
    #expect(
      file.contains(
        """
        problem: A search domain in /etc/resolv.conf has 300 bytes: with it, the C library ends every process that looks up a \
        name.
        """), "\(file)")
    #expect(
      file.contains("advice: Remove that domain from /etc/resolv.conf (search or domain).\n"), "\(file)")
    let command = try lab.start(["explain", "listed.test"], environment: ["LOCALDOMAIN": Self.domain(257)])
    let variable = try command.finish().output
    #expect(
      variable.contains("problem: A search domain in the variable LOCALDOMAIN has 257 bytes: "), "\(variable)"
    )
    #expect(
      variable.contains("advice: Remove that domain from LOCALDOMAIN, and start this program again.\n"),
      "\(variable)")
  }

  @Test func `an overlong search domain of a namespace prevents lookups there only`() throws {
    let lab = try NameLab(isServing: false)
    try lab.network.hideFolders("/run")
    try lab.network.sh("ip netns add blue && ip -n blue link set lo up")
    try lab.change("mkdir -p netns/blue")
    try lab.write("netns/blue/resolv.conf", "search \(Self.domain(300))\n")
    let there = try lab.reachability("explain", "listed.test", "--namespace", "blue")
    #expect(there.status == 2)
    #expect(
      there.output.contains("problem: A search domain in /etc/netns/blue/resolv.conf has 300 bytes: "),
      "\(there)")
    try #expect(lab.reachability("check", "listed.test").status == 0)
  }

  @Test func `watch survives an overlong search domain, and looks up after its removal`() throws {
    let lab = try NameLab(settings: Self.overlong, isServing: false)
    let command = try lab.start(["watch", "listed.test"])
    try #expect(
      command.nextKnownLine() == "TIME  listed.test  unknown        the system could not be queried")
    try lab.write("resolv.conf", NameLab.settings)
    try #expect(command.nextKnownLine().hasPrefix("TIME  listed.test  reachable "))
  }

  @Test func `verify names an overlong search domain instead of ending`() throws {
    let lab = try NameLab(settings: Self.overlong, isServing: false)
    let outcome = try lab.reachability("verify", "http://listed.test:9/")
    #expect(outcome.status == 1, "\(outcome)")
    #expect(outcome.output.contains("A search domain in /etc/resolv.conf has 300 bytes: "), "\(outcome)")
  }
}
#endif
