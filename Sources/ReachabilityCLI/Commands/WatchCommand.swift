// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import CommandLineTargets
import ReachabilityKit
import Synchronization

/// `reachability watch`: the current statuses, then each change.
struct WatchCommand: Command {
  struct Options: CommandOptions {
    static let count = Option(
      "count", takes: .count, "end after this many statuses",
      detail: "Lines about evidence and connections do not count.")
    static let timeout = Option("timeout", takes: .duration(), "end after this long")

    var targets: [NamedTarget]
    var namespace: ReachabilityNamespace?
    var isJSON: Bool
    var settling: Duration
    var count: Int?
    var timeout: Duration?
    /// Whether lines show the evidence of whether anything answers.
    var showsEvidence: Bool
    /// How to connect to the targets; `nil` not to.
    var connections: ConnectionOptions?
    var threadCount: Int? {
      Self.observingThreadCount + connections.threadCount(for: targets)
    }

    init(_ parsed: ParsedOptions) throws(UsageError) {
      isJSON = parsed.has(.json)
      namespace = try parsed.namespace()
      settling = try parsed.duration(.settle) ?? .zero
      timeout = try parsed.duration(Self.timeout)
      count = try parsed.count(Self.count)
      showsEvidence = try parsed.evidence()
      targets = try parsed.targets()
      connections = try ConnectionOptions(parsed, to: targets, in: WatchCommand.description)
    }
  }

  static let summary = CommandSummary(
    "watch", "print the status of each target, then each change, with the time",
    synonyms: ["monitor", "follow", "observe", "tail", "listen"])

  static let description = CommandDescription(
    summary,
    takes: .targets(isMany: true),
    """
    Prints the status of each target, then each change, with the local time, until it is stopped. On a terminal, a block \
    below shows the last ten minutes: a bar for each target, and what its symbols mean. With too many targets for its \
    rows, the block counts them, names those that are not reachable, and has bars of these and of the last that changed.
    """,
    options: [Options.count, Options.timeout, .evidence] + ConnectionOptions.all + [.settle]
      + Option.constraints
      + Option.jsonAndNamespace,
    statuses: [0: "the command has ended, also on SIGINT or SIGTERM"],
    examples: [
      .init("reachability watch", "When does the default route change, and to which interface?"),
      .init("reachability watch --evidence example.com", "Print also whether this host answers."),
      .init(
        "reachability watch --json --settle 2s 10.9.0.1",
        "Print an object for each change that lasts two seconds."),
    ], page: "DoesAnythingAnswer")

  let options: Options
  let monitor: ReachabilityMonitor
  let output: StandardOutput

  func run() throws(ReachabilityMonitorError) -> Int32 {
    let end = EndOfRun()
    let names = options.targets.map(\.text.escapedForTerminal)
    let screen = options.isJSON ? nil : HistoryScreen(names, connects: options.connections != nil, output)
    let report = StatusReport(options.targets, isJSON: options.isJSON, output, on: screen)
    let linesLeft = Mutex(options.count)
    try end.reachWhenStopped(
      reading: output, suspension: screen?.suspension, startingThread: startThread)
    let evidence = options.showsEvidence ? EvidenceWatch(monitor) : nil
    let connections = try connect(options.connections) { position, connection in
      guard !end.isReached else { return }
      screen?.add(position, connection)
      guard let connection else { return }
      let result = report.write(position, connection)
      if result != .written { end.reach(output.exitStatus(result, else: ExitStatus.success)) }
    }
    defer { connections?.stop() }
    let timeout = Timeout(after: options.timeout, initialValues: options.targets.count, on: output) {
      end.reach(ExitStatus.success)
    }

    // No other thread wakes up for a line. A reader that has stopped reading makes the monitor wait, which loses nothing
    // for good: the next line has the newest status.
    let observations = options.targets.enumerated().map { position, named in
      monitor.observe(named.target, settling: options.settling, on: .monitorThread) { event in
        guard !end.isReached else { return }
        screen?.add(position, event.status.state)
        let result = report.write(
          position, event.status, as: event.isInitial ? .initial : .change, previous: event.previous,
          withTime: true)
        connections?.record(event.status, at: position)
        let isLast = linesLeft.withLock { left in
          left = left.map { $0 - 1 }
          return left == 0
        }
        if event.isInitial, let evidence {
          // Evidence follows the status that it stands beside, and is the last initial value of the target.
          evidence.add(
            .target(position, named.target),
            evidenceWriter(position, report: report, timeout: timeout, end: end))
        } else if event.isInitial {
          timeout.recordInitial()
        }
        if isLast || result != .written { end.reach(output.exitStatus(result, else: ExitStatus.success)) }
      }
    }
    defer { withExtendedLifetime(observations) {} }
    screen?.drawRegularly { result in end.reach(output.exitStatus(result, else: ExitStatus.success)) }
    let status = end.wait()
    screen?.end()
    return status
  }

  /// Returns a handler that writes the evidence about a target.
  private func evidenceWriter(
    _ position: Int, report: StatusReport, timeout: Timeout, end: EndOfRun
  ) -> @Sendable (TrafficEvidence) -> Void {
    let last = Mutex<TrafficEvidence?>(nil)
    return { [isJSON = options.isJSON] evidence in
      guard !end.isReached else { return }
      let (isInitial, isNews) = last.withLock { last in
        defer { last = evidence }
        return (last == nil, isJSON || last?.readsSame(as: evidence) != true)
      }
      let result = isNews ? report.write(position, evidence) : .written
      if isInitial { timeout.recordInitial() }
      if result != .written { end.reach(output.exitStatus(result, else: ExitStatus.success)) }
    }
  }
}

/// The tasks that follow evidence for `--evidence`; without the option there are none, and nothing is polled.
final class EvidenceWatch: Sendable {
  private let monitor: ReachabilityMonitor
  private let tasks = Mutex<[EvidenceWatch.Subject: Task<Void, Never>]>([:])

  enum Subject: Hashable {
    /// The target at a position of the command line, or the path.
    case target(Int, ReachabilityTarget)
    case interface(Int)
  }

  init(_ monitor: ReachabilityMonitor) {
    self.monitor = monitor
  }

  /// Follows these subjects and no others; the handler receives the current evidence first, then each change of meaning.
  func follow(_ subjects: Set<Subject>, _ handler: @escaping @Sendable (TrafficEvidence) -> Void) {
    tasks.withLock { tasks in
      for (subject, task) in tasks where !subjects.contains(subject) {
        task.cancel()
        tasks[subject] = nil
      }
      for subject in subjects where tasks[subject] == nil { tasks[subject] = start(subject, handler) }
    }
  }

  /// Follows one more subject.
  func add(_ subject: Subject, _ handler: @escaping @Sendable (TrafficEvidence) -> Void) {
    tasks.withLock { $0[subject] = start(subject, handler) }
  }

  private func start(
    _ subject: Subject, _ handler: @escaping @Sendable (TrafficEvidence) -> Void
  ) -> Task<Void, Never> {
    let updates: any AsyncSequence<TrafficEvidence, Never> & Sendable =
      switch subject {
      case .target(_, let target): monitor.evidence(for: target, every: .seconds(1))
      case .interface(let index): monitor.evidence(on: .index(index), every: .seconds(1))
      }
    return Task(executorPreference: TaskQueue.shared) {
      for await evidence in updates { handler(evidence) }
    }
  }
}
