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
  /// Prepares the file of a command line, which ends the run if it cannot be created; `nil` if there is none, or no lock.
  convenience init?(
    _ invocation: Invocation, _ monitor: ReachabilityMonitor, _ output: StandardOutput, _ end: EndOfRun,
    pausing pause: (@Sendable (_ body: (LineTime) -> Void) -> Void)? = nil
  ) {
    guard let metrics = invocation.metrics else { return nil }
    let lock: FileLock
    do throws(FileLock.Failure) {
      lock = try FileLock(for: metrics.path)
    } catch {
      output.report(UsageError(error, of: metrics.path))
      end.reach(ExitStatus.trouble)
      return nil
    }
    let names = invocation.targets.map(\.text)
    self.init(metrics, lock, of: names, monitor, pausing: pause) { error, isWritten in
      output.report(UsageError(.system(error), of: metrics.path))
      if !isWritten { end.reach(ExitStatus.trouble) }
    }
  }
}

extension UsageError {
  /// A file of metrics that cannot be written.
  fileprivate init(_ failure: FileLock.Failure, of path: String) {
    switch failure {
    case .inUse: self.init("another command writes \(path)", hint: "end it, or give another file")
    case .system(let error):
      self.init(
        "could not write \(path): \(error)",
        hint: "the command creates files beside it, and renames one; check the folder and its file system")
    }
  }
}
