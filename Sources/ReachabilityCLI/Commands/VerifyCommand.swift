import CommandLineSupport

/// `reachability verify`: another command, since it needs what would make this one large and slow to start.
struct VerifyCommand {
  /// The command that does it.
  static let program = "reachability-verify"

  let arguments: [String]
  let output: StandardOutput

  /// Reads what is asked of the other command; `nil` if something else is asked.
  ///
  /// Its options are not known here: all words but `verify` are for it.
  init?(_ arguments: [String], _ output: StandardOutput) {
    var index = 1
    while index < arguments.count, arguments[index].hasPrefix("-") {
      // After two hyphens stand only targets.
      if arguments[index] == "--" { return nil }
      let option = Invocation.options.first { "--\($0.name)" == arguments[index] }
      index += option?.valueName == nil ? 1 : 2
    }
    guard index < arguments.count, arguments[index] == "verify" else { return nil }
    self.arguments = Array(arguments[1..<index] + arguments[(index + 1)...])
    self.output = output
  }

  /// Becomes the other command; returns only if that fails.
  func run() -> Int32 {
    let (failures, home) = Execution.become(Self.program, arguments)
    if let failure = failures.first {
      output.report(
        UsageError(
          "could not run \(failure.path): \(Execution.text(failure.error))",
          hint: "'verify' is done by the command \(Self.program), which has to be a program for this machine")
      )
    } else {
      let beside = home.map { "beside this command in \($0.escapedForTerminal)" } ?? "beside this command"
      output.report(
        UsageError(
          "'verify' needs the command \(Self.program), which is neither \(beside) nor in PATH",
          hint: "build it with 'swift build -c release --product \(Self.program)' and put it there"))
    }
    return ExitStatus.trouble
  }
}
