// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import CommandLineTargets
import Dispatch
import POSIX
import ReachabilityKit
import Synchronization

/// `reachability export`: a file of metrics for node_exporter, kept up to date.
struct ExportCommand: Command {
  struct Options: CommandOptions {
    var targets: [NamedTarget]
    var namespace: ReachabilityNamespace?
    /// Whether the file has the evidence of whether anything answers.
    var hasEvidence: Bool
    var metrics: MetricsOptions
    /// How to connect to the targets; `nil` not to.
    var connections: ConnectionOptions?
    var threadCount: Int? {
      Self.observingThreadCount + connections.threadCount(for: targets)
    }

    init(_ parsed: ParsedOptions) throws(UsageError) {
      namespace = try parsed.namespace()
      hasEvidence = try parsed.evidence()
      targets = try parsed.targets()
      guard let metrics = try MetricsOptions(parsed, of: &targets) else {
        throw UsageError(
          "'export' requires --textfile",
          hint: "add --textfile FILE, for example "
            + "--textfile /var/lib/prometheus/node-exporter/reachability.prom")
      }
      self.metrics = metrics
      connections = try ConnectionOptions(parsed, to: targets, in: ExportCommand.description)
    }
  }

  static let summary = CommandSummary(
    "export", "keep a file of metrics for Prometheus up to date, until it is stopped",
    synonyms: ["metrics", "prometheus", "exporter", "textfile"])

  static let description: CommandDescription = {
    var textfile = MetricsOptions.textfile
    textfile.isRequired = true
    return CommandDescription(
      summary,
      takes: .targets(isMany: true),
      """
      Keeps a file of metrics up to date, which the textfile collector of Prometheus's node_exporter reads, until SIGINT \
      or SIGTERM. Each change rewrites it at once, at most four times a second. Seconds are counted by status, so an \
      outage between two files or two scrapes counts with its exact length.
      """,
      options: [textfile, MetricsOptions.label, MetricsOptions.every, .evidence] + ConnectionOptions.all
        + Option.constraints + [.namespace],
      statuses: [
        0: "the command has ended on SIGINT or SIGTERM",
        2: "the usage is wrong, the system cannot be queried, or the file cannot be created",
      ],
      examples: [
        .init(
          "reachability export --textfile /var/lib/prometheus/node-exporter/a.prom",
          "Serve the default route."),
        .init("reachability export --textfile a.prom example.com 10.9.0.1", "Serve two targets."),
        .init(
          "reachability export --textfile b.prom --namespace blue --label namespace=blue",
          "Serve a network namespace."),
      ], page: "Fleets")
  }()

  let options: Options
  let monitor: ReachabilityMonitor
  let output: StandardOutput

  func run() throws(ReachabilityMonitorError) -> Int32 {
    let end = EndOfRun()
    try end.reachWhenTerminated(startingThread: startThread)
    let file = MetricsFile(options.metrics, of: options.targets, monitor: monitor, output: output, end: end)
    // The handlers only count, so no change waits for the disk.
    let evidence = options.hasEvidence ? EvidenceWatch(monitor) : nil
    let connections = try connect(options.connections) { [options] position, connection in
      let name = options.targets[position].text
      file?.record(name, connection.map { RecordedVerification($0, to: name) } ?? .unknown)
    }
    let statuses = options.targets.enumerated().map { position, named in
      monitor.observe(named.target, on: .monitorThread) { event in
        file?.record(position, event.status)
        connections?.record(event.status, at: position)
        guard event.isInitial else { return }
        evidence?.add(.target(position, named.target)) { file?.record(position, $0) }
      }
    }
    let path = monitor.observePath(on: .monitorThread) { file?.record($0) }
    let status = end.wait()
    connections?.stop()
    withExtendedLifetime((statuses, path)) {}
    file?.remove()
    return status
  }
}

/// The options of the file of metrics, which 'export' and 'record' have.
struct MetricsOptions: Equatable {
  static let textfile = Option(
    "textfile",
    takes: Option.Value(
      "FILE", "a name that ends in .prom, for example /var/lib/prometheus/node-exporter/reachability.prom",
      completion: .files),
    "keep this file of metrics for node_exporter up to date; its name ends in .prom, and it is removed at the end",
    detail: """
      It is in the folder that node_exporter reads, which must be writable. One command at a time writes it: the lock is \
      a file beside it, .NAME.lock.
      """)
  static let label = Option(
    "label", takes: Option.Value("LABEL", MetricsText.Label.acceptedTexts),
    "add NAME=VALUE to all series, so that a folder may have several files, for example namespace=blue",
    detail: """
      Of equal series in several files of a folder, node_exporter serves only one, so each of several commands needs a \
      label.
      """, isRepeatable: true)
  static let every = Option(
    "every", takes: .interval, "rewrite the file at least this often", default: "15s",
    detail: "Even without a change, seconds and the heartbeat then advance. At least 1s.")

