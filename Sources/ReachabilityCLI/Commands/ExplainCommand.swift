import CommandLineSupport
import Reachability

/// `reachability explain`: what decides a target's status, step by step.
struct ExplainCommand {
  let invocation: Invocation
  let monitor: NetworkMonitor
  let output: StandardOutput

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
