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
