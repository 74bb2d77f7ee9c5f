#if os(Linux)
/// `ip -batch`, kept running in a network namespace, so that a command costs no process of its own.
///
/// `ip` remembers the names of links for as long as it runs: after links were made, removed, moved or renamed by
/// anything else, take a new one. One user at a time.
public final class CommandBatch {
  /// How a command ended.
  public enum Outcome: Equatable, Sendable {
    /// What it printed, if anything.
    case done(String)
    /// What `ip` wrote about the failure.
    case refused(String)

    /// Why it failed, or `nil` if it did not.
    public var refusal: String? {
      if case .refused(let text) = self { text } else { nil }
    }
  }

  private let dialogue: Dialogue
  /// How many lines `ip` was sent; it names commands by the numbers of their lines.
  private var lineCount = 0

  /// Starts `ip` in a namespace.
  ///
  /// - Parameter options: What stands before the commands, such as `-6`.
  public init(in namespace: NetworkNamespace, _ options: [String] = []) throws {
    let words = ["sh", "-c", "PATH=${PATH:-/usr/bin:/bin}:/usr/sbin:/sbin; exec ip \"$@\"", "sh"]
    dialogue = try Dialogue(
      "ip -batch", running: "/bin/sh", words + options + ["-force", "-batch", "-"], in: namespace)
  }

  /// Runs commands, each on a line of its own and without the word `ip`, and returns how each ended, in order.
  ///
  /// With the option `-json` each command that asks prints one line; others print nothing.
  ///
  /// - Throws: ``LiveError`` if `ip` itself ends, or does not answer.
  public func run(_ commands: [String]) throws -> [Outcome] {
    guard !commands.isEmpty else { return [] }
    // The last one is none, so that `ip` says where it has come to.
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
        // What comes before was silent.
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
