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
