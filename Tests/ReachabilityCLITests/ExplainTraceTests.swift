// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import RequirementSupport
import Testing

@Suite(.needsNamespaces, Requirement(.withoutPrograms("nft")), .deadline) struct `The option --trace` {
  /// A network with a rule that drops what goes to a port.
  private func network() throws -> NetworkNamespace {
    let network = try NetworkNamespace.wired()
    try network.sh(
      """
      nft -f - <<'END'
      table inet site {
      chain out {
      type filter hook output priority 0; policy accept;
      tcp dport 443 drop comment "kill switch"
      }
      }
      END
      """)
    return network
  }

  private let arguments = ["explain", "10.1.0.1", "--probe", "443", "--trace", "--timeout", "300ms"]

  @Test func `an explanation names the rule that drops the packets`() throws {
    let network = try network()
    let before = try network.sh("nft list ruleset")
    let outcome = try RunningCommand(arguments, in: network).finish()
    #expect(outcome.status == 1 && outcome.errors == "")
    #expect(
      outcome.output.contains(
        """
        IPv4  failed   local filter  rule 2 of nftables, inet site out (hook output): drop, comment "kill switch"
                                     problem: This machine's own firewall drops packets to 10.1.0.1 port 443.
                                     advice: If this is not intended, change the rule. To see it as root: nft -a list chain inet site out.
        IPv4  failed   connection    10.1.0.1 port 443: no answer within
        """), "\(outcome)")
    // The connection step has no other guess.
    #expect(!outcome.output.contains("may be down"))
    try #expect(network.sh("nft list ruleset") == before)
  }

  @Test func `the step is part of the JSON object`() throws {
    let outcome = try RunningCommand(arguments + ["--json"], in: network()).finish()
    let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
    let steps = try #require(object?["steps"] as? [[String: Any]])
    let step = try #require(steps.first { $0["kind"] as? String == "localFilter" })
    #expect((step["fact"] as? String)?.hasPrefix("rule 2 of nftables, ") == true)
    #expect(step["verdict"] as? String == "failed")
  }

  @Test func `without a rule that drops, the step says so`() throws {
    let network = try NetworkNamespace.wired()
    let listener = try Listener(in: network)
    let outcome = try RunningCommand(
      ["explain", "10.1.0.1", "--probe", "\(listener.port)", "--trace"], in: network
    ).finish()
    #expect(outcome.status == 0)
    #expect(
      outcome.output.contains(
        "  no rule of nf_tables dropped the packet: 10.1.0.1 port \(listener.port) answered\n"), "\(outcome)")
  }

  @Test func `the advice about a silent drop names the rule`() throws {
    let network = try network()
    let probe = try RunningCommand(
      ["explain", "10.1.0.1", "--probe", "443", "--timeout", "4s"], in: network
    ).finish()
    let line = try #require(
      probe.output.split(separator: "\n").first { $0.contains("advice: To name the rule") })
    let words = line.split(separator: "reachability ")[1].split(separator: ". ")[0].split(separator: " ")
    let trace = try RunningCommand(words.map(String.init), in: network).finish()
    #expect(trace.status == 1 && trace.output.contains("kill switch"), "\(trace)")
  }

  @Test func `without the right, the rest is explained, and the error names it`() throws {
    let outcome = try RunningCommand(
      arguments, in: network(),
      through: "exec setpriv --bounding-set=-all --inh-caps=-all --no-new-privs \"$@\""
    ).finish()
    #expect(
      outcome.errors == """
        error: tracing needs CAP_NET_ADMIN in the user namespace that owns this network
        hint: run it as root, for example with sudo

        """)
    #expect(outcome.status == 1 && outcome.output.contains("  connection  10.1.0.1 port 443: no answer"))
  }

  @Test func `without the program beside the command, the rest is explained, and PATH is not searched`()
    throws
  {
    let folder = try CommandFolder()
    let network = try network()
    let home = URL(filePath: try Executable("reachability").path).deletingLastPathComponent().path
    let outcome = try folder.start(arguments, path: "\(home):/usr/bin:/bin", in: network).finish()
    #expect(
      outcome.errors == """
        error: --trace runs reachability-trace, which is not in the folder of this command
        hint: install it there, or run reachability-trace by itself

        """)
    #expect(outcome.output.contains("  connection  10.1.0.1 port 443: no answer"))
    // What is there is run, with an empty environment, and its words are not trusted.
    for (script, isRead) in [
      ("printf '%s' \"$(env | grep -v ^PWD= | grep -v ^SHLVL= | grep -v ^_=)\"", false),
      ("head -c 1000000 /dev/zero", false), ("kill -9 $$", false),
      (
        #"""
        echo '{"version":1,"time":"t","address":"10.1.0.1","port":443,"transport":"tcp","outcome":"dropped","rule":{"family":"inet","table":"a","chain":"b","hook":null,"handle":1,"comment":"\u001b[2J","verdict":"drop","rejection":null,"iptables":false},"error":null,"legacyTables":[],"eventsLost":false,"milliseconds":1,"steps":[],"event":"trace"}'
        """#, true
      ),
    ] {
      try NetworkNamespace().sh(
        "printf '%s\\n' '#!/bin/sh' '\(script.replacing("'", with: #"'\''"#))' "
          + ">'\(folder.path)/reachability-trace'; chmod 755 '\(folder.path)/reachability-trace'")
      let outcome = try folder.start(arguments, in: network).finish()
      #expect(outcome.output.contains(#"comment "\u{1b}[2J""#) == isRead, "\(outcome)")
      #expect(outcome.errors.contains("has not reported what became of the packet") != isRead, "\(outcome)")
    }
  }

  @Test(arguments: [["--trace"], ["--probe", "443", "--trace", "--namespace", "1"]])
  func `it needs --probe, and this network`(_ options: [String]) throws {
    let outcome = try RunningCommand(["explain", "10.1.0.1"] + options).finish()
    #expect(outcome.status == 2 && outcome.errors.contains("--trace"), "\(outcome)")
  }
}
#endif
