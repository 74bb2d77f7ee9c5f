// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import CommandSupport
import DeadlineSupport
import LiveSupport
import Testing

/// The kernel accepts almost any bytes as an interface name.
@Suite(.needsNamespaces, .deadline) struct `Hostile interface names` {
  /// Each command that prints an interface, with its numbers of text lines, JSON objects and messages.
  private static let commands: [(arguments: [String], lines: Int, objects: Int, errors: Int)] = [
    (["check", "10.9.0.1"], 1, 1, 0),
    (["watch", "10.9.0.1", "--count", "1"], 1, 1, 0),
    (["wait", "10.9.0.1", "--until", "unreachable", "--timeout", "300ms"], 0, 1, 1),
    // The path, its interface and gateway, IPv4, IPv6 and DNS, expensive and constrained; a watch adds the time.
    (["path"], 8, 1, 0), (["path", "--watch", "--count", "1"], 9, 1, 0),
  ]

  // Slow: 25 names, two commands of each kind.
  @Test(arguments: HostileName.all)
  func `a name cannot leave its column in text or its string in JSON`(_ name: HostileName) throws {
    let network = try network(named: name)
    for (arguments, lines, objects, errors) in Self.commands {
      let text = try RunningCommand(arguments, in: network).finish()
      text.expectHarmless(lines: lines, errors: errors, "\(arguments)")
      // The text after the name is on the same line.
      let written = (text.output + text.errors).split(separator: "\n")
      #expect(written.count { $0.contains(" (wired)") } == 1, "\(arguments): \(text)")

      // A name that is valid UTF-8 is also valid for --interface.
      let chosen = name.isText && arguments[0] != "path" ? ["--interface", name.text] : []
      let json = try RunningCommand(arguments + ["--json"] + chosen, in: network).finish()
      json.expectHarmless(lines: objects, errors: errors, "\(arguments) --json")
      let names = json.objects().map { object in
        (object["interfaces"] as? [[String: Any]])?.first?["name"] ?? object["interface"]
      }
      #expect(names as? [String] == [name.text], "\(arguments): \(json)")
    }
  }

  @Test(arguments: HostileName.all)
  func `the name of an unusable or a lower interface cannot either`(
    _ name: HostileName
  ) throws {
    let network = try network(named: name)
    try network.ip("route del default")
    let useless = try (reachability("path", in: network), reachability("path", "--json", in: network))
    // The path, both ends of the veth pair, IPv4, IPv6 and DNS.
    useless.0.expectHarmless(lines: 6, errors: 0, "useless")
    useless.1.expectHarmless(lines: 1, errors: 0, "useless, --json")
    let others = useless.1.objects().first?["unusableInterfaces"] as? [[String: Any]]
    #expect(others?.contains { $0["name"] as? String == name.text } == true)

    try network.sh(
      """
      ip link add br0 type bridge
      ip link set "$(printf '\(name.octal)')" master br0
      ip address add 10.4.0.1/24 dev br0
      ip link set br0 up
      ip route add default via 10.4.0.254
      for i in $(seq 2000); do ip link show br0 | grep -q 'state UP' && exit; done; exit 1
      """)
    let below = try (reachability("path", in: network), reachability("path", "--json", in: network))
    below.0.expectHarmless(errors: 0, "below")
    below.1.expectHarmless(lines: 1, errors: 0, "below, --json")
    let bridge = (below.1.objects().first?["interfaces"] as? [[String: Any]])?.first
    #expect((bridge?["lower"] as? [[String: Any]])?.map { $0["name"] as? String } == [name.text], "\(below)")
  }

