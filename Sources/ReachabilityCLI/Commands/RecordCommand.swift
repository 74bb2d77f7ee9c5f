// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import CommandLineTargets
import Dispatch
import POSIX
import ReachabilityKit
import Synchronization

/// `reachability record`: the path and the statuses, then each change, in a file.
struct RecordCommand: Command {
  struct Options: CommandOptions {
    static let to = Option(
      "to", takes: Option.Value("FILE", "the path of a file", completion: .files),
      "append to this file",
      detail:
        "Only one 'record' at a time can do so. The file is created if it does not exist. The lock is .FILE.lock in the same folder.",
      isRequired: true)
    static let rotate = Option(
      "rotate",
      takes: Option.Value("SIZE", "a whole number with a unit, at least 16K, for example 10M or 1G")
        .explained,
      "begin another file before this size", default: "64M",
      detail: """
        The older file becomes FILE.1, FILE.1 becomes FILE.2, and so on; files that are no records stay as they are.
        """)
    static let keep = Option(
      "keep", takes: Option.Value("N", "a whole number from 1 to 9999"),
      "keep this many older files: FILE.1 and so on",
      default: "3")
    static let heartbeat = Option(
      "heartbeat", takes: .duration("a duration in whole seconds up to an hour, for example 60s"),
      "write a line at least this often", default: "60s", detail: "Whole seconds, up to an hour.")
    static let verify = Option(
      "verify", takes: .url,
      "also append whether this endpoint answers, and each change",
      detail: """
        The command 'verify' finds out. The lines have the event verification. URLs that differ only in what no record contains, such as the query, are \
        numbered in the order of the options. Each endpoint is verified by a process of its own, which ends with the \
        record; if it ends before, it is started again. At most 16 endpoints can be verified. Requests take the routes \
        of the system, so options that bind the targets do not fit.
        """, isRepeatable: true)
    static let verifyEvery = Option(
      "verify-every", takes: .interval,
      "verify this often, and when the network changes", default: "1m",
      detail: "At least 1s, from the end of a verification.")

    /// The most endpoints, since each has a process.
    private static let endpointLimit = 16

    var targets: [NamedTarget]
    var namespace: ReachabilityNamespace?
    var settling: Duration
    /// Whether lines show the evidence of whether anything answers.
    var showsEvidence: Bool
    var recording: RecordingOptions
    /// The endpoints whose verification is written.
    var endpoints: [String]
    /// The time from one verification to the next, as `reachability-verify` reads it.
    var verificationInterval: String
    /// The file of metrics.
    var metrics: MetricsOptions?
    /// How to connect to the targets; `nil` not to.
    var connections: ConnectionOptions?
    var threadCount: Int? {
      Self.observingThreadCount + endpoints.count + connections.threadCount(for: targets)
    }

    init(_ parsed: ParsedOptions) throws(UsageError) {
      namespace = try parsed.namespace()
      settling = try parsed.duration(.settle) ?? .zero
      showsEvidence = try parsed.evidence()
      targets = try parsed.targets()
      endpoints = try parsed.endpoints(Self.verify)
      guard let path = try parsed.value(Self.to, { $0.isEmpty || $0.hasSuffix("/") ? nil : $0 }) else {
        throw UsageError("'record' requires --to", hint: "add --to FILE, for example --to history.jsonl")
      }
      recording = RecordingOptions(path: path)
      if let limit = try parsed.value(Self.rotate, Int.init(sizeText:)) { recording.limit = limit }
      if let kept = try parsed.value(
        Self.keep, { Int(digits: $0).flatMap { (1...9999).contains($0) ? $0 : nil } })
      {
        recording.kept = kept
      }
      if let heartbeat = try parsed.value(Self.heartbeat, Duration.init(heartbeatText:)) {
        recording.heartbeat = heartbeat
      }
      verificationInterval =
        try parsed.value(Self.verifyEvery) { text in
          Duration(intervalText: text) == nil ? nil : text
        } ?? "1m"
      try parsed.require(Self.verify, with: Self.verifyEvery, in: RecordCommand.description)
      recording.constraints = RecordingOptions.Constraints(
        interface: try parsed.value(.interface, argument: \.text),
        source: targets.first?.target.source.map { "\($0)" }, mark: targets.first?.target.mark,
        namespace: try parsed.value(.namespace, argument: \.text))
      connections = try ConnectionOptions(parsed, to: targets, in: RecordCommand.description)
      recording.constraints.family = try parsed.family()
      try checkEndpoints()
      metrics = try MetricsOptions(parsed, of: &targets)
      try parsed.require(
        MetricsOptions.textfile, with: MetricsOptions.label, MetricsOptions.every,
        in: RecordCommand.description)
    }

