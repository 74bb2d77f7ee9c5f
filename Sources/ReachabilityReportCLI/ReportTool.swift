import CommandLineSupport
import ReachabilityHistory

/// The command: runs arguments, and returns an exit status.
struct ReportTool {
  var output: StandardOutput

  /// Runs the arguments; the first one is the program's name.
  func run(_ arguments: [String]) -> Int32 {
    let description = CommandDescription(
      "reachability-report", help: ReportUsage.text, options: ReportInvocation.options)
    return description.run(
      arguments, output: output, reading: { parsed throws(UsageError) in try ReportInvocation(parsed) }, run)
  }

  private func run(_ invocation: ReportInvocation) -> Int32 {
    ExitStatus.success
  }
}
