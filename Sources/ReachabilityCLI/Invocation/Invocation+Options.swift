import CommandLineSupport
import ReachabilityKit

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
