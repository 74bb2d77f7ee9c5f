import CommandLineSupport
import ReachabilityKit

/// `reachability wait`: the wait until the targets have the requested state, and endpoints answer.
struct WaitCommand {
  let invocation: Invocation
  let monitor: ReachabilityMonitor
  let output: StandardOutput

  func run() throws(ReachabilityMonitorError) -> Int32 {
    let verification: EndpointWait?
    if invocation.endpoints.isEmpty {
      verification = nil
    } else if let program = Execution.path(of: SeparateCommand.program(of: "verify")) {
      verification = EndpointWait(for: invocation.endpoints, verifiedBy: program, output)
    } else {
      output.report(SeparateCommand.missing("verify", Execution.folder))
      return ExitStatus.trouble
    }
    let end = EndOfRun()
    let report = StatusReport(invocation, output)
    let progress = WaitProgress(invocation, ServiceManager())

    let timeout = Timeout(after: invocation.timeout, initialValues: invocation.targets.count) {
      end.reach(ExitStatus.negative)
    }
    if invocation.isJSON {
      // The reader of the objects is the program that waits: without it, the wait has no use.
      try startThread(named: "reader") {
        output.waitUntilClosed()
        end.reach(ExitStatus.trouble)
      }
    }
    if let verification { try startThread(named: "verify") { verification.run(until: end) } }
    let observations = invocation.targets.enumerated().map { position, named in
      monitor.observe(named.target, settling: invocation.settling, on: .monitorThread) { event in
        guard !end.isReached else { return }
        if invocation.isJSON {
          _ = report.write(
            position, event.status, event.isInitial ? .initial : .change, previous: event.previous)
        }
        let isDone = progress.note(event.status, at: position)
        defer { if event.isInitial { timeout.noteInitial() } }
        verification?.noteTargets(areAsRequested: isDone)
        if isDone, verification == nil {
          end.reach(ExitStatus.success)
        } else if output.isInteractive, !progress.isWanted(event.status) {
          output.say(
            "waiting for \(named.text.escapedForTerminal): \(progress.text(of: event.status).escapedForTerminal)"
          )
        }
      }
    }
    defer { withExtendedLifetime(observations) {} }
    let exitStatus = end.wait()
    verification?.stop()
    if exitStatus == ExitStatus.success { progress.reportEnd() }
    if exitStatus == ExitStatus.negative { reportMissing(progress, verification) }
    return exitStatus
  }

  /// The number of targets that are explained: with more, the first ones show what is missing.
  private static var explainedTargets: Int { 16 }

  private func reportMissing(_ progress: WaitProgress, _ verification: EndpointWait?) {
    let missing = progress.missing
    for (position, (named, status)) in missing.enumerated() {
      let text = progress.text(of: status)
      output.say("timed out: \(named.text.escapedForTerminal) is \(text.escapedForTerminal)")
      guard invocation.isWaitingForReachable, position < Self.explainedTargets else { continue }
      if status?.endsAtGateway == true {
        output.say("  advice: Check that the router advertises a prefix, or add an address that it forwards.")
        continue
      }
      for step in monitor.explain(named.target).steps where step.verdict == .failed {
        if let problem = step.problem { output.say("  problem: \(problem.escapedForTerminal)") }
        if let advice = step.advice { output.say("  advice: \(advice.escapedForTerminal)") }
      }
    }
    guard missing.isEmpty, let lines = verification?.lastResult else { return }
    output.say("timed out: \(lines.first ?? "no endpoint has answered yet")")
    for line in lines.dropFirst() { output.say(line) }
  }
}
