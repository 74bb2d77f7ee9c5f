import InternetProtocol

/// A long option: its name, and what its value is if it takes one.
package struct Option: Sendable {
  package var name: String
  /// The value's name in the help text; `nil` if the option takes none.
  package var valueName: String?
  /// What is accepted as a value, in words, which only a mistake needs.
  package var accepted: @Sendable () -> String
  /// The words for the commands that the option goes with; `nil` for all.
  package var commands: [String]?

  /// Makes an option.
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

  /// Such as `--from ADDRESS`.
  package var usage: String { "--\(name)" + (valueName.map { " \($0)" } ?? "") }
}

/// The options and operands of a command line.
package struct ParsedOptions {
  private let accepted: [Option]
  private var values: [String: [String]] = [:]
  /// What is no option, in order.
  package private(set) var operands: [String] = []

  /// Sorts the arguments, of which the first is the program's name; `getopt_long` reads them.
  package init(_ arguments: [String], accepting accepted: [Option]) throws(UsageError) {
    self.accepted = accepted
    let scan = OptionScan(arguments, accepted)
    for item in scan.items {
      switch item {
      case .option(let option, let value):
        values[option.name, default: []].append(value ?? "")
      case .missingValue(let option):
        throw UsageError("--\(option.name) needs a value", hint: "it takes \(option.accepted())")
      case .needlessValue(let option):
        throw UsageError("--\(option.name) takes no value", hint: "write it as --\(option.name)")
      case .unknown(let text):
        throw UsageError(
          "there is no option \(text.redacted.escapedForTerminal)",
          hint: "accepted are \(accepted.map(\.usage).joined(separator: ", "))")
      }
    }
    operands = scan.operands
  }

  /// Whether an option was given.
  package func has(_ name: String) -> Bool { values[name] != nil }

  /// Reads an option's value, `nil` if it was not given.
  package func value<Value>(_ name: String, _ read: (String) -> Value?) throws(UsageError) -> Value? {
    guard let text = values[name]?.last else { return nil }
    return try value(name, of: text, read)
  }

  /// Reads all values of an option that may be given several times.
  package func values<Value>(_ name: String, _ read: (String) -> Value?) throws(UsageError) -> [Value] {
    var all: [Value] = []
    for text in values[name] ?? [] { all.append(try value(name, of: text, read)) }
    return all
  }

  private func value<Value>(
    _ name: String, of text: String, _ read: (String) -> Value?
  ) throws(UsageError) -> Value {
    guard let value = read(text) else {
      let words = accepted.first { $0.name == name }?.accepted() ?? ""
      throw UsageError("--\(name) can't be '\(text.redacted.escapedForTerminal)'", hint: "it takes \(words)")
    }
    return value
  }

  /// Reads an option whose value is a time.
  package func duration(_ name: String) throws(UsageError) -> Duration? {
    try value(name) { Duration(text: $0) }
  }
}