    private func checkEndpoints() throws(UsageError) {
      guard endpoints.count <= Self.endpointLimit else {
        throw UsageError(
          "'record' accepts --verify at most \(Self.endpointLimit) times, got \(endpoints.count)",
          hint: "run another 'record' with another file")
      }
      if let endpoint = endpoints.first(where: { endpoint in endpoints.count { $0 == endpoint } > 1 }) {
        throw UsageError(
          "the endpoint '\(endpoint.withoutSecrets.escapedForTerminal)' is given twice",
          hint: "remove one of the two options")
      }
      if connections != nil, let name = endpointNames.first(where: { targets.map(\.text).contains($0) }) {
        throw UsageError(
          "both --verify and --connect are about '\(name.escapedForTerminal)'", hint: "remove that --verify")
      }
    }

    /// The names of the endpoints in a record: without secrets, and with numbers where they differ in nothing else.
    var endpointNames: [String] {
      var counts: [String: Int] = [:]
      return endpoints.map(\.withoutSecrets).map { name in
        counts[name, default: 0] += 1
        return counts[name] == 1 ? name : "\(name) (\(counts[name, default: 0]))"
      }
    }
  }

  static let summary = CommandSummary(
    "record", "append the path, each status and each change to a file", synonyms: ["log", "write", "save"])

  static let description = CommandDescription(
    summary,
    takes: .targets(isMany: true),
    """
    Appends the path, the status of each target and then each change to a file, which 'report' reads, until SIGINT or \
    SIGTERM.
    """,
    options: [
      Options.to, Options.rotate, Options.keep, Options.heartbeat, .evidence, .connect,
      ConnectionOptions.every, Options.verify, Options.verifyEvery,
      MetricsOptions.textfile, MetricsOptions.label, MetricsOptions.every, .settle,
    ] + Option.constraints + [.namespace],
    statuses: [
      0: "the command has ended on SIGINT or SIGTERM",
      2: "the usage is wrong, the system cannot be queried, or lines are lost",
    ],
    examples: [
      .init("reachability record --to history.jsonl", "Keep the history of the default route."),
      .init(
        "reachability record --to history.jsonl --evidence example.com",
        "Keep that of a host, and whether it answers."),
      .init(
        "reachability record --to a.jsonl --verify https://example.com/",
        "Keep also whether a server answers."),
    ], page: "RecordingHistory")

  /// The recorder, as soon as there is one.
  private final class Running: Sendable {
    let recorder = Mutex<Recorder?>(nil)
  }

  let options: Options
  let monitor: ReachabilityMonitor
  let output: StandardOutput

