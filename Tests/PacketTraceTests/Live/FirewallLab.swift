// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import CommandSupport
import Foundation
import LiveSupport
import RequirementSupport
import Testing

/// Two machines on one cable: the one that is traced, with firewall rules, and a peer.
final class FirewallLab: Sendable {
  let host: NetworkNamespace
  let peer: NetworkNamespace

  /// - Parameter rules: The text that `nft` reads on the first machine.
  init(_ rules: String = "") throws {
    host = try NetworkNamespace()
    peer = try NetworkNamespace()
    try host.batch(
      """
      link set lo up
      link add eth0 type veth peer name eth0 netns \(peer.path)
      link set eth0 addrgenmode none
      address add 10.1.0.1/24 dev eth0
      address add fd00:1::1/64 dev eth0 nodad
      address add fe80::1/64 dev eth0 nodad
      link set eth0 up
      neighbour add 10.1.0.77 lladdr 02:00:00:00:00:77 dev eth0
      """)
    try peer.batch(
      """
      link set lo up
      link set eth0 addrgenmode none
      address add 10.1.0.9/24 dev eth0
      address add fd00:1::9/64 dev eth0 nodad
      address add fe80::9/64 dev eth0 nodad
      link set eth0 up
      """)
    try host.wait(until: "eth0", shows: "state UP")
    // Until then it answers no neighbour solicitation; the kernel settles few links a second.
    try peer.wait(until: "eth0", shows: "state UP")
    for network in [host, peer] { try network.awaitAddresses() }
    try nft(rules)
  }

  /// Adds rules on the first machine.
  func nft(_ rules: String) throws {
    guard !rules.isEmpty else { return }
    let result = try host.shell("exec nft -f - <<'END'\n\(rules)\nEND")
    guard result.status == 0 else { throw CommandError("nft: \(result.standardError)") }
  }

  /// All rules, without what packets change.
  func ruleset() throws -> String { try host.sh("nft list ruleset") }

  /// Starts the command on the first machine.
  func start(
    _ arguments: [String], environment: [String: String] = [:], through shell: String? = nil
  ) throws -> RunningCommand {
    try RunningCommand(
      arguments, of: "reachability-trace", in: host, environment: environment, through: shell)
  }

  /// Traces a packet, and expects that all rules are as before.
  func trace(
    _ arguments: String..., sourceLocation location: SourceLocation = #_sourceLocation
  ) throws -> TraceReport {
    let before = try ruleset()
    let outcome = try start(arguments + ["--json"]).finish()
    try #expect(ruleset() == before, sourceLocation: location)
    #expect(outcome.errors == "", sourceLocation: location)
    let line = Array(outcome.output.dropLast().utf8)
    let report = try #require(TraceReport(line: line), "\(outcome)", sourceLocation: location)
    let isNegative = report.outcome.isOwnFilter || report.outcome == .notSent
    #expect(outcome.status == (isNegative ? 1 : 0), "\(outcome)", sourceLocation: location)
    return report
  }

  /// Makes the peer drop what it receives, until ``letPeerAnswer()``.
  func silencePeer() throws {
    try peer.sh(
      "nft add table inet t; nft 'add chain inet t in { type filter hook input priority 0; }'; "
        + "nft add rule inet t in meta l4proto { tcp, udp } drop")
  }

  func letPeerAnswer() throws { try peer.sh("nft delete table inet t") }

  /// Waits until a running command has made its table.
  func waitForTable() throws {
    try host.sh("for i in $(seq 2000); do nft list tables | grep -q reachability-trace && exit; done; exit 1")
  }
}

extension Trait where Self == Requirement {
  /// Skips tests where there are no firewalls to trace.
  static var needsFirewalls: Self { Self(firewalls) }

  /// Skips tests where there are no rules of iptables.
  static var needsIPTables: Self {
    Self(
      firewalls ?? .withoutPrograms("iptables-nft", "ip6tables-nft")
        ?? .unless("iptables-nft -S", "the kernel has no rules of iptables-nft"))
  }
}

private let firewalls =
  SkipReason.withoutNamespaces ?? .withoutPrograms("nft")
  ?? .unless("nft add table inet test", "the kernel has no nf_tables")

/// An address family, and the words for it.
struct Family: Sendable, CustomTestStringConvertible {
  var peer: String
  var iptables: String
  var word: String

  static let all = [
    Family(peer: "10.1.0.9", iptables: "iptables-nft", word: "ip"),
    Family(peer: "[fd00:1::9]", iptables: "ip6tables-nft", word: "ip6"),
  ]

  var testDescription: String { word }
}
