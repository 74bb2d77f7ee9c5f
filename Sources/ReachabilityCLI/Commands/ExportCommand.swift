import CommandLineSupport
import ReachabilityKit

/// `reachability export`: a file of metrics for node_exporter, kept up to date.
struct ExportCommand {
  let invocation: Invocation
  let monitor: ReachabilityMonitor
  let output: StandardOutput

  func run() throws(ReachabilityMonitorError) -> Int32 {
    let end = EndOfRun()
    try end.reachWhenTerminated(startingThread: startThread)
    let file = MetricsFile(invocation, monitor, output, end)
    // The handlers only count, so no change waits for the disk.
    let statuses = invocation.targets.enumerated().map { position, named in
      monitor.observe(named.target, on: .monitorThread) { file?.note(position, $0.status) }
    }
    let path = monitor.observePath(on: .monitorThread) { file?.note($0) }
    let status = end.wait()
    withExtendedLifetime((statuses, path)) {}
    file?.remove()
    return status
  }
}

extension MetricsFile {
  /// Prepares the file of a command line, which ends the run if it cannot be created; `nil` if there is none.
  convenience init?(
    _ invocation: Invocation, _ monitor: ReachabilityMonitor, _ output: StandardOutput, _ end: EndOfRun,
    pausing pause: (@Sendable (_ body: (LineTime) -> Void) -> Void)? = nil
  ) {
    guard let metrics = invocation.metrics else { return nil }
    self.init(metrics, of: invocation.targets.map(\.text), monitor, pausing: pause) { error, isWritten in
      output.report(
        UsageError(
          "could not write \(metrics.path): \(error)",
          hint: "the command creates a file beside it, and renames that; check the folder and its file system"
        ))
      if !isWritten { end.reach(ExitStatus.trouble) }
    }
  }
}
