// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import Testing

/// `reachability watch` as a job of a shell: Ctrl-Z, `fg`, `bg` and Ctrl-C.
@Suite(.needsNamespaces, .deadline) struct `The history and the shell` {
  private static let environment = ["TERM": "xterm", "NO_COLOR": "1", "PS1": "> ", "ENV": ""]
  private static let drawn = "\u{1b}[?7h\r\u{1b}[1A"

  /// A shell with its own terminal, in which a watch has drawn its block.
  private func job(in network: NetworkNamespace) throws -> RunningCommand {
    let shell = try RunningCommand(
      ["watch", "10.9.0.1"], in: network, terminals: [.output], size: (80, 24), environment: Self.environment,
      through: #"JOB="$*" exec setsid --ctty sh -i 0<&1 2>&1"#)
    _ = try shell.output { $0.hasSuffix("> ") }
    shell.type("$JOB\n")
    // The first block may be older than the first status.
    _ = try shell.output { output in
      output.hasSuffix(Self.drawn)
        && isBlock(TerminalScreen(columns: 80, rows: 24, output).rows.suffix(2))
    }
    return shell
  }

  /// Types a text, and waits for the end of what follows.
  private func type(_ text: String, on shell: RunningCommand, until end: String = "> ") throws
    -> TerminalScreen
  {
    let before = try shell.output { _ in true }
    shell.type(text)
    let output = try shell.output { $0.count > before.count + text.count + 1 && $0.hasSuffix(end) }
    let screen = TerminalScreen(columns: 80, rows: 24, output)
    #expect(screen.unknown == [])
    return screen
  }

  private func isBlock(_ rows: some Sequence<String>) -> Bool {
    let rows = Array(rows)
    return rows.count == 2 && rows[0].wholeMatch(of: /10\.9\.0\.1 +x+/) != nil
      && rows[1].wholeMatch(of: #/ +10 min ago .* x not reachable +now/#) != nil
  }

  @Test func `a watch that is stopped leaves its block, and draws another one below the shell's lines`()
    throws
  {
    let shell = try job(in: .wired())
    let first = ["> $JOB", "TIME  10.9.0.1  not reachable  no route"]
    var rows = try type("\u{1a}", on: shell).rows
    try #require(rows.count == 6, "\(rows)")
    #expect(Array(rows[..<2]) == first && isBlock(rows[2..<4]), "\(rows)")
    #expect(rows[4].hasPrefix("[1]") && rows[5] == ">", "\(rows)")

    rows = try type("fg\n", on: shell, until: Self.drawn).rows
    try #require(rows.count == 9, "\(rows)")
    #expect(isBlock(rows[2..<4]) && rows[5] == "> fg" && isBlock(rows[7...]), "\(rows)")

    let screen = try type("\u{3}", on: shell)
    try #require(screen.rows.count == 10, "\(screen.rows)")
    #expect(Array(screen.rows[..<7]) == Array(rows[..<7]), "\(screen.rows)")
    #expect(isBlock(screen.rows[7..<9]) && screen.rows[9] == ">", "\(screen.rows)")
    #expect((screen.row, screen.column) == (9, 2))
  }

  @Test func `a watch in the background writes its lines alone`() throws {
    let network = try NetworkNamespace.wired()
    let shell = try job(in: network)
    _ = try type("\u{1a}", on: shell)
    _ = try type("bg\n", on: shell)
    // Longer than the pause between two blocks.
    let quiet = try type("sleep 1.5\n", on: shell).rows
    try network.ip("route add 10.9.0.0/16 via 10.1.0.254")
    let line = "TIME  10.9.0.1  reachable      eth0 (wired) via 10.1.0.254 from 10.1.0.1"
    let output = try shell.output { $0.hasSuffix("\(line)\n") }
    let rows = TerminalScreen(columns: 80, rows: 24, output).rows
    #expect(Array(rows.prefix(quiet.count - 1)) == quiet.dropLast())
    #expect(rows.dropFirst(quiet.count - 1) == ["> \(line)", ""], "\(rows)")

    let shown = try type("fg\n", on: shell, until: Self.drawn).rows
    #expect(shown.last?.hasSuffix("now") == true)
    #expect(try type("\u{3}", on: shell).rows.last == ">")
  }

  @Test func `a watch whose parent ignores the signal is not stopped`() throws {
    let network = try NetworkNamespace.wired()
    let command = try RunningCommand(
      ["watch", "10.9.0.1"], in: network, terminals: [.output], size: (80, 24), environment: Self.environment,
      through: #"trap '' TSTP; exec "$@""#)
    _ = try command.output { $0.hasSuffix(Self.drawn) }
    command.send(SIGTSTP)
    try network.ip("route add 10.9.0.0/16 via 10.1.0.254")
    let output = try command.output { $0.contains("via 10.1.0.254") && $0.hasSuffix(Self.drawn) }
    #expect(TerminalScreen(columns: 80, rows: 24, output).rows.count == 4, "\(output)")
  }
}
#endif
