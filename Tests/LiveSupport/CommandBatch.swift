// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
/// A running `ip -batch` in a network namespace, which avoids one process per command.
///
/// `ip` caches the names of links while it runs. After anything else has created, removed, moved or renamed links, use
/// a new instance. Supports one user at a time.
public final class CommandBatch {
  /// The result of a command.
  public enum Outcome: Equatable, Sendable {
    /// The output of the command, which may be empty.
    case done(String)
    /// The error text of `ip`.
    case refused(String)

    /// Why the command failed, or `nil` if it succeeded.
    public var refusal: String? {
      if case .refused(let text) = self { text } else { nil }
    }
  }

  private let dialogue: Dialogue
  /// The number of lines sent to `ip`, which identifies commands by line number.
  private var lineCount = 0

  /// Starts `ip` in a namespace.
  ///
  /// - Parameter options: Options that precede the commands, for example `-6`.
  public init(in namespace: NetworkNamespace, _ options: [String] = []) throws {
    let words = ["sh", "-c", "PATH=${PATH:-/usr/bin:/bin}:/usr/sbin:/sbin; exec ip \"$@\"", "sh"]
    dialogue = try Dialogue(
      "ip -batch", running: "/bin/sh", words + options + ["-force", "-batch", "-"], in: namespace)
  }

  /// Runs commands, each on one line and without the word `ip`, and returns their results in order.
  ///
  /// With the option `-json` each command that queries prints one line; others print nothing.
  ///
  /// - Throws: ``LiveError`` if `ip` itself ends or does not answer.
  public func run(_ commands: [String]) throws -> [Outcome] {
    guard !commands.isEmpty else { return [] }
    // The last line is no command, so that `ip` reports its line number.
    let text = commands.joined(separator: "\n") + "\nend\n"
    let first = lineCount + 1
    lineCount += commands.count + 1
    try dialogue.write(text)

    var outcomes: [Outcome] = []
    var words: [String] = []
    while true {
      let line = try dialogue.readLine()
      if line.hasPrefix("Command failed -:"), let number = Int(line.dropFirst(17)) {
        let position = number - first
        // All previous commands printed nothing.
        while outcomes.count < position { outcomes.append(.done("")) }
        if position == commands.count { return outcomes }
        outcomes.append(.refused(words.joined(separator: " ")))
        words = []
      } else if line.hasPrefix("[") {
        outcomes.append(.done(line))
        words = []
      } else {
        words.append(line)
      }
    }
  }
}
#endif
