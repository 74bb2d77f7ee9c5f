import CommandLineSupport
import Dispatch
import POSIX
import ReachabilityKit
import Synchronization

/// `reachability export`: a file of metrics for node_exporter, kept up to date.
struct ExportCommand {
  let invocation: Invocation
  let monitor: ReachabilityMonitor
  let output: StandardOutput

  func run() throws(ReachabilityMonitorError) -> Int32 {
    let end = EndOfRun()
    try end.reachWhenTerminated(startingThread: startThread)
    let file = MetricsFile(invocation, monitor: monitor, output: output, end: end)
    // The handlers only count, so no change waits for the disk.
    let statuses = invocation.targets.enumerated().map { position, named in
      monitor.observe(named.target, on: .monitorThread) { file?.record(position, $0.status) }
    }
    let path = monitor.observePath(on: .monitorThread) { file?.record($0) }
    let status = end.wait()
    withExtendedLifetime((statuses, path)) {}
    file?.remove()
    return status
  }
}

extension MetricsFile {
  /// Prepares the file of a command line, which ends the run if it cannot be created; `nil` if there is none, or no lock.
  convenience init?(
    _ invocation: Invocation, monitor: ReachabilityMonitor, output: StandardOutput, end: EndOfRun,
    pausing pause: (@Sendable (_ body: (LineTime) -> Void) -> Void)? = nil
  ) {
    guard let metrics = invocation.metrics else { return nil }
    let lock: FileLock
    do throws(RecordFile.Failure) {
      // The file replaces a link.
      lock = try FileLock(RecordLocation(metrics.path, followingLink: false))
    } catch {
      output.report(UsageError(error, of: metrics.path))
      end.reach(ExitStatus.trouble)
      return nil
    }
    let names = invocation.targets.map(\.text)
    self.init(metrics, lock: lock, of: names, monitor: monitor, pausing: pause) { error, isWritten in
      output.report(UsageError(.system(error), of: metrics.path))
      if !isWritten { end.reach(ExitStatus.trouble) }
    }
  }
}

extension UsageError {
  /// A file of metrics that cannot be written.
  fileprivate init(_ failure: RecordFile.Failure, of path: String) {
    switch failure {
    case .inUse: self.init("another command writes \(path)", hint: "end it, or give another file")
    case .system(let error):
      self.init(
        "could not write \(path): \(error)",
        hint: "the command creates files beside it, and renames one; check the folder and its file system")
    default: self.init(failure, path)
    }
  }
}

/// The file of metrics: rewritten at once after a change, at most four times a second, and at intervals.
///
/// Statuses are counted at the instant at which they arrive, so that none is lost between two files.
final class MetricsFile: Sendable {
  private struct State {
    var metrics: MonitorMetrics
    var hasBegun = false
    var isWriteScheduled = false
    /// The uptime of the latest text, in microseconds.
    var lastText = 0
    /// Whether the file is this process's.
    var isWritten = false
    var isRemoved = false
    /// The error of the latest write.
    var error: Errno?
  }

  private let file: ReplacedFile
  /// Held until ``remove()``.
  private let lock: FileLock
  private let monitor: ReachabilityMonitor
  private let interval: DispatchTimeInterval
  private let handler: @Sendable (_ error: Errno, _ isWritten: Bool) -> Void
  private let state: Mutex<State>
  /// Calls a closure with the time while no status is on its way here; `nil` if statuses arrive without times.
  private let pause: (@Sendable (_ body: (LineTime) -> Void) -> Void)?
  /// The queue of all writes, which may wait for a disk.
  private let queue = DispatchQueue(label: "reachability.metrics")

  /// The shortest time between two files, in microseconds.
  private static let shortestPause = 250_000

  /// Prepares the file, which is written when the path and all targets have a status.
  ///
  /// - Parameters:
  ///   - metrics: The path of the file, the labels and the interval.
  ///   - lock: The lock of the path.
  ///   - names: The name of each target; all are different.
  ///   - monitor: The monitor whose losses are counted.
  ///   - pause: Calls a closure with the time while no status is on its way here; `nil` if statuses arrive
  ///     without times.
  ///   - handler: Receives the error of a write, unless the write before failed in the same way, and whether an earlier
  ///     one succeeded.
  init(
    _ metrics: Invocation.Metrics, lock: FileLock, of names: [String], monitor: ReachabilityMonitor,
    pausing pause: (@Sendable (_ body: (LineTime) -> Void) -> Void)?,
    _ handler: @escaping @Sendable (_ error: Errno, _ isWritten: Bool) -> Void
  ) {
    file = ReplacedFile(locked: metrics.path)
    self.lock = lock
    state = Mutex(State(metrics: MonitorMetrics(names, metrics.labels)))
    self.monitor = monitor
    interval = metrics.interval.interval
    self.handler = handler
    self.pause = pause
  }

  /// Counts a status of the target at a position, from now on unless there is a time.
  func record(_ position: Int, _ status: ReachabilityStatus, at time: LineTime? = nil) {
    change(at: time) { $0.record(position, status, at: $1) }
  }

  /// Records the status of the path.
  func record(_ path: ReachabilityPath, at time: LineTime? = nil) {
    change(at: time) { metrics, _ in metrics.record(path.status) }
  }

  /// Removes the file, since its statuses would look as if they were current; no write follows.
  func remove() {
    queue.sync {
      let isWritten = state.withLock { state in
        state.isRemoved = true
        return state.isWritten
      }
      if isWritten { file.remove() }
      lock.remove()
    }
  }

  private func change(at time: LineTime?, _ body: (inout MonitorMetrics, ClockReading) -> Void) {
    let wait = state.withLock { state -> (microseconds: Int, isFirst: Bool)? in
      let instant = ClockReading(time ?? .recorded)
      body(&state.metrics, instant)
      guard !state.isWriteScheduled, state.metrics.isComplete else { return nil }
      defer { (state.hasBegun, state.isWriteScheduled) = (true, true) }
      return state.hasBegun
        ? (max(state.lastText + Self.shortestPause - instant.uptime, 0), false) : (0, true)
    }
    guard let wait else { return }
    queue.asyncAfter(deadline: .now() + .microseconds(wait.microseconds)) {
      if wait.isFirst { self.writeAtIntervals() } else { self.write() }
    }
  }

  private func writeAtIntervals() {
    write()
    queue.asyncAfter(deadline: .now() + interval) { [weak self] in self?.writeAtIntervals() }
  }

  /// The metrics up to a time, or to now; `nil` once the file was removed.
  private func text(at time: LineTime? = nil, overruns: Int) -> String? {
    state.withLock { state -> String? in
      state.isWriteScheduled = false
      guard !state.isRemoved else { return nil }
      let instant = ClockReading(time ?? .recorded)
      state.lastText = instant.uptime
      return state.metrics.text(at: instant, overruns: overruns)
    }
  }

  private func write() {
    let overruns = monitor.diagnostics.overruns
    var text: String?
    if let pause {
      pause { text = self.text(at: $0, overruns: overruns) }
    } else {
      text = self.text(overruns: overruns)
    }
    guard let text else { return }
    var error: Errno?
    do throws(Errno) { try file.replace(with: text) } catch let failure { error = failure }
    let news = state.withLock { state -> (error: Errno, isWritten: Bool)? in
      defer { state.error = error }
      guard let error else {
        state.isWritten = true
        return nil
      }
      return error == state.error ? nil : (error, state.isWritten)
    }
    if let news { handler(news.error, news.isWritten) }
  }
}
