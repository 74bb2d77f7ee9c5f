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
    let result = PathReport(invocation, output).write(path, .check)
    if case .failed = result { return output.exitStatus(result, else: ExitStatus.trouble) }
    return path.exitStatus
  }

  private func watch() throws(ReachabilityMonitorError) -> Int32 {
    let end = EndOfRun()
    let report = PathReport(invocation, output)
    let written = Mutex<(count: Int, path: ReachabilityPath?)>((0, nil))
    try end.reachWhenStopped(reading: output, startingThread: startThread)
    let timeout = Timeout(after: invocation.timeout, initialValues: 1) { end.reach(ExitStatus.success) }

    let observation = monitor.observePath(invocation.requirements, on: .monitorThread) { path in
      guard !end.isReached else { return }
      let count = written.withLock { written -> Int? in
        if let last = written.path, report.areAlike(last, path) { return nil }
        written = (written.count + 1, path)
        return written.count
      }
      guard let count else { return }
      let result = report.write(path, count == 1 ? .initial : .change)
      if count == 1 { timeout.noteInitial() }
      if count == invocation.count || result != .written {
        end.reach(output.exitStatus(result, else: ExitStatus.success))
      }
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
