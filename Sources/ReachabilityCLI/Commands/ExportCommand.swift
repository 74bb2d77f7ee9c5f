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
    let file = MetricsFile(invocation, monitor) { [invocation, output] error, isWritten in
      output.report(
        UsageError(
          "could not write \(invocation.metricsFile): \(error)",
          hint: "the command creates a file beside it, and renames that; check the folder and its file system"
        ))
      if !isWritten { end.reach(ExitStatus.trouble) }
    }
    // No other thread wakes up for a status; the files are written on another one.
    let statuses = invocation.distinctTargets.enumerated().map { position, named in
      monitor.observe(named.target, on: .monitorThread) { file.note(position, $0.status) }
    }
    let path = monitor.observePath(on: .monitorThread) { file.note($0.status) }
    let status = end.wait()
    withExtendedLifetime((statuses, path)) {}
    file.remove()
    return status
  }
}
