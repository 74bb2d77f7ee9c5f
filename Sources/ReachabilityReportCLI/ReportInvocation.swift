import CommandLineSupport
import ReachabilityHistory

/// The arguments of the command.
struct ReportInvocation: Sendable {
  var files: [String]
  var since: PeriodBound?
  var until: PeriodBound?
  var isJSON = false

  /// Interprets the options and operands of a command line.
  init(_ parsed: ParsedOptions) throws(UsageError) {
    files = parsed.operands
    since = try parsed.value("since") { PeriodBound(text: $0) }
    until = try parsed.value("until") { PeriodBound(text: $0) }
    isJSON = parsed.has("json")
    guard !files.isEmpty else {
      throw UsageError("no file was given", hint: "give at least one file that 'reachability record' wrote")
    }
  }

  static let options: [Option] = [
    Option("since", takes: "T", accepts: PeriodBound.acceptedTexts),
    Option("until", takes: "T", accepts: PeriodBound.acceptedTexts),
    Option("json"),
    .help,
    .version,
  ]
}
