import CommandLineSupport
import ReachabilityKit

/// `reachability check`: the current statuses.
struct CheckCommand {
  let invocation: Invocation
  let monitor: ReachabilityMonitor
  let output: StandardOutput

  func run() -> Int32 {
    let report = StatusReport(invocation, output)
    var exitStatus = ExitStatus.success
    // All pending statuses start first, so that names resolve concurrently.
    let pending = invocation.targets.map { PendingStatus(of: $0, monitor) }
    for (position, pending) in pending.enumerated() {
      let status = pending.wait(reportingTo: output)
      // A reader that closes the output does not change the exit status.
      let result = report.write(position, status, .check)
      if case .failed = result { return output.exitStatus(result, else: ExitStatus.trouble) }
      exitStatus = max(exitStatus, status.exitStatus)
    }
    return exitStatus
  }
}
