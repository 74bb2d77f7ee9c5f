// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import Testing

/// `reachability watch` on a terminal with a size.
@Suite(.needsNamespaces, .deadline) struct `The history on a terminal` {
  private func watch(
    _ targets: String..., in network: NetworkNamespace, columns: Int = 90, rows: Int = 24,
    environment: [String: String] = ["TERM": "xterm", "NO_COLOR": "1"]
  ) throws -> RunningCommand {
    try RunningCommand(
      ["watch"] + targets, in: network, terminals: [.output], size: (columns, rows), environment: environment)
  }

  /// The number of times that a block was drawn.
  private func blocks(_ output: String) -> Int { output.components(separatedBy: "\u{1b}[?7h").count - 1 }

  @Test func `lines scroll above a block with a bar for each target`() throws {
    let network = try NetworkNamespace.wired()
    let command = try watch("10.9.0.1", "10.1.0.2", in: network)
    var output = try command.output { blocks($0) >= 2 }
    let lines = [
      "TIME  10.9.0.1  not reachable  no route", "TIME  10.1.0.2  reachable      eth0 (wired) from 10.1.0.1",
    ]
    func rows() -> [String] { TerminalScreen(columns: 90, rows: 24, output).rows }
    #expect(Array(rows().prefix(2)) == lines)
    #expect(rows().count == 5)
    #expect(rows()[2].wholeMatch(of: /10\.9\.0\.1 +xx?/) != nil, "\(rows())")
    #expect(rows()[3].wholeMatch(of: /10\.1\.0\.2 +██?/) != nil, "\(rows())")
    #expect(rows()[4].count == 89)
    #expect(rows()[4].hasPrefix("          10 min ago ") && rows()[4].hasSuffix(" now"))

    try network.ip("route add 10.9.0.0/16 via 10.1.0.254")
    output = try command.output { $0.contains("via 10.1.0.254") && $0.hasSuffix("\u{1b}[2A") }
    let change = "TIME  10.9.0.1  reachable      eth0 (wired) via 10.1.0.254 from 10.1.0.1"
    #expect(Array(rows().prefix(3)) == lines + [change])
    #expect(rows()[3].wholeMatch(of: /10\.9\.0\.1 +x{0,2}(▄|x█|▄█)/) != nil, "\(rows())")
    #expect(rows().count == 6)

    command.send(SIGTERM)
    let outcome = try command.finish()
    let screen = TerminalScreen(columns: 90, rows: 24, outcome.output)
    #expect(outcome.status == 0)
    #expect(screen.unknown == [])
    // The prompt follows the block.
    #expect((screen.row, screen.column) == (6, 0))
    #expect(screen.rows.count == 7)
  }

  @Test(arguments: [(80, 24), (140, 50)])
  func `a block of forty targets leaves rows for changes, and no line wraps`(columns: Int, rows: Int) throws {
    let network = try NetworkNamespace.wired()
    let targets = (2...38).map { "10.1.0.\($0)" } + (1...3).map { "10.9.0.\($0)" }
    let command = try RunningCommand(
      ["watch"] + targets, in: network, terminals: [.output], size: (columns, rows),
      environment: ["TERM": "xterm", "NO_COLOR": "1"])
    let arrow = "\u{1b}[\(rows == 24 ? 18 : 40)A"
    func screen(_ change: String) throws -> TerminalScreen {
      let output = try command.output {
        $0.components(separatedBy: "TIME").count > 40 && $0.contains(change) && $0.hasSuffix(arrow)
      }
      return TerminalScreen(columns: columns, rows: rows, output)
    }
    var shown = try screen("10.9.0.3 ")
    let first = "37 of 40 reachable; not reachable: 10.9.0.1, 10.9.0.2 and 10.9.0.3"
    #expect((shown.rows.suffix(19).first == first) == (rows == 24), "\(shown.rows)")
    #expect(shown.rows.last?.hasSuffix("x not reachable   now") == true || rows > 24)
    try network.ip("route add blackhole 10.1.0.7")
    shown = try screen("10.1.0.7   not reachable  a route or rule discards packets")
    #expect(shown.rows.allSatisfy { $0.count <= columns }, "\(shown.rows)")
    // 40 lines and the change, then the block.
    #expect(shown.row == 41 && shown.rows.count == 41 + (rows == 24 ? 19 : 41), "\(shown.rows)")
    #expect(shown.rows.dropFirst(41).contains { $0.hasPrefix("10.1.0.7 ") })
    command.send(SIGTERM)
    try #expect(command.finish().status == 0)
  }

