// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import CommandLineTargets
import ReachabilityKit
import ReachabilityRehearsal

/// The command: runs arguments, and returns an exit status.
struct RehearseTool {
  var output: StandardOutput
  /// The number of bytes of a command's output that are shown.
  private static let outputLimit = 1 << 20

  /// Runs the arguments; the first one is the program's name.
  func run(_ arguments: [Argument]) async -> Int32 {
    // What follows is another command's, and has its own options.
    let end = arguments.firstIndex { $0.text == "--" } ?? arguments.endIndex
    let command = arguments[end...].dropFirst().map(\.text)
    var chosen: (invocation: RehearseInvocation, output: StandardOutput)?
    let status = RehearseInvocation.description.run(
      Array(arguments[..<end]), output: output,
      reading: { parsed throws(UsageError) in try RehearseInvocation(parsed, command: command) }
    ) {
      chosen = ($0, $1)
      return ExitStatus.success
    }
    guard let chosen else { return status }
    return await RehearseTool(output: chosen.output).run(chosen.invocation)
  }

  private func run(_ invocation: RehearseInvocation) async -> Int32 {
    do throws(NetworkRehearsalError) {
      if invocation.isRepair, let target = invocation.targets.first {
        return try await repair(target, invocation)
      }
      let rehearsal = try await NetworkRehearsal(of: invocation.targets.map(\.target))
      for command in invocation.commands {
        if let problem = try problem(of: command, in: rehearsal, invocation) {
          output.report(problem)
          return ExitStatus.trouble
        }
      }
      var status = write(rehearsal.differences(), of: rehearsal, invocation)
      if invocation.keepsCopy {
        output.say("A shell in the copy; 'exit' leaves it, and the copy vanishes.")
        _ = try rehearsal.runShell()
        status = write(rehearsal.differences(), of: rehearsal, invocation)
      }
      return status
    } catch {
      output.report(UsageError(error.description, hint: error.hint ?? "see 'reachability rehearse --help'"))
      return ExitStatus.trouble
    }
  }

  /// Runs a command, and returns why its effects are not to be judged; `nil` if it succeeded.
  private func problem(
    of command: [String], in rehearsal: NetworkRehearsal, _ invocation: RehearseInvocation
  ) throws(NetworkRehearsalError) -> UsageError? {
    var text: [UInt8] = []
    let end = try rehearsal.run(command, timeout: invocation.timeout, outputLimit: Self.outputLimit) {
      text += $0
    }
    let shown = String(decoding: text, as: UTF8.self).escapedButLines
    if !shown.isEmpty { output.say(shown.hasSuffix("\n") ? String(shown.dropLast()) : shown) }
    if text.count >= Self.outputLimit { output.say("the rest of the output is left out") }
    let name = command[0].escapedForTerminal
    switch end {
    case .exited(0): return nil
    case .exited(let status):
      return UsageError(
        "'\(name)' failed with the exit status \(status), so its change is not judged",
        hint:
          "see its own message; what asks a service of this machine, or changes a firewall, cannot be rehearsed"
      )
    case .signalled(let signal):
      return UsageError("the signal \(signal) ended '\(name)'", hint: "try another command")
    case .timedOut:
      return UsageError("'\(name)' did not end in time", hint: "give a longer --timeout, or another command")
    case .notStarted(let reason):
      return UsageError(reason.escapedForTerminal, hint: "give a command that is installed, after --")
    }
  }

  /// Looks for a command that makes a target reachable.
  private func repair(
    _ target: NamedTarget, _ invocation: RehearseInvocation
  ) async throws(NetworkRehearsalError) -> Int32 {
    if output.isInteractive, !invocation.isJSON { output.say("trying commands in copies of this network") }
    let repairs = try await NetworkRepair.search(for: target.target, timeout: invocation.timeout)
    if repairs == nil {
      output.say("\(target.text.escapedForTerminal) is reachable: there is nothing to repair")
    }
    let report = RepairReport(of: target.text, (repairs ?? []).map { .init($0, of: target) })
    let lines = repairs == nil ? [] : report.lines
    let text =
      invocation.isJSON ? report.jsonObject(at: .now).text + "\n" : lines.map { $0 + "\n" }.joined()
    let isGood = repairs?.contains(where: \.helps) ?? true
    return output.exitStatus(output.write(text), else: isGood ? ExitStatus.success : ExitStatus.negative)
  }

  private func write(
    _ differences: RehearsalDifferences, of rehearsal: NetworkRehearsal, _ invocation: RehearseInvocation
  ) -> Int32 {
    let names = invocation.targets.map(\.text)
    let text =
      invocation.isJSON
      ? JSONObject(differences, names: names, missing: rehearsal.missingParts).text + "\n"
      : output.characters.spelling(differences.lines(names: names, missing: rehearsal.missingParts, output))
    return output.exitStatus(
      output.write(text), else: differences.nothingIsLost ? ExitStatus.success : ExitStatus.negative)
  }
}

extension RepairReport.Repair {
  fileprivate init(_ repair: NetworkRepair, of target: NamedTarget) {
    self.init(
      command: repair.command, isAdvice: repair.isAdvice,
      outcome: repair.helps ? .helps : repair.doubt == nil ? .doesNotHelp : .unknown,
      subject: repair.subject == target.target ? target.text : "the name server \(repair.subject)",
      result: repair.doubt ?? repair.status.description, condition: repair.condition,
      warnings: repair.warnings,
      affectedConnections: repair.affectedConnections)
  }
}

extension String {
  /// The text for a terminal, with its line feeds and tabs.
  fileprivate var escapedButLines: String {
    split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0).escapedForTerminal }
        .joined(separator: "\t")
    }.joined(separator: "\n")
  }
}
