// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import RequirementSupport
import Testing

/// What the tracer leaves alone, and what it may do.
@Suite(.needsFirewalls, .deadline) struct `A trace` {
  /// A target that never answers.
  private static let silent = ["tcp://10.1.0.77:443", "--timeout", "10s"]

  @Test func `a table with an owner exists meanwhile, and vanishes after kill -9`() throws {
    let lab = try FirewallLab(`Rules of nftables`.Firewall.out("tcp dport 444 drop comment \"mine\""))
    let before = try lab.ruleset()
    let command = try lab.start(Self.silent)
    try lab.waitForTable()
    let during = try lab.ruleset()
    #expect(during != before && during.contains(before.trimmingCharacters(in: .newlines)))
    #expect(
      during.contains(/table inet reachability-trace-[0-9a-f]{16} \{/) && during.contains("flags owner"))
    let rule = #/(?m)^\t\t(.*\d) (limit.*)$/#
    let rules = during.matches(of: rule)
    // The local port is one of those that the kernel chooses.
    #expect(
      rules.map { $0.1.replacing(#/\d{4,5}/#, with: "PORT") } == [
        "ip saddr 10.1.0.77 tcp sport 443 tcp dport PORT", "meta nfproto ipv4 tcp dport PORT",
        "ip daddr 10.1.0.77 tcp sport PORT tcp dport 443",
      ])
    #expect(rules.allSatisfy { $0.2 == "limit rate 20/second burst 20 packets meta nftrace set 1" })
    for hook in ["prerouting", "input", "output"] {
      #expect(during.contains("\ttype filter hook \(hook) priority -2147483648; policy accept;\n"))
    }
    let name = try #require(during.firstMatch(of: /table inet (reachability-trace-\w+)/)).1
    #expect(try lab.host.shell("nft delete table inet \(name)").status != 0)
    command.send(SIGKILL)
    #expect(try command.finish().status == 128 + SIGKILL)
    try lab.host.sh(
      "for i in $(seq 2000); do nft list tables | grep -q reachability-trace || exit 0; done; exit 1")
    try #expect(lab.ruleset() == before)
  }

  @Test func `packets of other sockets are not shown, even if others trace them`() throws {
    let lab = try FirewallLab(
      `Rules of nftables`.Firewall.out(
        """
        meta l4proto udp meta nftrace set 1
        udp dport 443 drop comment "others"
        """))
    try lab.silencePeer()
    let command = try lab.start(["udp://10.1.0.9:444", "--timeout", "10s", "--json"])
    try lab.waitForTable()
    try lab.host.sh("exec bash -c 'for i in $(seq 100); do echo x >/dev/udp/10.1.0.9/443; done; :'")
    // The next datagram is refused, which ends the trace.
    try lab.letPeerAnswer()
    let report = try #require(TraceReport(line: Array(try command.finish().output.dropLast().utf8)))
    #expect(report.outcome == .refused && report.rule == nil && !report.hasLosses, "\(report)")
    #expect(!report.steps.contains { $0.verdict == "drop" }, "\(report)")
  }

  @Test(.needsPython) func `the same packets of another socket are not shown either`() throws {
    let lab = try FirewallLab(
      `Rules of nftables`.Firewall.out(
        """
        meta nftrace set 1
        meta l4proto udp udp sport 1000-1999 drop comment "others"
        """))
    try lab.silencePeer()
    let command = try lab.start(["udp://10.1.0.9:443", "--timeout", "10s", "--json"])
    try lab.waitForTable()
    try lab.host.sh(
      """
      /usr/bin/python3 - <<'END'
      import socket
      for port in range(1000, 1100):
          s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("10.1.0.1", port))
          try: s.sendto(b"x", ("10.1.0.9", 443))
          except PermissionError: pass
      END
      """)
    try lab.letPeerAnswer()
    let report = try #require(TraceReport(line: Array(try command.finish().output.dropLast().utf8)))
    #expect(report.outcome == .refused && !report.hasLosses, "\(report)")
    #expect(!report.steps.contains { $0.verdict == "drop" }, "\(report)")
  }