  var path: String
  /// The labels of all time series.
  var labels: [MetricsText.Label]
  /// The longest time between two files.
  var interval: Duration

  /// Reads the options; `nil` if there is no file.
  ///
  /// - Parameter targets: The targets, of which equal ones are removed.
  init?(_ parsed: ParsedOptions, of targets: inout [NamedTarget]) throws(UsageError) {
    guard let path = try parsed.value(Self.textfile, { $0.hasSuffix(".prom") ? $0 : nil }) else { return nil }
    self.path = path
    labels = try parsed.values(Self.label) { MetricsText.Label(text: $0) }
    let names = labels.map(\.name)
    if let name = names.first(where: { name in names.count { $0 == name } > 1 }) {
      throw UsageError("the label '\(name)' is given twice", hint: "remove one of the two options")
    }
    interval = try parsed.duration(Self.every, in: .seconds(1)...) ?? .seconds(15)
    // A file with two equal series would be invalid.
    var texts: Set<String> = []
    targets.removeAll { !texts.insert($0.text).inserted }
  }
}

extension MetricsText.Label {
  static let acceptedTexts =
    "NAME=VALUE, for example namespace=blue; a name has letters, digits and underscores, begins with no digit or "
    + "double underscore, and is none of \(taken.map { "'\($0)'" }.inWords("and"))"

  /// The labels of the metrics, and those that a scrape adds.
  private static let taken = [
    "target", "status", "reason", "device", "gateway", "source", "verdict", "fault", "endpoint", "family",
    "version", "job", "instance",
  ]

  /// Reads `NAME=VALUE`.
  init?(text: String) {
    guard let end = text.firstIndex(of: "=") else { return nil }
    name = String(text[..<end])
    value = String(text[text.index(after: end)...])
    let isWord = name.utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    guard isWord, !value.isEmpty, let first = name.utf8.first, first > UInt8(ascii: "9"),
      !name.hasPrefix("__"), !Self.taken.contains(name)
    else { return nil }
  }
}

extension MetricsFile {
  /// Prepares the file of a command line, which ends the run if it cannot be created; `nil` if there is no lock.
  convenience init?(
    _ metrics: MetricsOptions, of targets: [NamedTarget], monitor: ReachabilityMonitor,
    output: StandardOutput, end: EndOfRun,
    pausing pause: (@Sendable (_ body: (LineTime) -> Void) -> Void)? = nil
  ) {
    let lock: FileLock
    do throws(RecordFile.Failure) {
      // The file replaces a link.
      lock = try FileLock(RecordLocation(metrics.path, followingLink: false))
    } catch {
      output.report(UsageError(error, of: metrics.path))
      end.reach(ExitStatus.trouble)
      return nil
    }
    let names = targets.map(\.text)
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
  private let interval: Duration
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
  ///   - names: The name of each target; all are different.
  ///   - monitor: The monitor whose losses are counted.
  ///   - pause: Calls a closure with the time while no status is on its way here; `nil` if statuses arrive
  ///     without times.
  ///   - handler: Receives the error of a write, unless the write before failed in the same way, and whether an earlier
  ///     one succeeded.
  init(
    _ metrics: MetricsOptions, lock: FileLock, of names: [String], monitor: ReachabilityMonitor,
    pausing pause: (@Sendable (_ body: (LineTime) -> Void) -> Void)?,
    _ handler: @escaping @Sendable (_ error: Errno, _ isWritten: Bool) -> Void
  ) {
    file = ReplacedFile(locked: metrics.path)
    self.lock = lock
    state = Mutex(State(metrics: MonitorMetrics(names, metrics.labels)))
    self.monitor = monitor
    interval = metrics.interval
    self.handler = handler
    self.pause = pause
  }

  /// Counts a status of the target at a position, from now on unless there is a time.
  func record(_ position: Int, _ status: ReachabilityStatus, at time: LineTime? = nil) {
    change(at: time) { $0.record(position, status, at: $1) }
  }

  /// Records the evidence about the target at a position, which has a status.
  func record(_ position: Int, _ evidence: TrafficEvidence, at time: LineTime? = nil) {
    change(at: time) { metrics, _ in metrics.record(position, evidence) }
  }

  /// Records whether an endpoint answers.
  func record(_ endpoint: String, _ verification: RecordedVerification, at time: LineTime? = nil) {
    change(at: time) { $0.record(endpoint, verification.state, at: $1) }
  }

  /// Records the path.
  func record(_ path: ReachabilityPath, at time: LineTime? = nil) {
    change(at: time) { metrics, _ in metrics.record(path) }
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
    DeadlineTimer.call(at: .now + .microseconds(wait.microseconds), on: queue) {
      if wait.isFirst { self.writeAtIntervals() } else { self.write() }
    }
  }

  private func writeAtIntervals() {
    write()
    DeadlineTimer.call(at: .now + interval, on: queue) { [weak self] in self?.writeAtIntervals() }
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
