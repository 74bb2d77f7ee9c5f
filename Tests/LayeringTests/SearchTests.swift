// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Testing

/// The command lines of the programs that search for unknown faults.
@Suite(.deadline) struct SearchTests {
  private static let programs = [
    "RandomWalk": "scripts/search walk", "RandomBoots": "scripts/search boots",
    "RandomTraffic": "scripts/search traffic", "Soak": "scripts/search soak", "Truth": "Benchmarks/truth",
  ]

  private func run(_ program: String, _ arguments: String...) throws -> Script {
    try Script(Executable(program).path, arguments, in: Script.package)
  }

  @Test(arguments: programs) func `help names the runner of the program`(program: String, runner: String)
    throws
  {
    let help = try run(program, "--help")
    #expect(help.output.contains("\nUsage: \(runner) [OPTION…]\n"))
    #expect(help.output.contains("\n  77 skipped") && !help.output.contains("man reachability"))
    #expect(help.status == 0)
  }

  @Test(arguments: programs) func `an unknown option or an operand is an error`(
    program: String, runner: String
  ) throws {
    for (argument, problem) in [("--frob", "unknown option --frob"), ("frob", "unexpected argument 'frob'")] {
      let run = try run(program, argument)
      #expect(run.errors == "error: \(problem)\nhint: '\(runner) --help' lists the options\n")
      #expect(run.output == "" && run.status == 2)
    }
  }

  @Test(arguments: [["--seed", "-1"], ["--seed=x"], ["--boots", "9999999999"], ["--first", ""]])
  func `a value that is no number in range is an error`(arguments: [String]) throws {
    let run = try Script(Executable("RandomBoots").path, arguments, in: Script.package)
    #expect(run.errors.hasPrefix("error: invalid value"))
    #expect(run.errors.hasSuffix("\nhint: give a whole number from 0 to 999999999\n"))
    #expect(run.status == 2)
  }
}
#endif
