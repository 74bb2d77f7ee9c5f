import CommandLineSupport
import ReachabilityKit
import Synchronization

/// `reachability path`: the interfaces that packets leave by, and with `--watch` each change.
struct PathCommand {
  let invocation: Invocation
  let monitor: ReachabilityMonitor
  let output: StandardOutput

  func run() throws(ReachabilityMonitorError) -> Int32 {
    if invocation.isWatching { return try watch() }
    let path = monitor.path(invocation.requirements)
    let evidence = invocation.showsEvidence ? PathEvidence(path, invocation.requirements, monitor) : nil
    let result = PathReport(invocation, output).write(path, .check, evidence)
    if case .failed = result { return output.exitStatus(result, else: ExitStatus.trouble) }
    return path.exitStatus
  }

  private func watch() throws(ReachabilityMonitorError) -> Int32 {
    let end = EndOfRun()
    let report = PathReport(invocation, output)
    let linesLeft = Mutex(invocation.count)
    try end.reachWhenStopped(reading: output, startingThread: startThread)
    let timeout = Timeout(after: invocation.timeout, initialValues: 1) { end.reach(ExitStatus.success) }
    let observation = PathWatch.start(
      invocation, monitor, areAlike: report.areAlike, isSameEvidence: report.isSameEvidence
    ) { path, event, evidence in
      guard !end.isReached else { return }
      let result = report.write(path, event, evidence)
      if event == .initial { timeout.noteInitial() }
      let isLast = linesLeft.withLock { left in
        if event != .evidence { left = left.map { $0 - 1 } }
        return left == 0
      }
      if isLast || result != .written { end.reach(output.exitStatus(result, else: ExitStatus.success)) }
    }
    defer { withExtendedLifetime(observation) {} }
    return end.wait()
  }
}

extension ReachabilityPath {
  /// The exit status of a command that prints this path.
  fileprivate var exitStatus: Int32 {
    switch status {
    case .satisfied: ExitStatus.success
    case .unsatisfied, .requiresConnection: ExitStatus.negative
    case .unknown: ExitStatus.trouble
    }
  }
}
