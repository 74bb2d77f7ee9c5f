import CommandLineSupport

/// The arguments of the command.
struct ReportInvocation: Sendable {
  var files: [String]

  /// Interprets the options and operands of a command line.
  init(_ parsed: ParsedOptions) throws(UsageError) {
    files = parsed.operands
    guard !files.isEmpty else {
      throw UsageError("no file was given", hint: "give at least one file that 'reachability record' wrote")
    }
  }

  static let options: [Option] = [.help, .version]
}
