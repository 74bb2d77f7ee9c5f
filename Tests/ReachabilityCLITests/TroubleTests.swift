#if os(Linux)
import Testing

@Suite(.needsNamespaces) struct `Trouble` {
  @Test(arguments: [["check"], ["watch", "--json"], ["wait"]], [4, 5, 6])
  func `a system that gives no sockets can't be asked`(_ arguments: [String], _ limit: Int) throws {
    let outcome = try run(arguments, descriptors: limit)
    #expect(
      outcome
        == Outcome(
          status: 2,
          errors: """
            error: the kernel's network tables can't be read: could not open a netlink socket: \
            Too many open files

            """))
  }

  @Test(arguments: [7, 8, 9])
  func `a system that gives too few descriptors can't be asked`(_ limit: Int) throws {
    let outcome = try run(["watch"], descriptors: limit)
    #expect(
      outcome
        == Outcome(
          status: 2,
          errors: """
            error: the kernel's network tables can't be read: could not prepare to wait for changes: \
            Too many open files

            """))
  }

  @Test(arguments: [["watch", "--timeout", "100ms"], ["wait", "--timeout", "100ms"]], [10, 11, 12, 13])
  func `too few descriptors to hear of changes end the command with an error`(
    _ arguments: [String], _ limit: Int
  ) throws {
    let outcome = try run(arguments + ["127.0.0.1"], descriptors: limit)
    #expect(outcome == Outcome(status: 2, errors: outcome.errors))
    #expect(outcome.errors.hasPrefix("error: ") && outcome.errors.hasSuffix(": Too many open files\n"))
  }

  @Test(arguments: [["check"], ["watch"], ["--help"]])
  func `data that can't be written is an error`(_ arguments: [String]) throws {
    let command = try RunningCommand(
      arguments + ["127.0.0.1"], in: .sample(), through: "exec \"$@\" >/dev/full")
    let outcome = try command.finish(within: .seconds(5))
    #expect(outcome == Outcome(status: 2, errors: outcome.errors))
    #expect(outcome.errors.hasPrefix("error: ") && outcome.errors.hasSuffix(": No space left on device\n"))
  }

  @Test func `an output that is closed from the start changes nothing of the exit status`() throws {
    for (target, status) in [("127.0.0.1", 0), ("10.66.1.1", 1)] as [(String, Int32)] {
      let command = try RunningCommand([target], in: .sample(), through: "exec \"$@\" >&-")
      #expect(try command.finish() == Outcome(status: status))
    }
  }

  /// Runs the command with so many descriptors at most, of which three are its streams.
  private func run(_ arguments: [String], descriptors limit: Int) throws -> Outcome {
    let shell = """
      for number in 3 4 5 6 7 8 9; do eval "exec $number>&-"; done
      ulimit -n \(limit)
      exec "$@"
      """
    return try RunningCommand(arguments, in: .sample(), through: shell).finish(within: .seconds(5))
  }
}
#endif
