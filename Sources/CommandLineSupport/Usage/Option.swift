/// A long option: its name and, if it takes one, its value.
package struct Option: Sendable {
  package var name: String
  /// The value's name in the help text; `nil` if the option takes no value.
  package var valueName: String?
  /// The accepted values in words, computed only for a usage error.
  package var accepted: @Sendable () -> String
  /// The names of the commands that accept the option; `nil` for all.
  package var commands: [String]?

  /// Creates an option.
  package init(
    _ name: String, takes valueName: String? = nil,
    accepts accepted: @autoclosure @escaping @Sendable () -> String = "",
    commands: [String]? = nil
  ) {
    self.name = name
    self.valueName = valueName
    self.accepted = accepted
    self.commands = commands
  }

  /// The option that prints the help text.
  package static let help = Option("help")
  /// The option that prints the version.
  package static let version = Option("version")

  /// The option as a help text shows it, for example `--from ADDRESS`.
  package var usage: String { "--\(name)" + (valueName.map { " \($0)" } ?? "") }
}

/// A mistake in a command line: what is wrong, and what to do.
package struct UsageError: Error, Equatable {
  package var problems: [String]
  package var hint: String

  /// Creates an error with one problem.
  package init(_ problem: String, hint: String) {
    self.init([problem], hint: hint)
  }

  /// Creates an error with several problems that share a hint.
  package init(_ problems: [String], hint: String) {
    self.problems = problems
    self.hint = hint
  }
}

/// The exit statuses of the commands.
package enum ExitStatus {
  /// Everything is as requested.
  package static let success: Int32 = 0
  /// Something is not as requested, for example a target that is not reachable, or the time limit has passed.
  package static let negative: Int32 = 1
  /// The usage is wrong, or the system cannot be queried.
  package static let trouble: Int32 = 2
}
