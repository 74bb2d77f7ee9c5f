// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import Testing

/// The commands that advice prints, run by shells, where interfaces have names that shells would interpret.
@Suite(.needsNamespaces, .deadline) struct `Hostile names in advice` {
  /// Names that end, extend or start commands, beside those that attack terminals.
  static let names =
    HostileName.all
    + [
      "a;id", "$(id)", "`id`", "a'b", #"a"b"#, "a&id", "a|id", ">f", "<f", "#a", "~", "*", "?", "[a]",
      "{a,b}", "!!", "!a", "$HOME", #"\"#, #"\';id;'"#, "'\u{301};id;'", "up", "dev", "name", "-a", "ютьé",
      "a=b", "eth0.1",
    ].map { HostileName($0) }

  /// One name for each way in which a shell's word is written: bare, quoted, escaped.
  ///
  /// All commands write names by one function, which the first test tries with all names.
  static let forms = ["eth0.1", "$(id)", "a'b", #"\';id;'"#, "'\u{301};id;'", "a\u{9b}2Jb"].map {
    HostileName($0)
  }

  /// A network with one interface that can be used, which has this name, and is down.
  private func network(_ name: HostileName) throws -> NetworkNamespace {
    let network = try NetworkNamespace.wired()
    try network.sh(
      """
      ip link set eth0 down; ip link set eth0 name "$(printf '\(name.octal)')"
      ip link add br0 type bridge; ip link set peer0 master br0
      """)
    return network
  }

  /// The command that follows the words in the advice of an explanation.
  private func command(
    after words: String, _ arguments: [String], in network: NetworkNamespace
  ) throws -> String {
    let outcome = try RunningCommand(["explain"] + arguments, in: network).finish()
    outcome.expectHarmless("explain")
    let line = try #require(
      outcome.output.split(separator: "\n").first { $0.contains(" advice: ") && $0.contains(words) },
      "\(outcome)")
    #expect(line.hasSuffix("."), "\(line)")
    return String(try #require(line.firstRange(of: words).map { line[$0.upperBound...] }).dropLast())
  }

  /// Runs a command by shells, and expects it to do what a condition says, and nothing else.
  ///
  /// The last ones know `$'…'`; the others need not do what they do not understand.
  private func expect(
    _ command: String, in network: NetworkNamespace, prepare: String, does condition: String
  ) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for shell in ["sh", "fish", "zsh", "bash"] {
      if try network.shell("command -v \(shell)").status != 0 { continue }
      try network.sh(prepare)
      let result = try network.shell("cd \(folder) && exec \(shell) -c \"$1\"", [command])
      #expect(result.standardOutput.isEmpty, "\(shell): \(command): \(result)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty, "\(shell): \(command)")
      if command.contains("$'"), !["bash", "zsh"].contains(shell) { continue }
      #expect(result.status == 0 && result.standardError.isEmpty, "\(shell): \(command): \(result)")
      #expect(try network.shell(condition).status == 0, "\(shell): \(command)")
    }
  }

  @Test(arguments: names)
  func `the command that switches an interface on switches on that one`(_ name: HostileName) throws {
    let network = try network(name)
    let command = try command(after: "Switch it on: ", ["10.1.0.2"], in: network)
    try expect(
      command, in: network, prepare: "ip link set dev \"$(printf '\(name.octal)')\" down",
      does: "ip link show dev \"$(printf '\(name.octal)')\" up | grep -q UP")
  }

  @Test(arguments: forms)
  func `the commands that add an address and a route name that interface`(_ name: HostileName) throws {
    let network = try network(name)
    let device = "\"$(printf '\(name.octal)')\""
    try network.sh("ip link set dev \(device) up; ip address flush dev \(device)")
    let address = try command(after: "or add an address: ", ["10.9.0.1"], in: network)
    try expect(
      address.replacing("ADDRESS/LENGTH", with: "10.1.0.1/24"), in: network,
      prepare: "ip address flush dev \(device)",
      does: "ip address show dev \(device) | grep -q 'inet 10.1.0.1/24'")
    let route = try command(after: "or add one: ", ["10.9.0.1"], in: network)
    try expect(
      route.replacing("GATEWAY", with: "10.1.0.254"), in: network,
      prepare: "ip route del default || :",
      does: "ip route show default dev \(device) | grep -q 'default via 10.1.0.254'")
  }

  @Test(arguments: forms)
  func `the command that removes a rule for an interface removes it`(_ name: HostileName) throws {
    // An interface that is given as text.
    guard name.isText else { return }
    let network = try network(name)
    let device = "\"$(printf '\(name.octal)')\""
    let add = "ip -6 rule add oif \(device) prohibit pref 50; ip -6 rule add oif other prohibit pref 50"
    try network.sh(
      """
      ip link set dev \(device) up; ip address add fd00:1::1/64 dev \(device) nodad
      ip -6 route add default via fd00:1::fe dev \(device); \(add)
      """)
    let command = try command(after: "remove it: ", ["fd00:9::1", "--interface", name.text], in: network)
    try expect(
      command, in: network, prepare: "ip -6 rule flush pref 50; \(add)",
      does: "test \"$(ip -6 rule show pref 50 | tr -d '\\t')\" = '50:from all oif other [detached] prohibit'")
  }

  @Test(arguments: forms)
  func `the command that removes a route over the loopback interface removes it`(_ name: HostileName) throws {
    let network = try NetworkNamespace.wired()
    let device = "\"$(printf '\(name.octal)')\""
    let add = "ip -6 route add fd00:9::/64 dev \(device)"
    try network.sh("ip link set lo down; ip link set lo name \(device); ip link set dev \(device) up; \(add)")
    let command = try command(after: "remove it: ", ["fd00:9::1"], in: network)
    try expect(
      command, in: network, prepare: "ip -6 route flush fd00:9::/64; \(add)",
      does: "test -z \"$(ip -6 route show fd00:9::/64)\"")
  }
}
#endif
