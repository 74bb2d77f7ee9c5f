// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import POSIX

/// A command that is a separate program: `reachability verify` runs `reachability-verify`.
///
/// The programs hold what would make this command large and slow to start.
struct SeparateCommand {
  /// What makes requests, what asks for a right, what copies the network, and what reads records and draws them.
  static let all = [CommandSummary.verify, .trace, .rehearse, .report]

  /// The name of the command.
  let name: String
  /// All words but the name, since a separate command knows its own options.
  let arguments: [Argument]
  let output: StandardOutput

  /// The name of the program of a command.
  static func program(of name: String) -> String { "reachability-\(name)" }

  /// Replaces this process by the program; returns only on failure.
  func run() -> Int32 {
    let program = Self.program(of: name)
    let (failures, home) = Execution.become(program, arguments)
    if let failure = failures.first {
      output.report(
        UsageError(
          "could not run \(failure.path): \(Errno(rawValue: failure.error))",
          hint: "install a build of \(program) for this machine, which '\(name)' runs"))
    } else {
      output.report(Self.missing(name, home))
    }
    return ExitStatus.trouble
  }

  /// The error for a program that is not installed, or that this process must not run.
  static func missing(_ name: String, _ home: String?) -> UsageError {
    let folder = home?.escapedForTerminal ?? "this command's folder"
    let program = program(of: name)
    guard !ProcessIdentity.isInSecureExecution else {
      return UsageError(
        "'\(name)' runs \(program), which a set-user-ID command or one with file capabilities does not do",
        hint: "run \(program) by itself, or a 'reachability' without these rights")
    }
    return UsageError(
      "'\(name)' runs \(program), which is neither in \(folder) nor in PATH",
      hint: """
        install the package \(program); from source: 'swift build -c release --product \(program)', \
        and copy it to \(folder)
        """)
  }
}