  @Test func `comments and names of rules cannot harm a terminal, and stay whole in JSON`() throws {
    let comment = "\u{1b}]0;x\u{7}\u{202e}" + String(repeating: "c", count: 118)
    let lab = try FirewallLab(
      `Rules of nftables`.Firewall.out("tcp dport 443 drop comment \"\(comment)\""))
    let report = try lab.trace("tcp://10.1.0.9:443")
    #expect(report.rule?.comment == comment && comment.utf8.count == 127)
    let outcome = try lab.start(["tcp://10.1.0.9:443"]).finish()
    #expect(outcome.output.contains("comment \"\\u{1b}]0;x\\u{7}\\u{202e}ccc"), "\(outcome)")
    #expect(outcome.output.unicodeScalars.allSatisfy { $0 == "\n" || (" "..."~").contains($0) })
  }

  @Test func `the process has one capability, no way to more, and no descriptors of its caller`() throws {
    let lab = try FirewallLab()
    let command = try lab.start(Self.silent, through: "exec 7</etc/passwd 9>/dev/null; exec \"$@\"")
    try lab.waitForTable()
    let status = try String(contentsOfFile: "/proc/\(command.processID)/status", encoding: .utf8)
    for line in [
      "CapInh:\t0000000000000000", "CapPrm:\t0000000000001000", "CapEff:\t0000000000001000",
      "CapBnd:\t0000000000000000", "CapAmb:\t0000000000000000", "NoNewPrivs:\t1", "Threads:\t1",
    ] { #expect(status.contains(line), "\(line): \(status)") }
    let folder = "/proc/\(command.processID)/fd"
    let targets = try FileManager.default.contentsOfDirectory(atPath: folder).filter { (Int($0) ?? 0) > 2 }
      .map { try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
    // The probe, the traces and the table.
    #expect(targets.count == 3 && targets.allSatisfy { $0.hasPrefix("socket:") }, "\(targets)")
  }

  @Test func `the environment has no effect`() throws {
    let lab = try FirewallLab(`Rules of nftables`.Firewall.out("tcp dport 443 drop"))
    // The C library would end the options at the first operand.
    let outcome = try lab.start(
      ["tcp://10.1.0.9:443", "--json"], environment: ["POSIXLY_CORRECT": "1", "LC_ALL": "de_DE.UTF-8"]
    ).finish()
    #expect(TraceReport(line: Array(outcome.output.dropLast().utf8))?.outcome == .dropped, "\(outcome)")
  }

  private static let missingRight = Outcome(
    status: 2,
    errors: """
      error: tracing needs CAP_NET_ADMIN in the user namespace that owns this network
      hint: run it as root, for example with sudo

      """)

  @Test(
    .needsOtherUser,
    arguments: [
      "exec setpriv --reuid=65534 --regid=65534 --clear-groups \"$@\"",
      "exec setpriv --bounding-set=-net_admin \"$@\"",
      "exec unshare --user --map-root-user \"$@\"",
    ])
  func `without the right over this network, the error names it`(_ launcher: String) throws {
    let lab = try FirewallLab()
    let outcome = try lab.start(["tcp://10.1.0.9:443"], through: launcher).finish()
    #expect(outcome == Self.missingRight)
    #expect(try lab.start(["--help"], through: launcher).finish().status == 0)
  }

  @Test(.needsOtherUser) func `a set-user-ID program becomes its caller and keeps the right`() throws {
    let lab = try FirewallLab()
    let folder = FileManager.default.temporaryDirectory.appending(path: "trace-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try lab.host.sh(
      "mkdir -m 755 '\(folder)' && cp '\(Executable("reachability-trace").path)' '\(folder)' && "
        + "chmod 4755 '\(folder)/reachability-trace'")
    let command = try lab.start(
      Self.silent,
      through: "shift; exec setpriv --reuid=65534 --regid=65534 --clear-groups "
        + "'\(folder)/reachability-trace' \"$@\"")
    try lab.waitForTable()
    let status = try String(contentsOfFile: "/proc/\(command.processID)/status", encoding: .utf8)
    for line in [
      "Uid:\t65534\t65534\t65534\t65534", "Gid:\t65534\t65534\t65534\t65534",
      "CapPrm:\t0000000000001000", "NoNewPrivs:\t1",
    ] { #expect(status.contains(line), "\(line): \(status)") }
  }
}
