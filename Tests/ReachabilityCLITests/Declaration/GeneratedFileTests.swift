// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandLineSupport
import DeadlineSupport
import Foundation
import Testing

@testable import ReachabilityCLI
@testable import ReachabilityRehearseCLI
@testable import ReachabilityReportCLI
@testable import ReachabilityTraceCLI
@testable import ReachabilityVerifyCLI

/// The files that say what the declarations of commands and options say: manual pages, completions, the guide's table.
///
/// `scripts/generate-usage` writes them.
@Suite(.deadline) struct `Generated files` {
  static let commands =
    CommandLineTool.descriptions + [
      VerifyInvocation.description, TraceInvocation.description, RehearseInvocation.description,
      ReportInvocation.description,
    ]

  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    .standardized.path(percentEncoded: false)

  private static let pages =
    ["share/man/man1/reachability.1"] + commands.map { "share/man/man1/reachability-\($0.name).1" }
  private static let bash = "share/bash-completion/completions/reachability"
  private static let fish = "share/fish/vendor_completions.d/reachability.fish"
  private static let zsh = "share/zsh/site-functions/_reachability"
  private static let guide = "Sources/ReachabilityKit/ReachabilityKit.docc/CommandLine.md"

  /// What a file should be, given what it is.
  private static func text(of path: String, keeping earlier: String) -> String {
    switch path {
    case bash: ShellCompletions(commands: commands).bash
    case fish: ShellCompletions(commands: commands).fish
    case zsh: ShellCompletions(commands: commands).zsh
    case guide: earlier.replacing(#/(?s)(\n\|---\|---\|---\|\n).*?\n\n/#) { "\($0.1)\(table)\n" }
    case pages[0]: ManualPage(overviewOf: commands).text(keeping: earlier)
    default:
      commands.first { path.hasSuffix("-\($0.name).1") }
        .map { ManualPage($0, of: commands).text(keeping: earlier) } ?? ""
    }
  }

  private static var table: String {
    commands.map { command in
      let page = command.page.map { ": [\(title(of: $0))](doc:\($0))" } ?? ""
      let statuses = command.exitStatuses.map { "\($0.status) \($0.meaning)" }.joined(separator: "; ")
      return "| `reachability \(command.synopsis)` | \(command.summary.sentence)\(page) | \(statuses) |\n"
    }.joined()
  }

  private static func title(of page: String) -> Substring {
    let file = "\(root)/Sources/ReachabilityKit/ReachabilityKit.docc/\(page).md"
    let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
    return text.prefix { $0 != "\n" }.dropFirst(2)
  }

  @Test(arguments: commands)
  func `help has one empty line between its parts`(_ command: CommandDescription) {
    #expect(!command.help.contains("\n\n\n"))
    if let legend = command.legends.first {
      #expect(command.help.contains("\n\n\(legend.name) is "), "\(command.name)")
    }
  }

  @Test(arguments: pages + [bash, fish, zsh, guide])
  func `a file says what the declarations say`(path: String) throws {
    let file = "\(Self.root)/\(path)"
    let earlier = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
    let text = Self.text(of: path, keeping: earlier)
    if ProcessInfo.processInfo.environment["GENERATE_USAGE"] != nil {
      try text.write(toFile: file, atomically: true, encoding: .utf8)
    } else {
      #expect(earlier == text, "run scripts/generate-usage")
    }
  }

  @Test func `an option takes a value in all commands or in none, and its name begins no other word`() {
    var values: [String: Bool] = [:]
    for command in Self.commands {
      for option in command.options {
        let hasValue = option.value != nil
        #expect(values[option.name, default: hasValue] == hasValue, "\(command.name) --\(option.name)")
        values[option.name] = hasValue
        #expect(
          option.sentence.last != "." && option.sentence.first?.isUppercase == false, "--\(option.name)")
      }
      #expect(Set(command.options.map(\.name)).count == command.options.count, "\(command.name)")
    }
    let names = CommandLineTool.summaries.flatMap { [$0.name] + $0.synonyms }
    #expect(Set(names).count == names.count)
    #expect(Set(CommandLineTool.summaries.map(\.name)).subtracting(Self.commands.map(\.name)) == ["help"])
  }
}
#endif
