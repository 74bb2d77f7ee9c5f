import CommandLineSupport
import ReachabilityKit

/// What the user asked for.
struct Invocation: Equatable {
  enum Command: String {
    case check
    case watch
    case wait
    case path
    case explain
    case help
    case version
  }

  /// A target with the text that the user wrote for it, without what may be secret.
  struct NamedTarget: Equatable {
    var text: String
    var target: ReachabilityTarget
  }

  var command: Command = .check
  var targets: [NamedTarget] = []
  /// The network namespace to look into; `nil` for the one that the command runs in.
  var namespace: ReachabilityNamespace?
  var isJSON = false
  var settling: Duration = .zero
  var count: Int?
  var timeout: Duration?
  /// The port that an explanation tries to connect to.
  var probedPort: UInt16?
  /// Whether to wait for reachable or for unreachable targets.
  var isWaitingForReachable = true
  /// Which kinds of interface a path may use.
  var requirements = ReachabilityPath.Requirements.none
  /// Whether a path is followed.
  var isWatching = false

  /// Reads the arguments, of which the first is the program's name.
  init(_ arguments: [String]) throws(UsageError) {
    let parsed = try ParsedOptions(arguments, accepting: Self.options)
    if parsed.has("help") {
      command = .help
      return
    }
    if parsed.has("version") {
      command = .version
      return
    }
    var operands = parsed.operands
    if let word = operands.first, let named = Command(rawValue: word), Self.commands.contains(named) {
      command = named
      operands.removeFirst()
    }
    try Self.check(parsed, fit: command)

    isJSON = parsed.has("json")
    namespace = try parsed.value("namespace") { ReachabilityNamespace(text: $0) }
    settling = try parsed.duration("settle") ?? .zero
    timeout = try parsed.duration("timeout")
    count = try parsed.value("count") { Int(digits: $0).flatMap { $0 > 0 ? $0 : nil } }
    isWaitingForReachable =
      try parsed.value("until") { ["reachable": true, "unreachable": false][$0] } ?? true
    if command == .path {
      try readPath(parsed, operands)
      return
    }
    if command == .explain, operands.count > 1 {
      throw UsageError(
        "'explain' takes one target, and there are \(operands.count)", hint: "ask about many with 'check'")
    }
    targets = try Self.targets(operands.isEmpty ? ["default"] : operands, parsed)
    if command == .explain { try readProbe(parsed) }
  }

  private mutating func readProbe(_ parsed: ParsedOptions) throws(UsageError) {
    probedPort = try parsed.value("probe") { UInt16(digits: $0).flatMap { $0 > 0 ? $0 : nil } }
    if probedPort == nil, timeout != nil {
      throw UsageError(
        "--timeout goes with 'explain' only if there is --probe", hint: "add --probe PORT")
    }
    if probedPort != nil, targets.contains(where: { $0.target.destination == .defaultRoute }) {
      throw UsageError(
        "--probe can't connect to the default route", hint: "name an address, a host or a URL")
    }
  }

  private static let commands: [Command] = [.check, .watch, .wait, .path, .explain]
  private static let targetCommands: [Command] = [.check, .watch, .wait, .explain]
  private static let followingCommands: [Command] = [.check, .watch, .wait]

  static let options: [Option] = [
    Option("json"),
    Option(
      "interface", takes: "NAME", accepts: "an interface's name, such as eth0, or its index",
      commands: targetCommands),
    Option(
      "from", takes: "ADDRESS", accepts: "an IP address of this machine, such as 10.1.0.1 or fd00::1",
      commands: targetCommands),
    Option(
      "mark", takes: "N", accepts: "a number from 0 to 4294967295, also in hexadecimal such as 0x42",
      commands: targetCommands),
    Option("namespace", takes: "NS", accepts: ReachabilityNamespace.acceptedTexts),
    Option("settle", takes: "D", accepts: Duration.acceptedTexts, commands: followingCommands),
    Option("count", takes: "N", accepts: "a whole number from 1", commands: [.watch, .path]),
    Option(
      "timeout", takes: "D", accepts: Duration.acceptedTexts, commands: [.watch, .wait, .path, .explain]),
    Option("probe", takes: "PORT", accepts: "a TCP port from 1 to 65535", commands: [.explain]),
    Option("until", takes: "STATE", accepts: "'reachable' or 'unreachable'", commands: [.wait]),
    Option("watch", commands: [.path]),
    Option("require", takes: "KIND", accepts: kinds, commands: [.path]),
    Option("prohibit", takes: "KIND", accepts: kinds, commands: [.path]),
    Option("help"),
    Option("version"),
  ]

  private static let kinds = ReachabilityInterface.Kind.allCases.map { "'\($0.rawValue)'" }.inWords("or")
  private static let targetForms =
    "an IPv4 or IPv6 address, a link-local address with its zone such as fe80::1%eth0, a host name, a URL, or "
    + "'default'"

  private static func check(_ parsed: ParsedOptions, fit command: Command) throws(UsageError) {
    for option in options where parsed.has(option.name) {
      guard let fitting = option.commands, !fitting.contains(command.rawValue) else { continue }
      let names = fitting.map { "'\($0)'" }.inWords("and")
      throw UsageError(
        "--\(option.name) does not go with '\(command.rawValue)'", hint: "it is an option of \(names)")
    }
  }

  private static func targets(
    _ texts: [String], _ parsed: ParsedOptions
  ) throws(UsageError) -> [NamedTarget] {
    let source = try parsed.value("from") { IPAddress($0) }
    let mark = try parsed.value("mark", UInt32.init(markText:))
    let interface = try parsed.value("interface") { ReachabilityTarget.Interface($0) }
    var targets: [NamedTarget] = []
    var problems: [String] = []
    for text in texts {
      let shown = text.withoutSecrets
      do throws(ReachabilityTargetError) {
        var target = try ReachabilityTarget(text)
        target.mark = mark
        target.source = source
        if let zone = target.interface, let interface, zone != interface {
          problems.append("'\(shown)' names another interface than --interface \(interface)")
        }
        target.interface = target.interface ?? interface
        if case .address(let address) = target.destination, let from = target.source,
          from.bitWidth != address.bitWidth
        {
          problems.append("'\(shown)' and --from \(from) are of different address families")
        }
        targets.append(NamedTarget(text: shown, target: target))
      } catch {
        problems.append(error.description)
      }
    }
    guard problems.isEmpty else { throw UsageError(problems, hint: "a target is \(targetForms)") }
    return targets
  }
}

extension UInt32 {
  /// Reads a firewall mark: a decimal number, or a hexadecimal one after `0x`.
  fileprivate init?(markText text: String) {
    if text.hasPrefix("0x") {
      guard text.dropFirst(2).allSatisfy(\.isHexDigit) else { return nil }
      self.init(text.dropFirst(2), radix: 16)
    } else {
      self.init(digits: text)
    }
  }
}
