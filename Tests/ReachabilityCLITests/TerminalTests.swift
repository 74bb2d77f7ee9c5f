// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import LiveSupport
import Testing

@Suite(.needsNamespaces, .deadline) struct `On a terminal` {
  @Test(arguments: [[:], ["NO_COLOR": ""]])
  func `statuses are coloured`(_ environment: [String: String]) throws {
    let command = try RunningCommand(
      ["10.1.0.2", "10.66.1.1"], in: .sample(), terminals: [.output], environment: environment)
    let outcome = try command.finish()
    #expect(
      outcome
        == Outcome(
          status: 1,
          output: """
            10.1.0.2   \u{1b}[32mreachable    \u{1b}[0m  eth0 (wired) from 10.1.0.1
            10.66.1.1  \u{1b}[31mnot reachable\u{1b}[0m  a route or rule discards packets

            """))
  }

  @Test func `a watch is coloured`() throws {
    let command = try RunningCommand(
      ["watch", "127.0.0.1", "--count", "1"], in: .sample(), terminals: [.output, .errors])
    let outcome = try command.finish()
    let line = "TIME  127.0.0.1  \u{1b}[32mreachable    \u{1b}[0m  lo (loopback) from 127.0.0.1\n"
    #expect(outcome == Outcome(status: 0, output: line))
  }

  @Test func `NO_COLOR turns colours off`() throws {
    let command = try RunningCommand(
      ["10.1.0.2", "10.66.1.1"], in: .sample(), terminals: [.output, .errors],
      environment: ["NO_COLOR": "1"])
    let outcome = try command.finish()
    #expect(
      outcome
        == Outcome(
          status: 1,
          output: """
            10.1.0.2   reachable      eth0 (wired) from 10.1.0.1
            10.66.1.1  not reachable  a route or rule discards packets

            """))
  }

  @Test(
    arguments: [
      ([], ["--color=always"], [:], true), ([], ["--color", "always"], ["NO_COLOR": "1"], true),
      ([], ["--color=auto"], [:], false), ([.output], ["--color=auto"], [:], true),
      ([.output], ["--color=auto"], ["NO_COLOR": "1"], false), ([.output], ["--color=never"], [:], false),
    ] as [(Set<RunningCommand.Stream>, [String], [String: String], Bool)])
  func `--color decides about colours before the terminal and NO_COLOR do`(
    terminals: Set<RunningCommand.Stream>, option: [String], environment: [String: String], isColoured: Bool
  ) throws {
    for words in [["check", "127.0.0.1"], ["explain", "127.0.0.1"], ["path"]] {
      let command = try RunningCommand(
        words + option, in: .sample(), terminals: terminals, environment: environment)
      let outcome = try command.finish()
      #expect(
        outcome.status == 0 && outcome.output.contains("\u{1b}[32m") == isColoured, "\(words) \(outcome)")
    }
  }

  @Test func `--color colours no object, and has three values`() throws {
    #expect(try !reachability("::1", "--json", "--color=always", in: .sample()).output.contains("\u{1b}"))
    #expect(
      try reachability("::1", "--color=yes")
        == Outcome(
          status: 2,
          errors: "error: invalid value 'yes' for --color\nhint: give 'auto', 'always' or 'never'\n"))
  }

  @Test(arguments: [60, 80, 140])
  func `an explanation has no line that is wider than the terminal, and the words of a pipe`(columns: Int)
    throws
  {
    let network = try NetworkNamespace.wired()
    try network.ip("link set eth0 down")
    let piped = try reachability("explain", "10.9.0.1", in: network)
    try #require(piped.output.split(separator: "\n").contains { $0.count > 60 })
    let command = try RunningCommand(
      ["explain", "10.9.0.1"], in: network, terminals: [.output], size: (columns, 24),
      environment: ["NO_COLOR": "1"])
    let outcome = try command.finish()
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= columns }, "\(outcome.output)")
    #expect(
      outcome.output.split { $0 == " " || $0 == "\n" } == piped.output.split { $0 == " " || $0 == "\n" })
    // What continues a line stands below its beginning, never at the edge.
    #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("  ") || $0.hasPrefix("IPv") }, "\(outcome.output)")
  }

  @Test func `a command that advice names stays on one line, so that it can be copied`() throws {
    let network = try NetworkNamespace.sample()
    let command = try RunningCommand(
      ["explain", "10.66.1.1"], in: network, terminals: [.output], size: (60, 24),
      environment: ["NO_COLOR": "1"])
    let lines = try command.finish().output.split(separator: "\n").map { $0.drop { $0 == " " } }
    #expect(lines.contains("ip route del blackhole 10.66.1.0/24 table main."), "\(lines)")
  }

  @Test func `JSON objects are not coloured`() throws {
    let command = try RunningCommand(["::1", "--json"], in: .sample(), terminals: [.output, .errors])
    let piped = try reachability("::1", "--json", in: .sample())
    try #expect(command.finish() == piped)
  }

  @Test func `errors are coloured if standard error is a terminal`() throws {
    let outcome = try RunningCommand(["one..example", "1.2.3"], terminals: [.errors]).finish()
    #expect(
      outcome
        == Outcome(
          status: 2,
          errors: """
            \u{1b}[1;31merror\u{1b}[0m: 'one..example' is not a host name: it has an empty part between dots
            \u{1b}[1;31merror\u{1b}[0m: '1.2.3' is not an IP address
            \(targetHint)

            """))
  }

  @Test(arguments: [([.output], [:]), ([.errors], ["NO_COLOR": "1"])] as [Terminals])
  func `errors are plain if standard error is no terminal or NO_COLOR is set`(_ case: Terminals) throws {
    let (terminals, environment) = `case`
    let outcome = try RunningCommand(["1.2.3"], terminals: terminals, environment: environment).finish()
    #expect(outcome == Outcome(status: 2, errors: "error: '1.2.3' is not an IP address\n\(targetHint)\n"))
  }

  typealias Terminals = (Set<RunningCommand.Stream>, [String: String])

  @Test func `data is plain if only standard error is a terminal`() throws {
    let outcome = try RunningCommand(["127.0.0.1"], in: .sample(), terminals: [.errors]).finish()
    let line = "127.0.0.1  reachable      lo (loopback) from 127.0.0.1\n"
    #expect(outcome == Outcome(status: 0, output: line))
  }

  @Test func `a wait prints the target that it waits for`() throws {
    let network = try NetworkNamespace.wired()
    let command = try RunningCommand(["wait", "10.1.0.2", "default"], in: network, terminals: [.errors])
    let line = try command.nextLine(of: .errors)
    try network.ip("route add default via 10.1.0.254")
    let outcome = try command.finish()
    #expect(line == "waiting for default: not reachable: no route")
    #expect(outcome == Outcome(status: 0, errors: line + "\n"))
  }

  @Test func `a wait prints nothing if no target is pending`() throws {
    let command = try RunningCommand(["wait", "127.0.0.1"], in: .sample(), terminals: [.output, .errors])
    try #expect(command.finish() == Outcome(status: 0))
  }

  @Test func `interface names are escaped in the messages of a wait`() throws {
    let network = try NetworkNamespace.wired()
    try network.ip(["link", "set", "eth0", "name", "a\u{1b}[31mb"])
    let command = try RunningCommand(
      ["wait", "--until", "unreachable", "fe80::2%a\u{1b}[31mb", "--timeout", "1s"], in: network,
      terminals: [.errors])
    let outcome = try command.finish()
    #expect(
      outcome
        == Outcome(
          status: 1,
          errors: #"""
            waiting for fe80::2%a\u{1b}[31mb: reachable a\u{1b}[31mb (wired) from fe80::1
            timed out: fe80::2%a\u{1b}[31mb is reachable a\u{1b}[31mb (wired) from fe80::1

            """#))
  }

  @Test func `a closed terminal ends a watch silently`() throws {
    let command = try RunningCommand(["watch", "127.0.0.1"], in: .sample(), terminals: [.output])
    let line = try command.nextLine()
    command.closeOutput()
    try #expect(command.finish() == Outcome(status: 0, output: line + "\n"))
  }
}
#endif
