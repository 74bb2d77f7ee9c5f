/// A command: its name, its help text and its options.
package struct CommandDescription: Sendable {
  private let name: String
  private let help: String
  private let options: [Option]

  /// Creates a description; its options include ``Option/help`` and ``Option/version``.
  package init(_ name: String, help: String, options: [Option]) {
    self.name = name
    self.help = help
    self.options = options
  }

  /// Reads a command line and runs the command, or prints the help text or the version if the command line asks for it.
  ///
  /// - Parameters:
  ///   - arguments: The command line, of which the first word is the program's name.
  ///   - output: The streams for the help text, the version and usage errors.
  ///   - read: Interprets the options and operands.
  ///   - run: Runs the command, and returns its exit status.
  /// - Returns: The exit status.
  package func run<Invocation>(
    _ arguments: [Argument], output: StandardOutput,
    reading read: (ParsedOptions) throws(UsageError) -> Invocation, _ run: (Invocation) -> Int32
  ) -> Int32 {
    let invocation: Invocation
    do throws(UsageError) {
      let parsed = try ParsedOptions(arguments, accepting: options)
      if parsed.has(Option.help.name) { return print(help, output) }
      if parsed.has(Option.version.name) { return print("\(name) \(packageVersion)\n", output) }
      invocation = try read(parsed)
    } catch {
      output.report(error)
      return ExitStatus.trouble
    }
    return run(invocation)
  }

  private func print(_ text: String, _ output: StandardOutput) -> Int32 {
    output.exitStatus(output.write(text), else: ExitStatus.success)
  }
}
