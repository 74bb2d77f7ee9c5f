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
    let result = PathReport(invocation, output).write(path, .check, evidence(on: path))
    if case .failed = result { return output.exitStatus(result, else: ExitStatus.trouble) }
    return path.exitStatus
  }

  private func watch() throws(ReachabilityMonitorError) -> Int32 {
    let end = EndOfRun()
    let report = PathReport(invocation, output)
    let written = Mutex<(count: Int, path: ReachabilityPath?, evidence: PathEvidence?)>((0, nil, nil))
    try end.reachWhenStopped(reading: output, startingThread: startThread)
    let timeout = Timeout(after: invocation.timeout, initialValues: 1) { end.reach(ExitStatus.success) }

    @Sendable func stop(after result: WriteResult, isLast: Bool) {
      if isLast || result != .written { end.reach(output.exitStatus(result, else: ExitStatus.success)) }
    }
    let watch = invocation.showsEvidence ? EvidenceWatch(monitor) : nil
    let observation = monitor.observePath(invocation.requirements, on: .monitorThread) { path in
      guard !end.isReached else { return }
      // The lock keeps the order of paths and evidence, which another thread writes.
      let (count, result) = written.withLock { written -> (Int, WriteResult) in
        if let last = written.path, report.areAlike(last, path) { return (0, .written) }
        written = (written.count + 1, path, evidence(on: path))
        return (written.count, report.write(path, written.count == 1 ? .initial : .change, written.evidence))
      }
      guard count > 0 else { return }
      if count == 1 { timeout.noteInitial() }
      stop(after: result, isLast: count == invocation.count)
      watch?.follow(subjects(of: path)) { _ in
        guard !end.isReached else { return }
        let result = written.withLock { written -> WriteResult in
          guard let path = written.path, let last = written.evidence, let now = evidence(on: path),
            !now.meansSame(as: last)
          else { return .written }
          written.evidence = now
          return report.write(path, .evidence, now)
        }
        stop(after: result, isLast: false)
      }
    }
    defer { withExtendedLifetime(observation) {} }
    return end.wait()
  }

  /// Returns the evidence on a path, or `nil` without `--evidence`.
  private func evidence(on path: ReachabilityPath) -> PathEvidence? {
    invocation.showsEvidence ? PathEvidence(path, invocation.requirements, monitor) : nil
  }

  /// What decides the evidence on a path.
  private func subjects(of path: ReachabilityPath) -> Set<EvidenceWatch.Subject> {
    let target = PathEvidence.target(of: path, invocation.requirements)
    return Set(
      [target.map { .target(0, $0) }].compactMap(\.self)
        + path.interfaces.map { .interface($0.interface.index) })
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
