import CommandLineSupport
import POSIX

/// `reachability verify`: the separate command `reachability-verify`.
///
/// It links what makes requests, which would make this command large and slow to start.
struct VerifyCommand {
  /// The name of the separate command.
  static let program = "reachability-verify"

  let arguments: [String]
  let output: StandardOutput

  /// Reads the arguments for the separate command; `nil` if the command line names another command.
  ///
  /// The separate command knows its own options, so it receives all words but `verify`.
  init?(_ arguments: [String], _ output: StandardOutput) {
    var index = 1
    while index < arguments.count, arguments[index].hasPrefix("-") {
      // Only targets follow two hyphens.
      if arguments[index] == "--" { return nil }
      let option = Invocation.options.first { "--\($0.name)" == arguments[index] }
      index += option?.valueName == nil ? 1 : 2
    }
    guard index < arguments.count, arguments[index] == "verify" else { return nil }
    self.arguments = Array(arguments[1..<index] + arguments[(index + 1)...])
    self.output = output
  }

  /// Replaces this process by the separate command; returns only on failure.
  func run() -> Int32 {
    let (failures, home) = Execution.become(Self.program, arguments)
    if let failure = failures.first {
      output.report(
        UsageError(
          "could not run \(failure.path): \(Errno(rawValue: failure.error))",
          hint: "install a build of \(Self.program) for this machine, which 'verify' runs"))
    } else {
      output.report(Self.missing(home))
    }
    return ExitStatus.trouble
  }

  /// The error for a separate command that is not installed.
  static func missing(_ home: String?) -> UsageError {
    let folder = home?.escapedForTerminal ?? "this command's folder"
    return UsageError(
      "'verify' runs \(program), which is neither in \(folder) nor in PATH",
      hint: "build it with 'swift build -c release --product \(program)', and copy it to \(folder)")
  }
}
