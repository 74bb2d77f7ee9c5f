#if os(Linux)
import CLiveSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

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

  private let child: pid_t
  private var descriptors: [Int32]
  /// How many lines `ip` was sent; it names commands by the numbers of their lines.
  private var lineCount = 0
  /// What was read and not yet looked at, the last line first.
  private var lines: [String] = []
  private var unfinished: ArraySlice<UInt8> = []

  private static let timeLimit: Int32 = 20

  /// Starts `ip` in a namespace.
  ///
  /// - Parameter options: What stands before the commands, such as `-6`.
  public init(in namespace: NetworkNamespace, _ options: [String] = []) throws {
    let words = ["sh", "-c", "PATH=${PATH:-/usr/bin:/bin}:/usr/sbin:/sbin; exec ip \"$@\"", "sh"]
    let arguments = words + options + ["-force", "-batch", "-"]
    (child, descriptors) = try namespace.run {
      var strings = unsafe arguments.map { unsafe strdup($0) }
      unsafe strings.append(nil)
      defer { unsafe strings.forEach { unsafe free($0) } }
      var child: pid_t = 0
      var descriptors: [Int32] = [-1, -1]
      let error = unsafe live_start("/bin/sh", strings, &descriptors, &child)
      try LiveError.check(error, "ip -batch")
      return (child, descriptors)
    }
  }

  deinit {
    unsafe live_end(descriptors, child)
  }

  /// Runs commands, each on a line of its own and without the word `ip`, and returns how each ended, in order.
  ///
  /// With the option `-json` each command that asks prints one line; others print nothing.
  ///
  /// - Throws: ``LiveError`` if `ip` itself ends, or does not answer.
  public func run(_ commands: [String]) throws -> [Outcome] {
    // The last one is none, so that `ip` says where it has come to.
    let text = commands.joined(separator: "\n") + "\nend\n"
    let first = lineCount + 1
    lineCount += commands.count + 1
    let bytes = Array(text.utf8)
    try LiveError.check(unsafe live_write_all(descriptors[0], bytes, bytes.count), "write to ip -batch")

    var outcomes: [Outcome] = []
    var words: [String] = []
    while true {
      let line = try readLine(after: words)
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

  private func readLine(after words: [String]) throws -> String {
    while lines.isEmpty {
      let chunk = try unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
        let length = unsafe live_read(descriptors[1], buffer.baseAddress, buffer.count, Self.timeLimit)
        guard length > 0 else {
          throw length == 0
            ? LiveError("ip -batch", "it ended. \(words.joined(separator: " "))")
            : LiveError("read from ip -batch", errorNumber: errno)
        }
        count = length
      }
      var parts = chunk.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      parts[0] = unfinished + parts[0]
      unfinished = parts.removeLast()
      lines = parts.reversed().map { String(decoding: $0, as: UTF8.self) }
    }
    return lines.removeLast()
  }
}
#endif
