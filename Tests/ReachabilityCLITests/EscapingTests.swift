// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import CommandSupport
import DeadlineSupport
import LiveSupport
import Testing

/// The creator of an interface may choose almost any bytes as its name.
@Suite(.needsNamespaces, .deadline) struct `Unusual interface names` {
  @Test func `control characters in an interface name are escaped`() throws {
    let network = try network(named: "a\u{1b}[31mb")
    try #expect(
      reachability("10.1.0.2", in: network)
        == Outcome(status: 0, output: "10.1.0.2  reachable      a\\u{1b}[31mb (wired) from 10.1.0.1\n"))
  }

  @Test func `invisible and bidirectional characters in a name are escaped`() throws {
    let network = try network(named: "\u{202e}a\u{200b}\u{85}b")
    let name = #"\u{202e}a\u{200b}\u{85}b"#
    try #expect(
      reachability("10.1.0.2", in: network)
        == Outcome(status: 0, output: "10.1.0.2  reachable      \(name) (wired) from 10.1.0.1\n"))
  }

  // Some of these are names of targets only: the kernel takes their byte A0 for a blank.
  @Test(arguments: [
    0x34f, 0x115f, 0x17b4, 0x180b, 0x2800, 0x3164, 0xfe0f, 0xffa0, 0x1_3441, 0x1_6fe4, 0x1_d159, 0xe_0100,
  ])
  func `a name with an invisible character does not look like one without`(_ character: UInt32) throws {
    let scalar = try #require(Unicode.Scalar(character))
    let code = String(character, radix: 16)
    let network = try NetworkNamespace.wired()
    try #expect(
      reachability("fe80::2%eth0\(scalar)", in: network).output
        == "fe80::2%eth0\\u{\(code)}  not reachable  no such interface\n")
    if String(scalar).utf8.contains(0xa0) { return }
    try network.ip(["link", "set", "eth0", "name", "eth0\(scalar)"])
    try #expect(
      reachability("10.1.0.2", in: network).output
        == "10.1.0.2  reachable      eth0\\u{\(code)} (wired) from 10.1.0.1\n")
  }

  @Test func `letters of any script stay unchanged`() throws {
    let network = try network(named: "ютьé🙂")
    try #expect(
      reachability("10.1.0.2", in: network)
        == Outcome(status: 0, output: "10.1.0.2  reachable      ютьé🙂 (wired) from 10.1.0.1\n"))
  }

  @Test(arguments: QuotedName.all)
  func `a name in JSON is escaped and parses back unchanged`(_ name: QuotedName) throws {
    let output = try reachability("10.1.0.2", "--json", in: network(named: name.name)).output
    #expect(
      output == #"""
        {"version":1,"time":"TIME","target":"10.1.0.2","status":"reachable","reason":null,\#
        "flags":["reachable","isDirect"],"flagsValue":131074,"interface":"\#(name.quoted)","index":0,"kind":"wired",\#
        "isTunnel":false,"linkType":"veth","gateway":null,"source":"10.1.0.1","addresses":[],\#
        "previous":null,"event":"check"}

        """#)
    let object = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]
    #expect(object?["interface"] as? String == name.name)
  }

  @Test func `bytes that are not UTF-8 are replaced`() throws {
    let network = try network(named: "eth0")
    try network.sh("ip link set eth0 name \"$(printf 'a\\377b')\"")
    try #expect(
      reachability("10.1.0.1", in: network)
        == Outcome(status: 0, output: "10.1.0.1  reachable      a\u{fffd}b (wired) from 10.1.0.1\n"))
  }

  @Test func `--interface accepts a name with control characters`() throws {
    let network = try network(named: "a\u{1b}[31mb")
    try #expect(
      reachability("10.1.0.2", "--interface", "a\u{1b}[31mb", in: network)
        == Outcome(status: 0, output: "10.1.0.2  reachable      a\\u{1b}[31mb (wired) from 10.1.0.1\n"))
  }

  @Test func `columns stay aligned when a target's zone is escaped`() throws {
    let outcome = try reachability("fe80::2%a\u{1b}[31mb", "127.0.0.1", in: network(named: "eth0"))
    #expect(
      outcome
        == Outcome(
          status: 1,
          output: """
            fe80::2%a\\u{1b}[31mb  not reachable  no such interface
            127.0.0.1             reachable      lo (loopback) from 127.0.0.1

            """))
  }

  /// A network with one wired interface of this name.
  private func network(named name: String) throws -> NetworkNamespace {
    let network = try NetworkNamespace.wired()
    try network.ip(["link", "set", "eth0", "name", name])
    return network
  }
}

/// An interface name, and its form in JSON.
struct QuotedName: Sendable, CustomTestStringConvertible {
  var name: String
  var quoted: String

  var testDescription: String { quoted }

  static let all = [
    QuotedName(name: "a\u{1b}[31mb", quoted: #"a\u001b[31mb"#),
    QuotedName(name: "\u{202e}\u{85}\u{7f}x", quoted: #"\u202e\u0085\u007fx"#),
    QuotedName(name: #"q"u\o"#, quoted: #"q\"u\\o"#),
    QuotedName(name: "\u{f0000}\u{1}", quoted: #"\udb80\udc00\u0001"#),
  ]
}
#endif
