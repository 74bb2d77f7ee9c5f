// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import LiveSupport
import RequirementSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What the command prints with `--json`, and a record; the tests of the other commands check theirs.
@Suite(.needsNamespaces, .needsLineSchema, .deadline) struct `The JSON schema` {
  @Test func `statuses, paths, evidence and explanations match`() throws {
    let lab = try NameLab.sample()
    var lines = ""
    for arguments in [
      ["check", "default", "10.9.0.1", "fe80::2%eth0", "10.66.1.1", "half.test", "none.test"],
      ["path"], ["path", "--evidence"],
      ["explain", "10.9.0.1", "--probe", "9"], ["explain", "half.test"], ["explain", "10.66.3.1"],
      ["explain"],
      ["watch", "--evidence", "--timeout", "0", "default", "half.test"], ["wait", "10.9.0.1"],
    ] { lines += try lab.start([arguments[0], "--json"] + arguments.dropFirst()).finish().output }
    #expect(lines.split(separator: "\n").count > 12)
    try #expect(LineSchema.problems(in: lines) == "")
  }

  @Test func `each change, and what carries a tunnel, match`() throws {
    let network = try NetworkNamespace.wired()
    try network.batch(
      """
      link add vpn0 type vxlan id 7 remote 10.1.0.9 dstport 4789
      address add 10.7.0.1/24 dev vpn0
      link set vpn0 up
      """)
    let command = try RunningCommand(["watch", "--json", "--count", "3", "10.7.0.2"], in: network)
    _ = try command.nextLine()
    try network.ip("link set eth0 down")
    let lines = try command.nextLine()
    try network.ip("link set eth0 up")
    let rest = try command.finish().output
    let path = try reachability("path", "--json", in: network).output
    #expect(rest.contains("underlays"))
    try #expect(LineSchema.problems(in: lines + "\n" + rest + path) == "")
  }

  @Test func `each line of a record matches`() throws {
    let folder = try RecordFolder()
    let network = try NetworkNamespace.wired()
    let command = try folder.record("10.9.0.1", "--heartbeat", "1s", "--evidence", in: network)
    try folder.wait(for: #""event":"initial""#, 2)
    try network.ip("route add 10.9.0.0/16 via 10.1.0.254")
    try folder.wait(for: #""event":"change""#)
    try folder.wait(for: #""event":"heartbeat""#)
    command.send(SIGTERM)
    try #expect(command.finish().status == 0)
    try #expect(LineSchema.problems(in: folder.text()) == "")
  }

  @Test func `what is missing, or not documented, does not match`() throws {
    let line = try reachability("check", "--json", in: .sample()).output
    try #expect(LineSchema.problems(in: line) == "")
    for (part, other) in [
      (#""reason":null,"#, ""), (#""event":"check""#, #""event":"later""#),
      (#""flags""#, #""other":1,"flags""#),
      (#""version":1"#, #""version":2"#),
    ] {
      #expect(line.contains(part))
      try #expect(LineSchema.problems(in: line.replacing(part, with: other)) != "")
    }
  }
}
#endif
