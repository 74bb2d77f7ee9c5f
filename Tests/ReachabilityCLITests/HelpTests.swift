// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandLineSupport
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import RequirementSupport
import Testing

@Suite(.deadline) struct `Help and version` {
  private static let commands = `Generated files`.commands.map(\.name)

  private func help(_ arguments: String...) throws -> String {
    let outcome = try RunningCommand(arguments).finish()
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
    return outcome.output
  }

  private func lines(_ text: String) -> [Substring] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  @Test(arguments: [[], ["check"], ["record"], ["explain"], ["verify"], ["report"]])
  func `-h and --help print the same text to standard output`(_ command: [String]) throws {
    let text = try RunningCommand(command + ["--help"]).finish()
    #expect(text.status == 0 && text.output.hasSuffix("\n") && text.errors.isEmpty)
    #expect(try RunningCommand(command + ["-h"]).finish() == text)
    #expect(try RunningCommand(["help"] + command).finish() == text)
  }

  @Test
  func `the overview is less than 40 lines of 80 columns with each command, examples and where to read on`()
    throws
  {
    let text = try help("--help")
    #expect(lines(text).count < 40)
    #expect(lines(text).allSatisfy { $0.count <= 80 })
    for command in Self.commands + ["help"] { #expect(text.contains("\n  \(command) "), "\(command)") }
    #expect(text.matches(of: #/(?m)^  reachability/#).count == 4)
    #expect(text.contains("reachability COMMAND --help") && text.contains("man reachability"))
    // An operand names no command.
    #expect(try help("10.1.0.1", "--help") == text)
  }

  @Test(arguments: commands)
  func `the help of a command is less than 60 lines of 80 columns about that command alone`(command: String)
    throws
  {
    let text = try help(command, "--help")
    #expect(lines(text).count < 60)
    for line in lines(text) { #expect(line.count <= 80, "\(line)") }
    #expect(text.contains("\nUsage: reachability \(command == "check" ? "[check]" : command) "))
    for title in ["Options:", "Exit status:", "Examples:"] {
      #expect(text.contains("\n\(title)\n"), "\(title)")
    }
    #expect(text.matches(of: #/(?m)^  reachability /#).count == 3)
    #expect(text.contains("man reachability-\(command)"))
    #expect(text.contains("--rotate") == (command == "record"))
    #expect(text.contains("--probe") == (command == "explain"))
    #expect(text.contains("--share") == (command == "verify"))
  }

  @Test(arguments: commands)
  func `a command accepts each line among the examples of its help`(command: String) throws {
    let text = try help(command, "--help")
    let examples = text.matches(of: #/(?m)^  (reachability [^&|;\n]*[^&|;\n ])/#).map { String($0.1) }
    #expect(examples.count == 3)
    for example in examples {
      // The help needs a command line without mistakes, but reads no values.
      var words = example.split(separator: " ").dropFirst().map(String.init)
      // What follows is another command's.
      words.insert("--help", at: words.firstIndex(of: "--") ?? words.endIndex)
      #expect(try RunningCommand(words).finish().status == 0, "\(example)")
    }
  }

  @Test(arguments: [["--version"], ["wait", "example.com", "--version"], ["--json", "--version"]])
  func `--version prints the version to standard output`(_ arguments: [String]) throws {
    let output = "reachability \(packageVersion)\n"
    try #expect(RunningCommand(arguments).finish() == Outcome(status: 0, output: output))
  }

  @Test func `help of no command is an error that suggests one`() throws {
    #expect(
      try reachability("help", "chekc")
        == Outcome(status: 2, errors: "error: there is no command 'chekc'\nhint: did you mean 'check'?\n"))
    #expect(
      try reachability("help", "frobnicate")
        == Outcome(
          status: 2,
          errors: "error: there is no command 'frobnicate'\nhint: 'reachability --help' lists the commands\n")
    )
  }

  // MARK: Manual pages

  private static let pages = ["reachability"] + commands.map { "reachability-\($0)" }

  private static func path(of page: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../share/man/man1/\(page).1")
      .standardized.path(percentEncoded: false)
  }

  @Test(Requirement(.withoutPrograms("mandoc", "man")), arguments: pages)
  func `neither mandoc nor man has a warning about a manual page`(page: String) throws {
    let result = try NetworkNamespace().shell(
      #"mandoc -T lint -W warning "$1"; LC_ALL=C.UTF-8 man --warnings -l "$1" 2>&1 >/dev/null"#,
      [Self.path(of: page)])
    #expect(result.standardOutput == "" && result.standardError == "" && result.status == 0, "\(result)")
  }
}
#endif
