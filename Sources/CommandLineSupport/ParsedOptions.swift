// SPDX-License-Identifier: Apache-2.0
import InternetProtocol

/// The options and operands of a command line.
package struct ParsedOptions {
  private var values: [String: [Argument]] = [:]
  /// The arguments that are not options, in order.
  package private(set) var arguments: [Argument] = []
  /// The text of ``arguments``, with invalid UTF-8 replaced.
  package var operands: [String] { arguments.map(\.text) }

  /// Parses text.
  package init(_ arguments: [String], of command: CommandDescription) throws(UsageError) {
    try self.init(arguments.map { Argument($0) }, of: command)
  }

  /// Parses the arguments, of which the first is the program's name, with `getopt_long`.
  ///
  /// - Parameters:
  ///   - arguments: The command line, without the name of the command.
  ///   - others: The commands that may accept an option that this one does not.
  package init(
    _ arguments: [Argument], of command: CommandDescription,
    besides others: @autoclosure () -> [CommandDescription] = []
  ) throws(UsageError) {
    let scan = OptionScan(arguments, command.options)
    for item in scan.items {
      switch item {
      case .option(let option, let value):
        values[option.name, default: []].append(value ?? Argument(""))
      case .missingValue(let option):
        throw UsageError("--\(option.name) requires a value", hint: "give \(option.value?.accepted() ?? "")")
      case .needlessValue(let option):
        throw UsageError("--\(option.name) takes no value", hint: "write --\(option.name)")
      case .unknown(let text):
        throw UsageError(unknown: text, of: command, besides: others())
      }
    }
    self.arguments = scan.operands
  }

  /// Whether an option was given.
  package func has(_ option: Option) -> Bool { values[option.name] != nil }

  /// Reads the value of an option; `nil` if the option was not given.
  package func value<Value>(_ option: Option, _ read: (String) -> Value?) throws(UsageError) -> Value? {
    try value(option, argument: { read($0.text) })
  }

  /// Reads the value of an option that need not be UTF-8.
  package func value<Value>(
    _ option: Option, argument read: (Argument) -> Value?
  ) throws(UsageError) -> Value? {
    guard let value = values[option.name]?.last else { return nil }
    return try self.value(option, of: value, read)
  }

  /// Reads all values of a repeatable option.
  package func values<Value>(_ option: Option, _ read: (String) -> Value?) throws(UsageError) -> [Value] {
    var all: [Value] = []
    for word in values[option.name] ?? [] { all.append(try value(option, of: word) { read($0.text) }) }
    return all
  }

  private func value<Value>(
    _ option: Option, of argument: Argument, _ read: (Argument) -> Value?
  ) throws(UsageError) -> Value {
    guard let value = read(argument) else {
      throw UsageError(
        "invalid value '\(argument.text.redacted.escapedForTerminal)' for --\(option.name)",
        hint: "give \(option.value?.accepted() ?? "")")
    }
    return value
  }

  /// Reads the value of an option that takes a duration.
  package func duration(_ option: Option) throws(UsageError) -> Duration? {
    try value(option) { Duration(text: $0) }
  }

  /// Reads the value of an option that takes a duration within limits.
  package func duration(
    _ option: Option, in limits: some RangeExpression<Duration>
  ) throws(UsageError) -> Duration? {
    try value(option) { Duration(text: $0).flatMap { limits.contains($0) ? $0 : nil } }
  }

  /// Reads the value of an option that takes a positive number.
  package func count(_ option: Option) throws(UsageError) -> Int? {
    try value(option) { Int(digits: $0).flatMap { $0 > 0 ? $0 : nil } }
  }

  /// Throws if options were given that have a meaning only with another one.
  package func require(_ option: Option, with dependents: Option..., in command: CommandDescription)
    throws(UsageError)
  {
    guard !has(option), let dependent = dependents.first(where: has) else { return }
    throw UsageError(
      "'\(command.name)' accepts --\(dependent.name) only with --\(option.name)", hint: "add \(option.usage)")
  }
}

extension UsageError {
  /// An option that the command does not have: another command's, or a mistyped one.
  fileprivate init(unknown text: String, of command: CommandDescription, besides others: [CommandDescription])
  {
    let word = text.hasPrefix("--") ? String(text.dropFirst(2).prefix { $0 != "=" }) : ""
    let fitting = others.filter {
      $0.options.contains { $0.name == word || $0.letter.map { "-\($0)" } == text }
    }.map { "'\($0.name)'" }
    if !fitting.isEmpty {
      let name = word.isEmpty ? text : "--\(word)"
      self.init(
        "'\(command.name)' does not accept \(name)", hint: "\(name) is an option of \(fitting.inWords("and"))"
      )
      return
    }
    let similar = command.options.map(\.name).similar(to: word).map { "--\($0)" }
    self.init(
      "unknown option \(text.redacted.escapedForTerminal)",
      hint: similar.isEmpty
        ? "'\(command.invocation) --help' lists the options" : "did you mean \(similar.inWords("or"))?"
    )
  }
}

extension CommandDescription {
  /// Reads a command line and runs the command, or prints the help text or the version if the command line asks for it.
  ///
  /// - Parameters:
  ///   - arguments: The command line, of which the first word is the program's name.
  ///   - others: The commands that may accept an option that this one does not.
  ///   - output: The streams for the help text, the version and usage errors.
  ///   - read: Interprets the options and operands.
  ///   - run: Runs the command with the streams in the colours of the command line, and returns its exit status.
  /// - Returns: The exit status.
  package func run<Options>(
    _ arguments: [Argument], besides others: @autoclosure () -> [CommandDescription] = [],
    help: @autoclosure () -> String? = nil, output: StandardOutput,
    reading read: (ParsedOptions) throws(UsageError) -> Options,
    _ run: (Options, StandardOutput) -> Int32
  ) -> Int32 {
    var output = output
    let options: Options
    do throws(UsageError) {
      let parsed = try ParsedOptions(arguments, of: self, besides: others())
      if parsed.has(.help) { return output.print(help() ?? self.help) }
      if parsed.has(.version) { return output.print("\(program) \(packageVersion)\n") }
      output = output.choosing(try parsed.value(.color, ColourChoice.init(rawValue:)) ?? .auto)
      options = try read(parsed)
    } catch {
      output.report(error)
      return ExitStatus.trouble
    }
    return run(options, output)
  }
}

extension StandardOutput {
  /// Prints a text, and returns the exit status.
  package func print(_ text: String) -> Int32 {
    exitStatus(write(characters.spelling(text)), else: ExitStatus.success)
  }
}
