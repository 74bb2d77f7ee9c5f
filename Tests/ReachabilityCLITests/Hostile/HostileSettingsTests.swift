#if os(Linux)
import Foundation
import CommandSupport
import DeadlineSupport
import LiveSupport
import Testing

/// The resolver's files may come from other programs, or from a network's announcements.
@Suite(.needsOwnSettings, .deadline) struct `Hostile resolver settings` {
  private static let long = String(repeating: "x", count: 20_000)
  // Search lines stay short: from 256 bytes on, glibc 2.36 ends every process that looks up a name.
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
}
#endif
