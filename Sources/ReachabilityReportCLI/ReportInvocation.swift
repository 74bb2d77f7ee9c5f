import CommandLineSupport
import ReachabilityHistory

/// The arguments of the command.
struct ReportInvocation: Sendable {
  var files: [String]
  var since: PeriodBound?
  var until: PeriodBound?
  var isJSON = false
  /// The file for the page.
  var page: String?
  /// Whether names and addresses are replaced.
  var isRedacted: Bool

  /// Interprets the options and operands of a command line.
  init(_ parsed: ParsedOptions) throws(UsageError) {
    files = parsed.operands
    since = try parsed.value("since") { PeriodBound(text: $0) }
    until = try parsed.value("until") { PeriodBound(text: $0) }
    isJSON = parsed.has("json")
    page = try parsed.value("html") { $0.isEmpty ? nil : $0 }
    isRedacted = parsed.has("redact")
    if isJSON, page != nil {
      throw UsageError("--html and --json cannot be combined", hint: "remove one of them")
    }
    guard !files.isEmpty else {
      throw UsageError("no file was given", hint: "give at least one file that 'reachability record' wrote")
    }
  }

  static let options: [Option] = [
    Option("since", takes: "T", accepts: PeriodBound.acceptedTexts),
    Option("until", takes: "T", accepts: PeriodBound.acceptedTexts),
    Option("json"),
    Option("html", takes: "OUT", accepts: "the name of a file"),
    Option("redact"),
    .help,
    .version,
  ]
}
