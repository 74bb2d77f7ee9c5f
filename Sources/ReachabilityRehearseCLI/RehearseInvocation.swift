// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import CommandLineTargets
import POSIX
import ReachabilityKit

/// The arguments of the command.
struct RehearseInvocation: Sendable {
  var targets: [NamedTarget]
  /// The commands, one after the other.
  var commands: [[String]]
  var keepsCopy: Bool
  /// Whether to look for a command that helps.
  var isRepair: Bool
  var isJSON: Bool
  var timeout: Duration

  /// Interprets the options and operands of a command line.
  ///
  /// - Parameter command: The words behind `--`.
  init(_ parsed: ParsedOptions, command: [String]) throws(UsageError) {
    isJSON = parsed.has(.json)
    keepsCopy = parsed.has(Self.shell)
    isRepair = parsed.has(Self.repair)
    timeout = try parsed.duration(Self.timeout, in: .milliseconds(100)...Self.longestTimeout) ?? .seconds(30)
    commands = []
    for link in try parsed.values(Self.down, { $0.isEmpty ? nil : $0 }) {
      commands.append(["ip", "link", "set", "dev", link, "down"])
    }
    for route in try parsed.values(Self.without, { $0.contains { $0 != " " } ? $0 : nil }) {
      let words = route.split(separator: " ").map(String.init)
      let family = words[0].contains(":") ? ["-6"] : []
      commands.append(["ip"] + family + ["route", "del"] + words)
    }
    if let script = try parsed.value(Self.script, { $0.isEmpty ? nil : $0 }) {
      commands.append(try Self.read(script))
    }
    if !command.isEmpty { commands.append(command) }
    guard !isRepair || commands.isEmpty && !keepsCopy else {
      throw UsageError(
        "--repair takes no change", hint: "it tries the likely ones by itself: remove the others")
    }
    guard !commands.isEmpty || keepsCopy || isRepair else {
      throw UsageError(
        "no change was given",
        hint: "give a command after --, for example -- ip link set eth0 down, or --down eth0")
    }
    guard !keepsCopy || CurrentProcess.hasTerminal else {
      throw UsageError(
        "--shell needs a terminal", hint: "give the commands after --, or in a file with --script")
    }
    guard !keepsCopy || !isJSON else {
      throw UsageError("--shell and --json cannot be combined", hint: "remove one of them")
    }
    targets = try parsed.targets()
    guard !isRepair || targets.count == 1 else {
      throw UsageError(
        "--repair takes one target, got \(targets.count)", hint: "run the command once for each target")
    }
  }

  /// The words that run a script of a shell, whose file the copy may not be permitted to read.
  private static func read(_ path: String) throws(UsageError) -> [String] {
    let bytes: [UInt8]
    do throws(Errno) {
      bytes = try SystemFile.contents(of: path, upTo: scriptLimit + 1)
    } catch {
      throw UsageError("could not read \(path): \(error)", hint: "give --script the file of a shell script")
    }
    guard bytes.count <= scriptLimit, let text = String(validating: bytes, as: UTF8.self),
      !text.contains("\0")
    else {
      throw UsageError(
        "\(path) is no text of at most \(scriptLimit) bytes", hint: "give --script the file of a shell script"
      )
    }
    // By scalars: a carriage return and a line feed are one character.
    let first = String(text.unicodeScalars.prefix { $0 != "\n" && $0 != "\r" })
    guard first.hasPrefix("#!") else { return ["sh", "-c", text, path] }
    let words = first.dropFirst(2).split(separator: " ").map(String.init)
    // The program, or that of env.
    let name = words.first { !$0.hasPrefix("-") && !$0.hasSuffix("/env") } ?? ""
    guard name.hasSuffix("sh") else {
      throw UsageError(
        "\(path) is a script of \(words.first ?? "an unknown program"), which is no shell",
        hint: "give the program and the file after --, where the copy can read it")
    }
    return words + ["-c", text, path]
  }

  private static let scriptLimit = 24 << 10
  private static let longestTimeout = Duration.seconds(600)

  private static let script = Option(
    "script", takes: Option.Value("FILE", "the name of a file", completion: .files),
    "run this script of a shell, before the command if there is one")
  private static let down = Option(
    "down", takes: Option.Value("LINK", "the name of an interface", completion: .interfaces),
    "switch this interface off: ip link set dev LINK down", isRepeatable: true)
  private static let without = Option(
    "without",
    takes: Option.Value("ROUTE", "a route in the words of ip(8), for example 'default via 10.1.0.254'"),
    "remove this route: ip route del ROUTE", isRepeatable: true)
  private static let shell = Option(
    "shell", "open a shell in the copy afterwards, and compare again at its end")
  private static let repair = Option(
    "repair", "instead of a change: look for a command that makes the target reachable",
    detail: """
      Each command that 'reachability explain' advises is tried in a copy, then the obvious ones: each interface that is \
      down is switched on, a route over each link to a router that is known there is added, each rule and each route \
      over a link without a carrier is removed. Three that help are enough.
      """)
  private static let timeout = Option(
    "timeout", takes: .duration("\(Duration.acceptedTexts), from 100ms to 10m"),
    "the longest time that each command may take", default: "30s")

  static let description: CommandDescription = {
    var description = CommandDescription(
      .rehearse, takes: .targetsAndCommand,
      """
      Runs a command in a copy of this machine's network, and prints what it would change: the status of each target before \
      and after it, the path, and the TCP connections of this machine that would break or take another path, the one \
      over which you are logged in first. Without a target, it compares the status of the default route. Nothing outside \
      the copy changes.
      """,
      options: [down, without, script, shell, repair, timeout] + Option.constraints + [.json],
      notes: """
        The command runs as root in the copy and has no rights elsewhere: it cannot change files, and reaches no service \
        of this machine, so nmcli, systemctl and netplan apply fail there. The copy has no firewall, no IPsec, no keys of \
        WireGuard and no other machines; what else it lacks is printed, and the answers that may depend on it are unknown. \
        Programs that react to a change, such as DHCP clients, do not run in it.
        """,
      statuses: [
        0: "nothing is lost; with --repair, a command helps, or the target is reachable",
        1:
          "a target, the path or a connection is lost, may be lost, or cannot be told; with --repair, no command helps",
        2: "the usage is wrong, the network cannot be copied, or the command failed",
      ],
      examples: [
        .init("reachability rehearse --down eth0", "What happens if this interface goes down?"),
        .init(
          "reachability rehearse 10.9.0.7 default -- ip route del default",
          "Which targets and connections need the default route?"),
        .init(
          "reachability rehearse --repair 10.9.0.7", "Which command makes this target reachable?"),
      ], page: "BeforeYouChangeTheNetwork")
    description.isSeparate = true
    return description
  }()
}
