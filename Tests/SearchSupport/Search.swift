// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import Foundation
import LiveSupport

/// A program that changes networks for minutes, and compares: its options, and what it does with them.
///
/// Mark it `@main`.
package protocol Search {
  /// What `--help` says, but for the options.
  static var description: CommandDescription { get }
  static var options: [SearchOption<Self>] { get }
  /// Whether it runs in network namespaces with these options.
  var needsNamespaces: Bool { get }
  /// Creates what applies without options.
  init()
  /// Runs; returns whether nothing was wrong.
  func run() throws -> Bool
}

extension CommandDescription {
  /// What `--help` says about a search, beside its options: what it does, what the exit statuses 0 and 1 mean, and options
  /// with what they do.
  package init(
    of tool: String, _ text: String, success: String, failure: String,
    examples: KeyValuePairs<String, String>
  ) {
    self.init(
      CommandSummary("", ""), takes: .none, text, options: [],
      statuses: [
        0: success, 1: failure, 2: "the arguments are invalid, or the setup failed",
        77: "skipped, since this machine permits no network namespace",
      ],
      examples: examples.map { .init($0.isEmpty ? tool : "\(tool) \($0)", $1) })
    self.tool = tool
  }
}

extension Search {
  package var needsNamespaces: Bool { true }

  /// Runs the search of the command line, and ends the process.
  package static func main() {
    var description = description
    description.ownOptions = options.map(\.option)
    let status = description.run(CurrentProcess.arguments, output: StandardOutput(), reading: read) {
      search, output in
      do {
        if search.needsNamespaces, let reason = NetworkNamespace.unavailable {
          say("skipped: \(reason)")
          return 77
        }
        return try search.run() ? ExitStatus.success : ExitStatus.negative
      } catch let error as UsageError {
        output.report(error)
      } catch {
        output.say("error: \(error)")
      }
      return ExitStatus.trouble
    }
    CurrentProcess.exit(status)
  }

  private static func read(_ parsed: ParsedOptions) throws(UsageError) -> Self {
    if let word = parsed.operands.first {
      throw UsageError(
        "unexpected argument '\(word)'", hint: "'\(description.invocation) --help' lists the options")
    }
    var search = Self()
    for option in options { try option.read(parsed, into: &search) }
    return search
  }

  /// The line with the command that repeats a part of this search.
  package static func again(_ options: String) -> String { "Again: \(description.invocation) \(options)" }
}

/// Prints a line immediately, also into a pipe.
package func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

/// Prints a line to standard error.
package func remark(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }

/// Ends the process after an error on another thread.
package func fail(_ text: String) -> Never {
  remark("error: \(text)")
  exit(ExitStatus.trouble)
}
