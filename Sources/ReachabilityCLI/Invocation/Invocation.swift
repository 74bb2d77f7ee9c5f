import CommandLineSupport
import InternetProtocol
import ReachabilityKit

/// A command line of `reachability`.
struct Invocation: Equatable {
  enum Command: String, CaseIterable {
    case check
    case watch
    case record
    case wait
    case path
    case explain
    case export
  }

  /// A target, with its text on the command line without secrets.
  struct NamedTarget: Equatable {
    var text: String
    var target: ReachabilityTarget
  }

  var command: Command = .check
  var targets: [NamedTarget] = []
  /// The network namespace to query; `nil` for the command's own.
  var namespace: ReachabilityNamespace?
  var isJSON = false
  var settling: Duration = .zero
  var count: Int?
  var timeout: Duration?
  /// The port that an explanation connects to.
  var probedPort: UInt16?
  /// Whether `wait` ends when the targets are reachable, or when they are unreachable.
  var isWaitingForReachable = true
  /// Whether `wait` needs only one of the targets.
  var needsOnlyOne = false
  /// The endpoints that must answer before `wait` ends, or whose verification `record` writes.
  var endpoints: [String] = []
  /// The interface kinds that a path may use.
  var requirements = ReachabilityPath.Requirements.none
  /// Whether `path` prints changes.
  var isWatching = false
  /// Whether `watch`, `record` and `path` show the evidence of whether anything answers.
  var showsEvidence = false
  var recording = Recording(path: "")
  /// The file of metrics that `export` writes, and `record` if one is given.
  var metrics: Metrics?

  /// Interprets the options and operands of a command line.
  init(_ parsed: ParsedOptions) throws(UsageError) {
    var operands = parsed.arguments[...]
    if let named = operands.first.flatMap({ Command(rawValue: $0.text) }) {
      command = named
      operands.removeFirst()
    }
    try Self.check(parsed, fit: command)

    isJSON = parsed.has("json")
    namespace = try parsed.value("namespace", argument: { ReachabilityNamespace($0) })
    settling = try parsed.duration("settle") ?? .zero
    timeout = try parsed.duration("timeout")
    count = try parsed.value("count") { Int(digits: $0).flatMap { $0 > 0 ? $0 : nil } }
    isWaitingForReachable =
      try parsed.value("until") { ["reachable": true, "unreachable": false][$0] } ?? true
    showsEvidence = parsed.has("evidence")
    if showsEvidence, parsed.has("mark") {
      throw UsageError(
        "--evidence does not fit --mark, which cannot be read from connections",
        hint: "remove one of the two options")
    }
    if command == .path {
      try readPath(parsed)
      return
    }
    if command == .explain, operands.count > 1 {
      throw UsageError(
        "'explain' takes one target, got \(operands.count)", hint: "use 'check' for several targets")
    }
    targets = try Self.targets(operands.isEmpty ? [Argument("default")] : Array(operands), parsed)
    if command == .explain { try readProbe(parsed) }
    if command == .wait || command == .record { try readEndpoints(parsed) }
    if command == .wait { try readWait(parsed) }
    if command == .record { try readRecord(parsed) }
    if command == .export || command == .record { try readMetrics(parsed) }
  }

  private mutating func readWait(_ parsed: ParsedOptions) throws(UsageError) {
    needsOnlyOne = parsed.has("any")
    if !endpoints.isEmpty, !isWaitingForReachable {
      throw UsageError("--verify does not fit --until unreachable", hint: "remove one of the two options")
    }
  }

  private mutating func readEndpoints(_ parsed: ParsedOptions) throws(UsageError) {
    endpoints = try parsed.values("verify") { text in
      let isEndpoint = URLParts(text).map {
        ["http", "https", "tcp"].contains($0.scheme.lowercased()) && !$0.host.isEmpty
      }
      return isEndpoint == true ? text : nil
    }
    guard !endpoints.isEmpty else { return }
    // The request is a program's own: it takes the route that the system gives it.
    for name in ["interface", "from", "mark", "namespace"] where parsed.has(name) {
      throw UsageError(
        "--verify does not fit --\(name), which requests do not follow", hint: "remove one of the two options"
      )
    }
  }

  private mutating func readProbe(_ parsed: ParsedOptions) throws(UsageError) {
    probedPort = try parsed.value("probe") { UInt16(digits: $0).flatMap { $0 > 0 ? $0 : nil } }
    if probedPort == nil, timeout != nil {
      throw UsageError("'explain' accepts --timeout only with --probe", hint: "add --probe PORT")
    }
    if probedPort != nil, targets.contains(where: { $0.target.destination == .defaultRoute }) {
      throw UsageError(
        "--probe cannot connect to the default route", hint: "give an address, a host name or a URL")
    }
  }

  /// Whether the command runs until an event, and so observes changes.
  var observes: Bool {
    switch command {
    case .watch, .record, .wait, .export: true
    case .path: isWatching
    case .check, .explain: false
    }
  }
}

extension Invocation {
  private static let targetCommands: [Command] = [.check, .watch, .record, .wait, .explain, .export]
  private static let followingCommands: [Command] = [.check, .watch, .record, .wait]
  private static let acceptedIntervals =
    "at least a second: a whole number with a unit, for example 15s or 1m"
  private static let kinds = ReachabilityInterface.Kind.allCases.map { "'\($0.rawValue)'" }.inWords("or")