  func run() throws(ReachabilityMonitorError) -> Int32 {
    let verifier = InstalledProgram.path(of: SeparateCommand.program(of: "verify"))
    if verifier == nil, !options.endpoints.isEmpty {
      output.report(SeparateCommand.missing("verify", InstalledProgram.ownFolder))
      return ExitStatus.trouble
    }
    let end = EndOfRun()
    let running = Running()
    try end.reachWhenTerminated(
      hangUp: { running.recorder.withLock { $0?.reopen() } }, startingThread: startThread)
    let recorder: Recorder
    do throws(UsageError) {
      recorder = try Recorder(options.recording, of: options.targets.map(\.text), reportingTo: output)
    } catch {
      output.report(error)
      return ExitStatus.trouble
    }
    running.recorder.withLock { $0 = recorder }

    let metrics = options.metrics.flatMap {
      MetricsFile($0, of: options.targets, monitor: monitor, output: output, end: end) { recorder.pause($0) }
    }

    // The path comes first, so that a reader knows it when a status changes.
    let firstPath = DispatchSemaphore(value: 0)
    let path = PathWatch.start(withEvidence: options.showsEvidence, monitor: monitor) {
      path, event, evidence in
      recorder.add {
        $0.add(path, as: event, evidence: evidence, at: $1)
        metrics?.record(path, at: $1)
      }
      if event == .initial { firstPath.signal() }
    }
    firstPath.wait()
    // Handlers only put lines into memory, so no change waits for the disk.
    let evidence = options.showsEvidence ? EvidenceWatch(monitor) : nil
    @Sendable func add(_ endpoint: String, _ verification: RecordedVerification) {
      recorder.add {
        $0.add(endpoint, verification, at: $1)
        metrics?.record(endpoint, verification, at: $1)
      }
    }
    let connections = try connect(options.connections) { [options] position, connection in
      let name = options.targets[position].text
      add(name, connection.map { RecordedVerification($0, to: name) } ?? .unknown)
    }
    let observations = options.targets.enumerated().map { position, named in
      monitor.observe(named.target, settling: options.settling, on: .monitorThread) { event in
        recorder.add {
          $0.add(position, event, at: $1)
          metrics?.record(position, event.status, at: $1)
        }
        connections?.record(event.status, at: position)
        guard event.isInitial else { return }
        evidence?.add(.target(position, named.target)) { evidence in
          recorder.add {
            $0.add(position, evidence, at: $1)
            metrics?.record(position, evidence, at: $1)
          }
        }
      }
    }
    defer { withExtendedLifetime((path, observations)) {} }
    let verifications = try verifier.map { path throws(ReachabilityMonitorError) in
      try verify(by: path, end, add)
    }
    let status = end.wait()
    connections?.stop()
    for verification in verifications ?? [] { verification.stop() }
    metrics?.remove()
    if recorder.stop() { return status }
    output.report(problem: "not all lines are in \(options.recording.path)")
    return ExitStatus.trouble
  }

  /// Verifies each endpoint on a thread that waits for a separate program.
  private func verify(
    by path: String, _ end: EndOfRun, _ add: @escaping @Sendable (String, RecordedVerification) -> Void
  ) throws(ReachabilityMonitorError) -> [VerificationWatch] {
    var verifications: [VerificationWatch] = []
    for (endpoint, name) in zip(options.endpoints, options.endpointNames) {
      let verification = VerificationWatch(
        of: endpoint, every: options.verificationInterval, by: path, reportingTo: output)
      try startThread(named: "verify") {
        let hasResult = verification.run(unless: { end.isReached }) { add(name, $0) }
        if !hasResult { end.reach(ExitStatus.trouble) }
      }
      verifications.append(verification)
    }
    return verifications
  }
}

extension Int {
  /// Reads a size of a file: a whole number with a unit, `64K`, `10M` or `1G`.
  fileprivate init?(sizeText text: String) {
    guard let unit = text.last, let shift = ["K": 10, "M": 20, "G": 30][unit],
      let number = Int(digits: text.dropLast()), (1...1_000_000).contains(number), number << shift >= 16 << 10
    else { return nil }
    self = number << shift
  }
}

extension Duration {
  /// Reads the time between two heartbeats, in whole seconds.
  fileprivate init?(heartbeatText text: String) {
    guard let duration = Duration(text: text), duration >= .seconds(1), duration <= .seconds(3600),
      duration.components.attoseconds == 0
    else { return nil }
    self = duration
  }
}
