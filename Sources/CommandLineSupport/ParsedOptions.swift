import InternetProtocol

/// The options and operands of a command line.
package struct ParsedOptions {
  private let accepted: [Option]
  private var values: [String: [String]] = [:]
  /// The arguments that are not options, in order.
  package private(set) var operands: [String] = []

  /// Parses the arguments, of which the first is the program's name, with `getopt_long`.
  package init(_ arguments: [String], accepting accepted: [Option]) throws(UsageError) {
    self.accepted = accepted
    let scan = OptionScan(arguments, accepted)
    for item in scan.items {
      switch item {
      case .option(let option, let value):
        values[option.name, default: []].append(value ?? "")
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
    operands = scan.operands
  }

  /// Whether an option was given.
  package func has(_ name: String) -> Bool { values[name] != nil }

  /// Reads the value of an option; `nil` if the option was not given.
  package func value<Value>(_ name: String, _ read: (String) -> Value?) throws(UsageError) -> Value? {
    guard let text = values[name]?.last else { return nil }
    return try value(name, of: text, read)
  }

  /// Reads all values of a repeatable option.
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
      throw UsageError(
        "invalid value '\(text.redacted.escapedForTerminal)' for --\(name)", hint: "give \(words)")
    }
    return value
  }

  /// Reads the value of an option that takes a duration.
  package func duration(_ name: String) throws(UsageError) -> Duration? {
    try value(name) { Duration(text: $0) }
  }
}
