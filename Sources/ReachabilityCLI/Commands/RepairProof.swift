// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import CommandLineTargets
import Dispatch
import POSIX
import ReachabilityKit

/// The commands that `reachability-rehearse --repair` has tried for a target in copies of the network.
struct RepairProof {
  let named: NamedTarget

  /// The time that a search may take in all, and that of the program itself besides.
  private static let (timeLimit, grace) = (Duration.seconds(20), Duration.seconds(10))
  /// The longest output of the program that is read, in bytes: more than any report has.
  private static let outputLimit = 1 << 18

  /// Runs the program, and returns its report; `nil` if it has said why there is none.
  ///
  /// - Throws: What prevents the program from running, or its report from being read.
  func report() throws(UsageError) -> RepairReport? {
    let name = CommandSummary.rehearse.name
    let program = SeparateCommand.program(of: name)
    guard let path = InstalledProgram.path(of: program) else {
      throw SeparateCommand.missing(name, InstalledProgram.ownFolder)
    }
    let child = ChildProgram(at: path, arguments)
    guard let (status, output) = child.run(within: Self.timeLimit + Self.grace, upTo: Self.outputLimit),
      status != ExitStatus.trouble
    else { return nil }
    guard output.last == UInt8(ascii: "\n"), let report = RepairReport(line: output.dropLast()) else {
      throw UsageError(
        "\(program) has not reported which commands help", hint: "run \(program) by itself to see why")
    }
    return report
  }

  /// The arguments of the program.
  var arguments: [String] {
    let target = named.target
    var words = [named.text, "--repair", "--json", "--timeout", "\(Int(Self.timeLimit / .seconds(1)))s"]
    if let interface = target.interface, !named.text.contains("%") {
      words += ["--interface", "\(interface)"]
    }
    if let source = target.source { words += ["--from", "\(source)"] }
    if let mark = target.mark { words += ["--mark", "\(mark)"] }
    return words
  }
}