  @Test(arguments: HostileName.all)
  func `a name cannot leave its label in a file of metrics`(_ name: HostileName) throws {
    let network = try network(named: name)
    let export = try Export(["10.9.0.1"], in: network)
    let text = try export.text { export.shows("reachable", of: "10.9.0.1", $0) }
    Outcome(status: 0, output: text, errors: "").expectHarmless("export")
    let sample = try Regex("[a-z_]+(?:\\{LABEL(?:,LABEL)*\\})? [0-9.]+".replacing("LABEL", with: Self.label))
      .matchingSemantics(.unicodeScalar)
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      #expect(line.wholeMatch(of: sample) != nil, "\(line)")
    }
    #expect(text.split(separator: "\n").count { $0.hasPrefix("reachability_target_route_info{") } == 1)
  }

  /// A label of the text format of Prometheus, with the only three escapes that it has.
  private static let label = #"[a-z]+="(?:[^"\\]|\\[\\n"])*""#

  @Test(.needsPython) func `the kernel rejects names that would end a line or a path`() throws {
    let network = try NetworkNamespace.wired()
    let refused = try network.sh(
      """
      exec /usr/bin/python3 - <<'END'
      import socket, struct
      kernel = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
      for name in [b"a\\nb", b"a\\tb", b"a\\rb", b"a\\vb", b"a\\fb", b"a b", b"a\\xa0b", b"a/b", b"a:b", b"a%b", b".", b".."]:
          name += bytes(16 - len(name))
          body = struct.pack("=BxHiIIHH", 0, 0, socket.if_nametoindex("eth0"), 0, 0, 20, 3) + name
          kernel.send(struct.pack("=IHHII", 16 + len(body), 16, 5, 1, 0) + body)
          print(struct.unpack_from("=i", kernel.recv(4096), 16)[0], end=" ")
      END
      """)
    #expect(refused.split(separator: " ") == Array(repeating: "-22", count: 12))
  }

  @Test(arguments: ["a\u{1b}[2Jb", #"a"},{b"#, "a\u{2028}b", "a\u{202e}b", "a\u{3000}b", "a\u{85}b"])
  func `the name of a missing interface cannot leave its column or string`(_ name: String) throws {
    let network = try NetworkNamespace.wired()
    let target = "fe80::2%" + name
    for arguments in [["check"], ["watch", "--count", "1"], ["wait", "--timeout", "300ms"]] {
      // The problem and the advice have lines of their own.
      let errors = arguments[0] == "wait" ? 3 : 0
      let text = try RunningCommand(arguments + [target], in: network).finish()
      text.expectHarmless(lines: errors == 0 ? 1 : 0, errors: errors, "\(arguments)")
      let json = try RunningCommand(arguments + ["--json", target], in: network).finish()
      json.expectHarmless(lines: 1, errors: errors, "\(arguments) --json")
      #expect(json.objects().map { $0["target"] as? String } == [target])
    }
  }

  @Test(arguments: ["a\nb", "a\r\nb", "a\u{1b}[2Jb", "a\u{85}b", "a\u{202e}b"])
  func `a rejected argument is one line of error and one line of hint`(
    _ text: String
  ) throws {
    let network = try NetworkNamespace.wired()
    let mistakes = [
      ["fe80::2%\(text)/"], ["\(text).example"], ["https://\(text)/"], ["10.0.0.1\(text)"],
      ["wait", "--from", text], ["wait", "--mark", text], ["wait", "--until", text],
      ["wait", "--timeout", text], ["watch", "--count", text], ["path", "--require", text],
      ["path", text], ["--\(text)"],
    ]
    for arguments in mistakes {
      for more in [[], ["--json"]] {
        let outcome = try RunningCommand(arguments + more, in: network).finish()
        outcome.expectHarmless(lines: 0, errors: 2, "\(arguments)")
        #expect(outcome.status == 2, "\(arguments): \(outcome)")
      }
    }
    let namespace = try reachability("--namespace", text, in: network)
    namespace.expectHarmless(lines: 0, errors: 1, "--namespace")
    #expect(namespace.status == 2)
  }

  /// A network whose only wired interface has this name.
  private func network(named name: HostileName) throws -> NetworkNamespace {
    let network = try NetworkNamespace.wired()
    try network.sh("ip link set eth0 name \"$(printf '\(name.octal)')\"")
    try network.ip("route add default via 10.1.0.254")
    return network
  }
}
#endif
