// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import TestSupport
import Testing

/// The commands, with the rights of the tests, on a namespace whose owner names and configures everything at random.
@Suite(.needsNamespaces, .deadline) struct `Hostile namespaces` {
  /// The nightly part sets how many.
  private static let count =
    ProcessInfo.processInfo.environment["HOSTILE_NAMESPACES"].flatMap { Int($0) } ?? 3

  private static let commands = [
    ["check", "default", "10.9.0.1", "fd00:9::1", "10.5.0.1"], ["explain", "10.9.0.1"],
    ["explain", "fd00:9::1"],
    ["path"], ["path", "--watch", "--count", "1", "--evidence"], ["watch", "--count", "1", "10.9.0.1"],
    ["wait", "--until", "unreachable", "--timeout", "50ms", "10.9.0.1"],
  ]

  private static let state =
    "ip address; ip rule; ip route show table all; ip -6 rule; ip -6 route show table all"

  // Slow: seven commands in text and JSON, three times in each namespace.
  @Test(arguments: 0..<count)
  func `a random namespace can neither stop a command nor leave its column or string`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let network = try NetworkNamespace.wired()
    let outside = try NetworkNamespace()
    for step in 0..<3 {
      // The kernel refuses some of these; the others stay.
      let changes = (0..<24).map { _ in Self.change(&random) + " 2>&- || :" }.joined(separator: "\n")
      let before = try network.sh(Self.state)
      try network.sh(changes)
      try #expect(network.sh(Self.state) != before, "seed \(seed), step \(step): no change took effect")
      let wasAnswered = try Self.commands.map { arguments in
        try [[], ["--json"]].map { more in
          let words = arguments + more + ["--namespace", network.path]
          let outcome = try RunningCommand(words, in: outside).finish()
          outcome.expectHarmless(isJSON: !more.isEmpty, "seed \(seed), step \(step): \(words)")
          return !outcome.output.isEmpty
        }
      }
      #expect(wasAnswered.joined().contains(true), "seed \(seed), step \(step): no answer")
      // The outside has no network, whatever is inside.
      try #expect(reachability("10.9.0.1", in: outside).output == "10.9.0.1  not reachable  no route\n")
    }
  }

  /// A name of at most 15 bytes: random ones, random characters or a part of a known hostile name.
  private static func name(_ random: inout SeededGenerator) -> String {
    let characters: [ClosedRange<UInt32>] = [0x1...0x7f, 0x80...0x7ff, 0x2000...0x2fff, 0xe000...0x1_10ff]
    let bytes: [UInt8]
    switch random.below(3) {
    case 0: bytes = (0..<random.number(1..<16)).map { _ in UInt8(random.number(1..<256)) }
    case 1:
      let text = (0..<random.number(1..<6)).compactMap { _ in
        Unicode.Scalar(UInt32.random(in: random.pick(characters), using: &random)).map(String.init)
      }
      bytes = Array(text.joined().utf8)
    default: bytes = random.pick(HostileName.all).bytes
    }
    return #""$(printf '\#(HostileName(bytes: Array(bytes.prefix(15))).octal)')""#
  }

  /// A shell command that changes the namespace.
  private static func change(_ random: inout SeededGenerator) -> String {
    let name = name(&random)
    let table = random.pick(["main", "local", "7"])
    let prefix = random.pick([
      "default", "10.9.0.0/\(random.number(8..<33))", "10.5.0.0/16", "fd00:9::/\(random.number(8..<129))",
    ])
    let kind = random.pick([
      "dummy", "bridge", "veth peer name p\(random.below(1000))", "ifb", "vrf table 7", "ipip",
    ])
    return random.pick([
      "ip link add name \(name) type \(kind)",
      "ip link set eth0 down; ip link set eth0 name \(name); ip link set \(name) up",
      "ip link property add dev eth0 altname \(name)",
      "ip link set eth0 alias \(name)",
      "ip link add name \(name) type dummy; ip link set \(name) up; ip route replace \(prefix) dev \(name) table \(table)",
      "ip link add name \(name) type bridge; ip link set eth0 master \(name); ip link set \(name) up",
      "ip link set eth0 up mtu \(random.number(68..<65_536))",
      "ip address add 10.\(random.below(256)).0.1/\(random.number(1..<33)) dev eth0",
      "ip route replace \(prefix) via 10.1.0.\(random.number(2..<255)) onlink dev eth0 table \(table)",
      "ip route replace \(random.pick(["blackhole", "unreachable", "prohibit", "throw"])) \(prefix) table \(table)",
      "ip rule add priority \(random.below(40_000)) \(random.pick(["goto \(random.below(40_000))", "table 7", "prohibit", "blackhole", "nop"]))",
      "ip rule add uidrange 0-4294967294 ipproto \(random.below(256)) table 7",
      "ip -6 rule add oif \(name) table 7",
      "ip route flush table \(table)",
    ])
  }
}
#endif
