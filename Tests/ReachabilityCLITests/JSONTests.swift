// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import CommandSupport
import DeadlineSupport
import LiveSupport
import ReachabilityKit
import Testing

@Suite(.needsNamespaces, .deadline) struct `The option --json` {
  /// The keys of each object, in their order.
  private static let keys = [
    "version", "time", "target", "status", "reason", "flags", "flagsValue", "interface", "index", "kind",
    "isTunnel", "linkType", "gateway", "source", "addresses", "previous", "event",
  ]

  /// The keys of each family of the default route, in their order.
  private static let familyKeys = [
    "family", "status", "reason", "flags", "flagsValue", "interface", "index", "kind", "isTunnel",
    "linkType", "gateway", "source",
  ]

  @Test(arguments: [CommandCase].objects)
  func `a status is one JSON object on one line`(_ check: CommandCase) throws {
    let outcome = try RunningCommand(["--json"] + check.arguments, in: .sample()).finish()
    #expect(outcome == Outcome(status: check.status, output: check.line + "\n"))
  }

  @Test(arguments: [CommandCase].objects)
  func `every object can be parsed and has all keys in order`(_ check: CommandCase) throws {
    let output = try RunningCommand(check.arguments + ["--json"], in: .sample()).finish().output
    let object = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]
    var (members, keys) = (Self.keys, Self.keys)
    if object?["target"] as? String == "default" {
      members.append("families")
      keys.insert(contentsOf: ["families"] + Self.familyKeys + Self.familyKeys, at: keys.count - 1)
    }
    #expect(object.map { Set($0.keys) } == Set(members))
    #expect(output.matches(of: /"([A-Za-z]+)":/).map { String($0.output.1) } == keys)
  }

  @Test func `each target has its own line, in the order of the targets`() throws {
    let output = try reachability("10.66.1.1", "--json", "10.9.0.1", "default", "::", in: .sample()).output
    let targets = try output.split(separator: "\n").map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return object?["target"] as? String
    }
    #expect(targets == ["10.66.1.1", "10.9.0.1", "default", "::"])
  }

  /// Returns the object of a line without what the command adds to the members of the library's value.
  private func members(_ line: some StringProtocol) throws -> [String: Any] {
    var object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    for key in ["version", "time", "event", "repairs", "families"] { object[key] = nil }
    return object
  }

  /// Whether a line is decoded as a value of the library, and encoded again with equal members.
  private func isLine<Value: Codable>(_ line: some StringProtocol, of type: Value.Type) throws -> Bool {
    let value = try JSONDecoder().decode(type, from: Data(line.utf8))
    return try members(line) as NSDictionary
      == members(String(decoding: JSONEncoder().encode(value), as: UTF8.self)) as NSDictionary
  }

  @Test func `programs decode lines as the library's values`() throws {
    let network = try NetworkNamespace.sample()
    let targets = ["10.9.0.1", "10.66.1.1", "tcp://[fd00:1::2]:443", "fe80::2%eth0", "default"]
    for line in try RunningCommand(["check", "--json"] + targets, in: network).finish().output.split(
      separator: "\n")
    {
      try #expect(isLine(line, of: ReachabilityEvent.self))
      #expect(throws: Never.self) { try JSONDecoder().decode(ReachabilityStatus.self, from: Data(line.utf8)) }
    }
    let path = try reachability("path", "--json", in: network).output
    try #expect(isLine(path, of: ReachabilityPath.self))
    for arguments in targets.map({ [$0] }) + [["10.1.0.1", "--probe", "9"]] {
      let explanation = try RunningCommand(["explain", "--json"] + arguments, in: network).finish().output
      try #expect(isLine(explanation, of: ReachabilityExplanation.self))
    }
  }

  @Test func `errors are text, also with --json`() throws {
    let outcome = try reachability("--json", "--mark", "x")
    #expect(
      outcome
        == Outcome(
          status: 2,
          errors: """
            error: invalid value 'x' for --mark
            hint: give a number from 0 to 4294967295, decimal or hexadecimal, for example 0x42

            """))
  }

  @Test func `the time is the current UTC time in any time zone`() throws {
    let before = Date.now
    let path = try Executable("reachability").path
    let output = try NetworkNamespace.sample().sh("TZ=XXX-9 exec '\(path)' --json 127.0.0.1")
    let after = Date.now
    let object = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]
    let text = try #require(object?["time"] as? String)
    let time = try Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    // The command truncates the time to milliseconds.
    #expect(time > before.addingTimeInterval(-0.002) && time < after.addingTimeInterval(0.001))
  }
}

extension [CommandCase] {
  /// The cases of `check --json`.
  fileprivate static let objects = reachable + notReachable