  /// The options that the commands accept, in the order in which a hint lists them.
  static let options: [Option] = [
    Option("json", commands: [.check, .watch, .record, .wait, .path, .explain]),
    Option(
      "interface", takes: "NAME", accepts: "an interface name, for example eth0, or an interface index",
      commands: targetCommands),
    Option(
      "from", takes: "ADDRESS", accepts: "an IP address of this machine, for example 10.1.0.1 or fd00::1",
      commands: targetCommands),
    Option(
      "mark", takes: "N", accepts: "a number from 0 to 4294967295, decimal or hexadecimal, for example 0x42",
      commands: targetCommands),
    Option("namespace", takes: "NS", accepts: ReachabilityNamespace.acceptedTexts),
    Option("settle", takes: "D", accepts: Duration.acceptedTexts, commands: followingCommands),
    Option("count", takes: "N", accepts: "a whole number from 1", commands: [.watch, .path]),
    Option(
      "timeout", takes: "D", accepts: Duration.acceptedTexts, commands: [.watch, .wait, .path, .explain]),
    Option("probe", takes: "PORT", accepts: "a TCP port from 1 to 65535", commands: [.explain]),
    Option("until", takes: "STATE", accepts: "'reachable' or 'unreachable'", commands: [.wait]),
    Option("any", commands: [.wait]),
    Option(
      "verify", takes: "URL", accepts: "an http or https URL, or tcp://HOST:PORT", commands: [.record, .wait]),
    Option("verify-every", takes: "D", accepts: acceptedIntervals, commands: [.record]),
    Option("watch", commands: [.path]),
    Option("evidence", commands: [.watch, .record, .path]),
    Option("to", takes: "FILE", accepts: "the path of a file", commands: [.record]),
    Option(
      "rotate", takes: "SIZE", accepts: "a whole number with a unit, at least 16K, for example 10M or 1G",
      commands: [.record]),
    Option("keep", takes: "N", accepts: "a whole number from 1 to 9999", commands: [.record]),
    Option(
      "heartbeat", takes: "D", accepts: "a duration in whole seconds up to an hour, for example 60s",
      commands: [.record]),
    Option("require", takes: "KIND", accepts: kinds, commands: [.path]),
    Option("prohibit", takes: "KIND", accepts: kinds, commands: [.path]),
    Option(
      "textfile", takes: "FILE",
      accepts: "a name that ends in .prom, for example /var/lib/prometheus/node-exporter/reachability.prom",
      commands: [.record, .export]),
    Option(
      "label", takes: "LABEL", accepts: MetricsText.Label.acceptedTexts, commands: [.record, .export]),
    Option("every", takes: "D", accepts: acceptedIntervals, commands: [.record, .export]),
    .help,
    .version,
  ]

  /// Throws if the command does not accept an option that was given.
  static func check(_ parsed: ParsedOptions, fit command: Command) throws(UsageError) {
    for option in options where parsed.has(option.name) {
      guard let fitting = option.commands, !fitting.contains(command.rawValue) else { continue }
      let names = fitting.map { "'\($0)'" }.inWords("and")
      throw UsageError(
        "'\(command.rawValue)' does not accept --\(option.name)",
        hint: "--\(option.name) is an option of \(names)")
    }
  }
}

extension Option {
  /// Creates an option that some of the commands accept.
  init(
    _ name: String, takes valueName: String? = nil,
    accepts accepted: @autoclosure @escaping @Sendable () -> String = "", commands: [Invocation.Command]
  ) {
    self.init(name, takes: valueName, accepts: accepted(), commands: commands.map(\.rawValue))
  }
}

extension Invocation {
  private static let targetForms =
    "an IPv4 or IPv6 address, a link-local address with its zone, for example fe80::1%eth0, a host name, a URL, "
    + "or 'default'"

  /// Reads the targets, and gives each the constraints of the options.
  static func targets(_ arguments: [Argument], _ parsed: ParsedOptions) throws(UsageError) -> [NamedTarget] {
    let source = try parsed.value("from") { ReachabilityAddress($0) }
    let mark = try parsed.value("mark", UInt32.init(markText:))
    let interface = try parsed.value("interface", argument: { ReachabilityTarget.Interface(bytes: $0.bytes) })
    var targets: [NamedTarget] = []
    var problems: [String] = []
    for argument in arguments {
      let shown = argument.text.withoutSecrets
      do throws(ReachabilityTargetError) {
        var target = try ReachabilityTarget(bytes: argument.bytes)
        target.mark = mark
        target.source = source
        if let zone = target.interface, let interface, zone != interface {
          problems.append("the zone of '\(shown)' differs from --interface \(interface)")
        }
        target.interface = target.interface ?? interface
        if case .address(let address) = target.destination, let from = target.source,
          from.bitWidth != address.bitWidth
        {
          problems.append("'\(shown)' and --from \(from) have different address families")
        }
        targets.append(NamedTarget(text: shown, target: target))
      } catch {
        problems.append(error.description)
      }
    }
    guard problems.isEmpty else { throw UsageError(problems, hint: "give \(targetForms)") }
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

extension Invocation {
  /// Reads the options of `path`.
  mutating func readPath(_ parsed: ParsedOptions) throws(UsageError) {
    if let word = parsed.operands.dropFirst().first {
      throw UsageError(
        "'path' takes no target, got '\(word.redacted.escapedForTerminal)'",
        hint: "use 'check', 'watch' or 'wait' for a target")
    }
    isWatching = parsed.has("watch")
    for name in ["count", "timeout"] where parsed.has(name) && !isWatching {
      throw UsageError("'path' accepts --\(name) only with --watch", hint: "add --watch")
    }
    requirements.requiredKind = try parsed.value("require", ReachabilityInterface.Kind.init(rawValue:))
    requirements.prohibitedKinds = Set(
      try parsed.values("prohibit", ReachabilityInterface.Kind.init(rawValue:)))
    if let kind = requirements.requiredKind, requirements.prohibitedKinds.contains(kind) {
      throw UsageError(
        "'\(kind.rawValue)' is both required and prohibited", hint: "remove one of the two options")
    }
  }
}
