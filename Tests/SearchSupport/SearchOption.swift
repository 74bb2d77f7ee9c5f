// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport

/// An option of a search: its declaration, and where its value goes.
///
/// Where several options set the same thing, the last of the list wins.
package struct SearchOption<Options> {
  let option: Option
  /// Reads a value, or the presence of an option without one; returns whether it is valid.
  private let apply: (String, inout Options) -> Bool

  func read(_ parsed: ParsedOptions, into options: inout Options) throws(UsageError) {
    _ = try parsed.values(option) { apply($0, &options) ? () : nil }
  }

  /// An option without a value.
  package static func flag(_ name: String, _ sentence: String, apply: @escaping (inout Options) -> Void)
    -> Self
  {
    Self(option: Option(name, sentence)) { _, options in
      apply(&options)
      return true
    }
  }

  /// An option with a whole number.
  package static func number<Number: FixedWidthInteger>(
    _ name: String, _ sentence: String, default standard: String? = nil, from least: Number = 0,
    to most: Number = 999_999_999, apply: @escaping (inout Options, Number) -> Void
  ) -> Self {
    let accepted = "a whole number from \(least) to \(most)"
    return Self(option: Option(name, takes: .init("N", accepted), sentence, default: standard)) {
      text, options in
      guard let number = Number(text), (least...most).contains(number) else { return false }
      apply(&options, number)
      return true
    }
  }

  /// An option with a text.
  package static func text(
    _ name: String, _ value: String, _ sentence: String, isRepeatable: Bool = false,
    apply: @escaping (inout Options, String) -> Void
  ) -> Self {
    let option = Option(name, takes: .init(value, "a text"), sentence, isRepeatable: isRepeatable)
    return Self(option: option) { text, options in
      apply(&options, text)
      return true
    }
  }

  /// An option with one of several words.
  package static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String, _ value: String, _ sentence: String, apply: @escaping (inout Options, Choice) -> Void
  ) -> Self {
    let accepted = Choice.allCases.map { "'\($0.rawValue)'" }.inWords("or")
    return Self(option: Option(name, takes: .init(value, accepted), sentence)) { text, options in
      guard let choice = Choice(rawValue: text) else { return false }
      apply(&options, choice)
      return true
    }
  }
}
