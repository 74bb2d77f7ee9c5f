// SPDX-License-Identifier: Apache-2.0
/// A long option: its one declaration, from which parsing, help, manual pages, completions and the guide are made.
package struct Option: Sendable {
  /// The value of an option.
  package struct Value: Sendable {
    /// What a shell offers for a value.
    package enum Completion: Equatable, Sendable {
      case nothing
      case words([String])
      case files
      case interfaces
      case namespaces
      case endpoints
    }

    /// The value's name in the help text, for example `D`.
    package var name: String
    /// The accepted values in words, computed only for a usage error.
    package var accepted: @Sendable () -> String
    /// What the name stands for, below the options in the help text; `nil` if their sentences say it.
    package var legend: (@Sendable () -> String)?
    package var completion: Completion

    /// Creates the value of an option.
    package init(
      _ name: String, _ accepted: @autoclosure @escaping @Sendable () -> String,
      completion: Completion = .nothing
    ) {
      self.name = name
      self.accepted = accepted
      self.completion = completion
    }

    /// The same value, whose accepted forms the help text has as a legend.
    package var explained: Value {
      var value = self
      value.legend = accepted
      return value
    }

    /// A duration; the legend is the same for those with limits.
    package static func duration(
      _ accepted: @autoclosure @escaping @Sendable () -> String = Duration.acceptedTexts
    )
      -> Value
    {
      var value = Value("D", accepted())
      value.legend = { Duration.acceptedTexts }
      return value
    }

    package static let count = Value("N", "a whole number from 1")
    package static let interval = duration(
      "at least a second: a whole number with a unit, for example 15s or 1m")
    package static let url = Value("URL", "an http or https URL, or tcp://HOST:PORT", completion: .endpoints)
      .explained
  }

  package var name: String
  /// The option's other name, for example `4` of `-4`; only an option without a value has one.
  package var letter: Character?
  /// The value; `nil` if the option takes none.
  package var value: Value?
  /// What the option does: the beginning of a sentence, without a capital letter and a full stop.
  package var sentence: String
  /// The sentences that only the manual page has.
  package var detail: String
  /// The value if the option is not given.
  package var standard: String?
  package var isRequired: Bool
  package var isRepeatable: Bool

  /// Creates an option.
  package init(
    _ name: String, letter: Character? = nil, takes value: Value? = nil, _ sentence: String,
    default standard: String? = nil,
    detail: String = "", isRequired: Bool = false, isRepeatable: Bool = false
  ) {
    self.name = name
    self.letter = letter
    self.value = value
    self.sentence = sentence
    self.detail = detail
    self.standard = standard
    self.isRequired = isRequired
    self.isRepeatable = isRepeatable
  }

  package static let help = Option("help", letter: "h", "print this text")
  package static let version = Option("version", "print the version")
  /// The option that decides about colours.
  package static let color = Option(
    "color",
    takes: Value(
      "WHEN", ColourChoice.allCases.map { "'\($0.rawValue)'" }.inWords("or"),
      completion: .words(ColourChoice.allCases.map(\.rawValue))),
    "colour the output: 'auto' (on a terminal, unless NO_COLOR is set), 'always' or 'never'")
  package static let json = Option("json", "print one JSON object per line")

  // What decides which packets a command is about.
  package static let ipv4 = Option("ipv4", letter: "4", "only over IPv4")
  package static let ipv6 = Option("ipv6", letter: "6", "only over IPv6")
  package static let from = Option(
    "from", takes: Value("ADDRESS", "an IP address of this machine, for example 10.1.0.1 or fd00::1"),
    "only from this local address")
  package static let mark = Option(
    "mark", takes: Value("N", "a number from 0 to 4294967295, decimal or hexadecimal, for example 0x42"),
    "for packets with this firewall mark, for example 66 or 0x42")

  /// The option as a help text shows it, for example `--from ADDRESS` or `-4, --ipv4`.
  package var usage: String {
    (letter.map { "-\($0), " } ?? "") + "--\(name)" + (value.map { " \($0.name)" } ?? "")
  }

  /// The sentence with what applies without the option, and how often it may be given.
  package var explanation: String {
    let notes = [
      standard.map { "\($0) by default" }, isRequired ? "required" : nil, isRepeatable ? "repeatable" : nil,
    ].compactMap(\.self)
    return sentence + (notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))")
  }
}

extension UInt32 {
  /// Reads a firewall mark: a decimal number, or a hexadecimal one after `0x`.
  package init?(markText text: String) {
    if text.hasPrefix("0x") {
      guard text.dropFirst(2).allSatisfy(\.isHexDigit) else { return nil }
      self.init(text.dropFirst(2), radix: 16)
    } else {
      self.init(digits: text)
    }
  }
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