  @Test func `a line of 80 columns leaves out the source unless nothing else has changed`() throws {
    let network = try NetworkNamespace.wired()
    try network.ip("address add 10.1.0.77/24 dev eth0")
    try network.ip("route add default via 10.1.0.254 src 10.1.0.1")
    let command = try watch("203.0.113.113", in: network, columns: 80)
    let line = "TIME  203.0.113.113  reachable      eth0 (wired) via 10.1.0.254"
    #expect(try command.nextLine() == line)
    try network.ip("route change default via 10.1.0.254 src 10.1.0.77")
    _ = try command.output { $0.contains("\(line) from 10.1.0.77\n") }
    // A pipe has it all.
    let piped = try reachability("watch", "203.0.113.113", "--timeout", "0s", in: network)
    #expect(piped.output == "\(line) from 10.1.0.77\n")
  }

  @Test func `a locale without UTF-8 has a block of ASCII`() throws {
    let network = try NetworkNamespace.wired()
    let environment = ["TERM": "xterm", "NO_COLOR": "1", "LC_ALL": "C"]
    let command = try watch(
      "10.9.0.1", "10.1.0.2", in: network, columns: 80, environment: environment)
    let output = try command.output { blocks($0) >= 2 }
    #expect(output.utf8.allSatisfy { $0 < 0x80 }, "\(output)")
    let rows = TerminalScreen(columns: 80, rows: 24, output).rows
    #expect(rows[2].wholeMatch(of: /10\.9\.0\.1 +xx?/) != nil, "\(rows)")
    #expect(rows[3].wholeMatch(of: /10\.1\.0\.2 +##?/) != nil, "\(rows)")
    #expect(rows[4].contains("# reachable  : partly  ? unknown  x not reachable"), "\(rows)")
  }

  @Test func `states have colours unless NO_COLOR is set`() throws {
    for (environment, colour) in [
      (["TERM": "xterm"], "\u{1b}[32m█"), (["TERM": "xterm", "NO_COLOR": "1"], " █"),
    ] {
      let command = try watch("127.0.0.1", in: .sample(), environment: environment)
      let output = try command.output { blocks($0) >= 1 }
      #expect(output.contains(colour))
      #expect(output.contains("\u{1b}[32m") == (environment.count == 1))
    }
  }

  @Test func `a terminal that changes its width gets a block of that width`() throws {
    let command = try watch("127.0.0.1", in: .sample(), columns: 90)
    _ = try command.output { blocks($0) >= 1 }
    for columns in [50, 120] {
      command.resize(columns: columns, rows: 24)
      let output = try command.output { output in
        let lines = output.components(separatedBy: "\u{1b}[?7l").last?.components(separatedBy: "\n") ?? []
        return lines.last?.hasPrefix("\(String(repeating: " ", count: 11))10 min ago") == true
          && lines.last?.contains("now\u{1b}[?7h") == true
          && lines.last?.prefix { $0 != "\u{1b}" }.count == columns - 1
      }
      // The rows that were drawn before are erased first.
      #expect(output.contains("\r\u{1b}[J\u{1b}[?7l127.0.0.1"))
    }
  }

  @Test func `a terminal without room shows the lines alone`() throws {
    let line = "TIME  127.0.0.1  reachable      lo (loopback) from 127.0.0.1\n"
    for (columns, rows) in [(20, 24), (90, 3)] {
      let command = try watch("127.0.0.1", "--timeout", "0s", in: .sample(), columns: columns, rows: rows)
      try #expect(command.finish() == Outcome(status: 0, output: line))
    }
  }

  @Test(arguments: [["TERM": "dumb", "NO_COLOR": "1"], ["TERM": "", "NO_COLOR": "1"]])
  func `a terminal that cannot move its cursor shows the lines alone`(environment: [String: String]) throws {
    let command = try watch("127.0.0.1", "--timeout", "0s", in: .sample(), environment: environment)
    let line = "TIME  127.0.0.1  reachable      lo (loopback) from 127.0.0.1\n"
    try #expect(command.finish() == Outcome(status: 0, output: line))
  }

  @Test func `a terminal that reports no height when the watch begins shows the lines alone`() throws {
    let command = try watch("127.0.0.1", in: .sample(), rows: 0)
    let line = "TIME  127.0.0.1  reachable      lo (loopback) from 127.0.0.1"
    try #expect(command.nextLine() == line)
    // The end would draw the block once more.
    command.resize(columns: 90, rows: 24)
    command.send(SIGTERM)
    try #expect(command.finish() == Outcome(status: 0, output: line + "\n"))
  }

  @Test func `JSON objects are followed by no block`() throws {
    let command = try watch("127.0.0.1", "--json", "--timeout", "0s", in: .sample())
    let piped = try reachability("watch", "127.0.0.1", "--json", "--timeout", "0s", in: .sample())
    try #expect(command.finish() == piped)
  }
}
#endif
