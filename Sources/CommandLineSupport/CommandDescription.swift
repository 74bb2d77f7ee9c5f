import InternetProtocol

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

/// The options and operands of a command line.
package struct ParsedOptions {
  private let accepted: [Option]
  private var values: [String: [Argument]] = [:]
  /// The arguments that are not options, in order.
  package private(set) var arguments: [Argument] = []
  /// The text of ``arguments``, with invalid UTF-8 replaced.
  package var operands: [String] { arguments.map(\.text) }

  /// Parses text.
  package init(_ arguments: [String], accepting accepted: [Option]) throws(UsageError) {
    try self.init(arguments.map { Argument($0) }, accepting: accepted)
  }

  /// Parses the arguments, of which the first is the program's name, with `getopt_long`.
  package init(_ arguments: [Argument], accepting accepted: [Option]) throws(UsageError) {
    self.accepted = accepted
    let scan = OptionScan(arguments, accepted)
    for item in scan.items {
      switch item {
      case .option(let option, let value):
        values[option.name, default: []].append(value ?? Argument(""))
      case .missingValue(let option):
        throw UsageError("--\(option.name) requires a value", hint: "give \(option.accepted())")
      case .needlessValue(let option):
        throw UsageError("--\(option.name) takes no value", hint: "write --\(option.name)")
      case .unknown(let text):
        throw UsageError(
          "unknown option \(text.redacted.escapedForTerminal)",
          hint: "the options are \(accepted.map(\.usage).joined(separator: ", "))")
      }
    }
    self.arguments = scan.operands
  }

  /// Whether an option was given.
  package func has(_ name: String) -> Bool { values[name] != nil }

  /// Reads the value of an option; `nil` if the option was not given.
  package func value<Value>(_ name: String, _ read: (String) -> Value?) throws(UsageError) -> Value? {
    try value(name, argument: { read($0.text) })
  }

  /// Reads the value of an option that need not be UTF-8.
  package func value<Value>(
    _ name: String, argument read: (Argument) -> Value?
  ) throws(UsageError) -> Value? {
    guard let value = values[name]?.last else { return nil }
    return try self.value(name, of: value, read)
  }

  /// Reads all values of a repeatable option.
  package func values<Value>(_ name: String, _ read: (String) -> Value?) throws(UsageError) -> [Value] {
    var all: [Value] = []
    for word in values[name] ?? [] { all.append(try value(name, of: word) { read($0.text) }) }
    return all
  }

  private func value<Value>(
    _ name: String, of argument: Argument, _ read: (Argument) -> Value?
  ) throws(UsageError) -> Value {
    guard let value = read(argument) else {
      let words = accepted.first { $0.name == name }?.accepted() ?? ""
      throw UsageError(
        "invalid value '\(argument.text.redacted.escapedForTerminal)' for --\(name)", hint: "give \(words)")
    }
    return value
  }

  /// Reads the value of an option that takes a duration.
  package func duration(_ name: String) throws(UsageError) -> Duration? {
    try value(name) { Duration(text: $0) }
  }
}
