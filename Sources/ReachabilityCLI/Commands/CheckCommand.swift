import Reachability

/// `reachability check`: the statuses now.
struct CheckCommand {
  private let invocation: Invocation
  private let monitor: NetworkMonitor
  private let output: StandardOutput

  init(_ invocation: Invocation, _ monitor: NetworkMonitor, _ output: StandardOutput) {
    self.invocation = invocation
    self.monitor = monitor
    self.output = output
  }

  func run() -> Int32 {
    let report = StatusReport(invocation, output)
    var exitStatus = ExitStatus.success
    for named in invocation.targets {
      let status = monitor.status(of: named.target)
      // A reader who went away changes nothing of what the exit status has to say.
      let result = report.write(named.text, status, .check)
      if case .failed = result { return output.exitStatus(result, else: ExitStatus.trouble) }
      exitStatus = max(exitStatus, status.exitStatus)
    }
    return exitStatus
  }
}

extension Status {
  /// What this status alone makes the exit status.
  fileprivate var exitStatus: Int32 {
    switch state {
    case .reachable: ExitStatus.success
    case .notReachable: ExitStatus.negative
    case .unknown: ExitStatus.trouble
    }
  }
}
