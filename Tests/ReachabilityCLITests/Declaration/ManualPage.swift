// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandLineSupport

@testable import ReachabilityCLI

/// A manual page: what the declarations say, around sections that are written by hand.
struct ManualPage {
  private static let handwritten = ".\\\" Written by hand:\n"
  private static let made = ".\\\" Made by scripts/generate-usage:\n"

  var name: String
  var summary: String
  var synopsis: [String]
  var description: String
  /// Sections before those by hand.
  var sections: [(title: String, text: String)]
  var examples: [CommandDescription.Example]
  var related: [String]

  /// The page of a command.
  init(_ command: CommandDescription, of commands: [CommandDescription]) {
    name = "reachability-\(command.name)"
    summary = command.summary.sentence
    synopsis = ["reachability " + command.synopsis]
    if command.isSeparate { synopsis.append(name + command.synopsis.dropFirst(command.name.count)) }
    description = [command.text, command.notes].filter { !$0.isEmpty }.map(Self.sentences).joined(
      separator: "\n.PP\n")
    let legends = command.legends.map { Self.sentences("\($0.name) is \($0.text).") }
    let options = command.options.map { option in
      let letter = option.letter.map { "\\-\($0) \", \" " }
      let head =
        option.value.map { ".BI \\-\\-\(Self.escaped(option.name)) \" \($0.name)\"" }
        ?? ".B\(letter == nil ? "" : "R") \(letter ?? "")\\-\\-\(Self.escaped(option.name))"
      let text = option.name == "help" ? "print the help text" : option.explanation
      return ".TP\n\(head)\n" + Self.sentences(text.capitalised + ".")
        + (option.detail.isEmpty ? "" : "\n" + Self.sentences(option.detail))
    }
    sections = [
      (
        "OPTIONS",
        (["Options may stand before or after operands."] + legends + options).joined(separator: "\n")
      ),
      (
        "EXIT STATUS",
        command.exitStatuses.map { ".TP\n.B \($0.status)\n" + Self.sentences($0.meaning.capitalised + ".") }
          .joined(separator: "\n")
      ),
    ]
    examples = command.examples
    let named = commands.map(\.name).filter { command.text.contains("'\($0)'") }
    related = ["reachability (1)"] + named.map { "reachability-\($0) (1)" }
  }

  /// The page of the program.
  init(overviewOf commands: [CommandDescription]) {
    name = "reachability"
    summary = "network reachability: whether packets can leave for a target, and why not"
    synopsis = ["reachability [COMMAND] [TARGET…] [OPTION…]"]
    description =
      Self.sentences(CommandLineTool.purpose) + "\n.PP\n"
      + Self.sentences(
        "Without a command, check is meant. Options may stand before or after the command and its operands.")
    sections = [
      (
        "COMMANDS",
        CommandLineTool.summaries.map { summary in
          let head = summary.name == "help" ? ".B help" : ".BR reachability\\-\(summary.name) (1)"
          return ".TP\n\(head)\n" + Self.sentences(summary.sentence.capitalised + ".")
        }.joined(separator: "\n")
      ),
      (
        "EXIT STATUS",
        "Each command's page says what its exit statuses mean.\n.TP\n.B 0\nEverything is as requested.\n.TP\n.B 1\n"
          + "Something is not, for example a target is not reachable.\n.TP\n.B 2\n"
          + "The usage is wrong, or the system cannot be queried."
      ),
    ]
    examples = CommandLineTool.examples
    related = commands.map { "reachability-\($0.name) (1)" } + ["ip-route (8)", "ip-monitor (8)"]
  }

  /// The page, with the sections by hand of an earlier one.
  func text(keeping earlier: String) -> String {
    let own = earlier.ranges(of: Self.handwritten).first.map { earlier[$0.upperBound...] } ?? ""
    let hand = own.ranges(of: Self.made).first.map { own[..<$0.lowerBound] } ?? ""
    let date = "2026-11-24"
    var page = Self.made + ".TH \(Self.escaped(name.uppercased())) 1 \(date)\n"
    page += ".SH NAME\n\(Self.escaped(name)) \\- \(Self.escaped(summary))\n.SH SYNOPSIS\n"
    page += synopsis.map(Self.synopsis).joined(separator: "\n.br\n") + "\n.SH DESCRIPTION\n\(description)\n"
    for section in sections { page += ".SH \(section.title)\n\(section.text)\n" }
    page += Self.handwritten + hand + Self.made + ".SH EXAMPLES\n"
    for example in examples {
      page += ".TP\n.B \(Self.escaped(example.line))\n\(Self.escaped(example.meaning))\n"
    }
    let pages = related.map { ".BR \(Self.escaped($0))" }
    return page + ".SH SEE ALSO\n" + pages.joined(separator: ",\n") + "\n"
  }

  /// A synopsis: names and options in bold, the rest as it is.
  private static func synopsis(_ line: String) -> String {
    line.split(separator: " ").map { word in
      let isName = word.contains { $0.isLowercase }
      return (isName ? "\\fB" : "\\fI") + escaped(String(word)) + "\\fR"
    }.joined(separator: " ")
  }

  /// Text, with a line for each sentence.
  private static func sentences(_ text: String) -> String {
    escaped(text).replacing(". ", with: ".\n").split(separator: "\n")
      .map { $0.hasPrefix(".") || $0.hasPrefix("\\(aq") ? "\\&\($0)" : String($0) }.joined(separator: "\n")
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "…": result += "..."
      case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
      default: result += "\\[u\(String(scalar.value, radix: 16, uppercase: true))]"
      }
    }
    return result
  }
}

extension String {
  /// The text as the beginning of a sentence.
  var capitalised: String { prefix(1).uppercased() + dropFirst() }
}
#endif