  private static let reachable = [
    CommandCase(
      "by a gateway", "10.9.0.1", 0,
      #"""
      {"version":1,"time":"TIME","target":"10.9.0.1","status":"reachable","reason":null,\#
      "flags":["reachable"],"flagsValue":2,"interface":"eth0","index":0,"kind":"wired","isTunnel":false,\#
      "linkType":"veth","gateway":"10.1.0.254","source":"10.1.0.1","addresses":[],"previous":null,"event":"check"}
      """#),
    CommandCase(
      "on the link", "fd00:1::2", 0,
      #"""
      {"version":1,"time":"TIME","target":"fd00:1::2","status":"reachable","reason":null,\#
      "flags":["reachable","isDirect"],"flagsValue":131074,"interface":"eth0","index":0,"kind":"wired",\#
      "isTunnel":false,"linkType":"veth","gateway":null,"source":"fd00:1::1","addresses":[],\#
      "previous":null,"event":"check"}
      """#),
    CommandCase(
      "local", "10.2.0.1", 0,
      #"""
      {"version":1,"time":"TIME","target":"10.2.0.1","status":"reachable","reason":null,\#
      "flags":["reachable","isLocalAddress","isDirect"],"flagsValue":196610,"interface":"wire1","index":0,\#
      "kind":"wired","isTunnel":false,"linkType":"veth","gateway":null,"source":"10.2.0.1","addresses":[],\#
      "previous":null,"event":"check"}
      """#),
    CommandCase(
      "loopback", "::1", 0,
      #"""
      {"version":1,"time":"TIME","target":"::1","status":"reachable","reason":null,\#
      "flags":["reachable","isLocalAddress","isDirect"],"flagsValue":196610,"interface":"lo","index":0,\#
      "kind":"loopback","isTunnel":false,"linkType":null,"gateway":null,"source":"::1","addresses":[],\#
      "previous":null,"event":"check"}
      """#),
    CommandCase(
      "link-local with a zone", "fe80::2%eth0", 0,
      #"""
      {"version":1,"time":"TIME","target":"fe80::2%eth0","status":"reachable","reason":null,\#
      "flags":["reachable","isDirect"],"flagsValue":131074,"interface":"eth0","index":0,"kind":"wired",\#
      "isTunnel":false,"linkType":"veth","gateway":null,"source":"fe80::1","addresses":[],\#
      "previous":null,"event":"check"}
      """#),
    CommandCase(
      "default route", "", 0,
      #"""
      {"version":1,"time":"TIME","target":"default","status":"reachable","reason":null,\#
      "flags":["reachable"],"flagsValue":2,"interface":"eth0","index":0,"kind":"wired","isTunnel":false,\#
      "linkType":"veth","gateway":"10.1.0.254","source":"10.1.0.1","addresses":[],"previous":null,"families":[\#
      {"family":"IPv4","status":"reachable","reason":null,"flags":["reachable"],"flagsValue":2,"interface":"eth0",\#
      "index":0,"kind":"wired","isTunnel":false,"linkType":"veth","gateway":"10.1.0.254","source":"10.1.0.1"},\#
      {"family":"IPv6","status":"notReachable","reason":"noRoute","flags":[],"flagsValue":0,"interface":null,\#
      "index":null,"kind":null,"isTunnel":false,"linkType":null,"gateway":null,"source":null}],"event":"check"}
      """#),
    CommandCase(
      "mark with a rule", "10.9.0.1 --mark 0x42", 0,
      #"""
      {"version":1,"time":"TIME","target":"10.9.0.1","status":"reachable","reason":null,\#
      "flags":["reachable"],"flagsValue":2,"interface":"wire1","index":0,"kind":"wired","isTunnel":false,\#
      "linkType":"veth","gateway":"10.2.0.254","source":"10.2.0.1","addresses":[],"previous":null,"event":"check"}
      """#),
  ]

  private static let notReachable = [
    without("no route", "2001:db8::1", "noRoute"),
    without("blackhole", "10.66.1.1", "blackhole"),
    without("unreachable", "10.66.2.1", "unreachableRoute"),
    without("prohibited", "10.66.3.1", "prohibited"),
    without("no carrier", "10.3.0.2", "noCarrier", over: "loose"),
    without("interface down", "10.4.0.2", "interfaceDown", over: "off", "--interface off"),
    without("unknown interface", "10.9.0.1", "interfaceNotFound", "--interface eth9"),
    without("foreign source", "10.9.0.1", "sourceAddressMissing", "--from 10.1.0.77"),
    without("zone missing", "fe80::2", "zoneMissing"),
  ]

  private static func without(
    _ name: String, _ target: String, _ reason: String, over interface: String? = nil, _ options: String = ""
  ) -> CommandCase {
    let link =
      interface.map { #""interface":"\#($0)","index":0,"kind":"wired""# }
      ?? #""interface":null,"index":null,"kind":null"#
    let linkType = interface == nil ? "null" : #""veth""#
    return CommandCase(
      name, "\(target) \(options)", 1,
      #"""
      {"version":1,"time":"TIME","target":"\#(target)","status":"notReachable","reason":"\#(reason)",\#
      "flags":[],"flagsValue":0,\#(link),"isTunnel":false,"linkType":\#(linkType),"gateway":null,\#
      "source":null,"addresses":[],"previous":null,"event":"check"}
      """#)
  }
}
#endif
