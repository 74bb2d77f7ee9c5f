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

  @Test(arguments: [["watch", "--timeout", "100ms"], ["wait", "--timeout", "100ms"]], [7, 8, 9, 10])
  func `a system that gives too few descriptors to hear of changes can't be asked`(
    _ arguments: [String], _ limit: Int
  ) throws {
    let outcome = try run(arguments, descriptors: limit)
    #expect(
      outcome
        == Outcome(
          status: 2,
          errors: """
            error: the kernel's network tables can't be read: could not prepare to wait for changes: \
            Too many open files

            """))
  }

  @Test(
    arguments: [["check"], ["watch", "--count", "9"], ["--help"]],
    [(">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")])
  func `data that can't be written is an error`(
    _ arguments: [String], _ sink: (redirection: String, error: String)
  ) throws {
    let command = try RunningCommand(
      arguments + ["127.0.0.1"], in: .sample(), through: "exec \"$@\" \(sink.redirection)")
    let outcome = try command.finish(within: .seconds(5))
    #expect(outcome == Outcome(status: 2, errors: "error: could not write the output: \(sink.error)\n"))
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
