// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import CommandLineTargets
import ReachabilityKit
import Synchronization

/// `reachability path`: the interfaces that packets leave by, and with `--watch` each change.
struct PathCommand: Command {
  struct Options: CommandOptions {
    private static let kind = Option.Value(
      "KIND", ReachabilityInterface.Kind.allCases.map { "'\($0.rawValue)'" }.inWords("or"),
      completion: .words(ReachabilityInterface.Kind.allCases.map(\.rawValue))
    ).explained

    static let watch = Option("watch", "print the current path, then each change")
    static let count = Option(
      "count", takes: .count, "with --watch: end after this many paths",
      detail: "Lines about evidence do not count."
    )
    static let timeout = Option("timeout", takes: .duration(), "with --watch: end after this long")
    static let require = Option("require", takes: kind, "use only interfaces of this kind")
    static let prohibit = Option(
      "prohibit", takes: kind, "use no interfaces of this kind", isRepeatable: true)

    var namespace: ReachabilityNamespace?
    var isJSON: Bool
    /// Whether changes are printed.
    var isWatching: Bool
    var count: Int?
    var timeout: Duration?
    /// The interface kinds that the path may use.
    var requirements = ReachabilityPath.Requirements.none
    /// Whether the evidence of whether anything answers is printed.
    var showsEvidence: Bool
    var targets: [NamedTarget] { [] }
    var observes: Bool { isWatching }

    init(_ parsed: ParsedOptions) throws(UsageError) {
      isJSON = parsed.has(.json)
      namespace = try parsed.namespace()
      timeout = try parsed.duration(Self.timeout)
      count = try parsed.count(Self.count)
      showsEvidence = try parsed.evidence()
      if let word = parsed.operands.first {
        throw UsageError(
          "'path' takes no target, got '\(word.redacted.escapedForTerminal)'",
          hint: "use 'check', 'watch' or 'wait' for a target")
      }
      isWatching = parsed.has(Self.watch)
      try parsed.require(Self.watch, with: Self.count, Self.timeout, in: PathCommand.description)
      requirements.requiredKind = try parsed.value(Self.require, ReachabilityInterface.Kind.init(rawValue:))
      requirements.prohibitedKinds = Set(
        try parsed.values(Self.prohibit, ReachabilityInterface.Kind.init(rawValue:)))
      if let kind = requirements.requiredKind, requirements.prohibitedKinds.contains(kind) {
        throw UsageError(
          "'\(kind.rawValue)' is both required and prohibited", hint: "remove one of the two options")
      }
    }
  }

  static let summary = CommandSummary(
    "path", "print the interfaces in use, and why the others are unusable",
    synonyms: ["interfaces", "interface", "network", "links", "route", "routes"])

  static let description = CommandDescription(
    summary,
    takes: .none,
    """
    Prints the interfaces by which packets leave this machine in general, in the order in which the kernel prefers them, \
    their gateways and name servers, and why the other interfaces are unusable.
    """,
    options: [
      Options.watch, Options.count, Options.timeout, .evidence, Options.require, Options.prohibit,
    ] + Option.jsonAndNamespace,
    statuses: [
      0: "the path is satisfied; with --watch: the command has ended, also on SIGINT or SIGTERM",
      1: "the path is not satisfied",
    ],
    examples: [
      .init("reachability path", "Which interfaces are in use, and what is wrong with the others?"),
      .init("reachability path --prohibit cellular", "Is there a path that is not a mobile network?"),
      .init("reachability path --watch --json", "Print an object for each change, for another program."),
    ])

  let options: Options
  let monitor: ReachabilityMonitor
  let output: StandardOutput

  func run() throws(ReachabilityMonitorError) -> Int32 {
    if options.isWatching { return try watch() }
    let path = monitor.path(options.requirements)
    let evidence =
      options.showsEvidence ? PathEvidence(path, options.requirements, monitor: monitor) : nil
    // What is known against the path besides: its next hops, and the machine's own traffic.
    let doubts =
      options.isJSON || options.requirements != .none
      ? []
      : monitor.currentExplanation(of: .defaultRoute).steps.filter {
        $0.problem != nil && $0.verdict == .unknown
      }
    let result = PathReport(isJSON: options.isJSON, output: output).write(
      path, as: .check, evidence: evidence, doubts: doubts.compactMap(\.problem))
    if case .failed = result { return output.exitStatus(result, else: ExitStatus.trouble) }
    return path.exitStatus
  }

  private func watch() throws(ReachabilityMonitorError) -> Int32 {
    let end = EndOfRun()
    let report = PathReport(isJSON: options.isJSON, output: output)
    let linesLeft = Mutex(options.count)
    try end.reachWhenStopped(reading: output, startingThread: startThread)
    let timeout = Timeout(after: options.timeout, initialValues: 1, on: output) {
      end.reach(ExitStatus.success)
    }
    let observation = PathWatch.start(
      options.requirements, withEvidence: options.showsEvidence, monitor: monitor, areAlike: report.areAlike,
      isSameEvidence: report.isSameEvidence
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
  ///   - areAlike: Whether two paths are the same to the reader.
  ///   - isSameEvidence: Whether the evidence on two paths is the same to the reader.
  ///   - handler: The handler, called under a lock that keeps the order.
  static func start(
    _ requirements: ReachabilityPath.Requirements = .none, withEvidence showsEvidence: Bool,
    monitor: ReachabilityMonitor,
    areAlike: @escaping @Sendable (ReachabilityPath, ReachabilityPath) -> Bool = { $0 == $1 },
    isSameEvidence: @escaping @Sendable (PathEvidence, PathEvidence) -> Bool = { $0.meansSame(as: $1) },
    _ handler: @escaping Handler
  ) -> ReachabilityObservation {
    let watch = showsEvidence ? EvidenceWatch(monitor) : nil
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
