import Reachability

/// `reachability explain`: what decides a target's status, step by step.
struct ExplainCommand {
  private let invocation: Invocation
  private let monitor: NetworkMonitor
  private let output: StandardOutput

  init(_ invocation: Invocation, _ monitor: NetworkMonitor, _ output: StandardOutput) {
    self.invocation = invocation
    self.monitor = monitor
    self.output = output
  }

  func run() -> Int32 {
    let report = ExplanationReport(invocation, output)
    var exitStatus = ExitStatus.success
    for named in invocation.targets {
      // What a name stands for is known, and kept, once its status is.
      _ = PendingStatus(of: named, monitor).wait(telling: output)
      let explanation = monitor.explain(named.target)
      let result = report.write(named.text, explanation)
      if case .failed = result { return output.exitStatus(result, else: ExitStatus.trouble) }
      exitStatus = max(exitStatus, explanation.status.exitStatus)
    }
    return exitStatus
  }
}
