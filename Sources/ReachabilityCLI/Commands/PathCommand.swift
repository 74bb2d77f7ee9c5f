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
    let evidence =
      invocation.showsEvidence ? PathEvidence(path, invocation.requirements, monitor: monitor) : nil
    let result = PathReport(invocation, output).write(path, as: .check, evidence: evidence)
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
      invocation, monitor: monitor, areAlike: report.areAlike, isSameEvidence: report.isSameEvidence
    ) { path, event, evidence in
      guard !end.isReached else { return }
      let result = report.write(path, as: event, evidence: evidence)
      if event == .initial { timeout.recordInitial() }
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

/// The observation of the path and, with `--evidence`, of its evidence.
enum PathWatch {
  /// Receives a path in the order of events: the current one, a change, or one of which only the evidence changed.
  typealias Handler = @Sendable (ReachabilityPath, RecordSchema.Event, PathEvidence?) -> Void

  /// Starts the observation, which lasts as long as the result.
  ///
  /// - Parameters:
  ///   - invocation: The command line, with the requirements of the path.
  ///   - monitor: The monitor to ask.
  ///   - areAlike: Whether two paths are the same to the reader.
  ///   - isSameEvidence: Whether the evidence on two paths is the same to the reader.
  ///   - handler: The handler, called under a lock that keeps the order.
  static func start(
    _ invocation: Invocation, monitor: ReachabilityMonitor,
    areAlike: @escaping @Sendable (ReachabilityPath, ReachabilityPath) -> Bool = { $0 == $1 },
    isSameEvidence: @escaping @Sendable (PathEvidence, PathEvidence) -> Bool = { $0.meansSame(as: $1) },
    _ handler: @escaping Handler
  ) -> ReachabilityObservation {
    let requirements = invocation.requirements
    let watch = invocation.showsEvidence ? EvidenceWatch(monitor) : nil
    let last = Mutex<(path: ReachabilityPath, evidence: PathEvidence?)?>(nil)
    @Sendable func evidence(on path: ReachabilityPath) -> PathEvidence? {
      watch.map { _ in PathEvidence(path, requirements, monitor: monitor) }
    }
    return monitor.observePath(requirements, on: .monitorThread) { path in
      let isNews = last.withLock { last in
        if let last, areAlike(last.path, path) { return false }
        let event = last == nil ? RecordSchema.Event.initial : .change
        let evidence = evidence(on: path)
        last = (path, evidence)
        handler(path, event, evidence)
        return true
      }
      guard isNews else { return }
      watch?.follow(subjects(of: path, requirements)) { _ in
        // Another thread has the evidence.
        last.withLock { last in
          guard let (path, before) = last, let before, let now = evidence(on: path),
            !isSameEvidence(now, before)
          else { return }
          last = (path, now)
          handler(path, .evidence, now)
        }
      }
    }
  }

  /// What decides the evidence on a path.
  private static func subjects(
    of path: ReachabilityPath, _ requirements: ReachabilityPath.Requirements
  ) -> Set<EvidenceWatch.Subject> {
    let target = PathEvidence.target(of: path, requirements)
    return Set(
      [target.map { .target(0, $0) }].compactMap(\.self)
        + path.interfaces.map { .interface($0.interface.index) })
  }
}
