// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import CommandLineTargets
import Dispatch
import InternetProtocol
import POSIX
import ReachabilityKit
import Synchronization

/// `reachability wait`: the wait until the targets have the requested state, and endpoints answer.
struct WaitCommand: Command {
  struct Options: CommandOptions {
    static let until = Option(
      "until",
      takes: Option.Value(
        "STATE", "'reachable' or 'unreachable'", completion: .words(["reachable", "unreachable"])),
      "wait for this state: 'reachable' or 'unreachable'", default: "reachable")
    static let any = Option("any", "wait until one of the targets is as requested, not all")
    static let timeout = Option(
      "timeout", takes: .duration(), "give up after this long",
      detail: "The command then prints what is missing, and how to fix it.")
    static let verify = Option(
      "verify", takes: .url, "also wait until this endpoint answers, which 'verify' finds out",
      detail: """
        Requests are sent only while the targets are reachable: at once, after each change, and a second after an \
        attempt that failed. They take the routes of the system, so options that bind the targets do not fit.
        """, isRepeatable: true)

    var targets: [NamedTarget]
    var namespace: ReachabilityNamespace?
    var isJSON: Bool
    var settling: Duration
    var timeout: Duration?
    /// Whether the wait is for reachable targets, or for unreachable ones.
    var isForReachable: Bool
    /// Whether one of the targets suffices.
    var needsOnlyOne: Bool
    /// The endpoints that must answer.
    var endpoints: [String]
    /// How to connect to the targets; `nil` if they need not accept connections.
    var connections: ConnectionOptions?
    var threadCount: Int? {
      Self.observingThreadCount + endpoints.count + connections.threadCount(for: targets)
    }

    init(_ parsed: ParsedOptions) throws(UsageError) {
      isJSON = parsed.has(.json)
      namespace = try parsed.namespace()
      settling = try parsed.duration(.settle) ?? .zero
      timeout = try parsed.duration(Self.timeout)
      isForReachable = try parsed.value(Self.until) { ["reachable": true, "unreachable": false][$0] } ?? true
      targets = try parsed.targets()
      endpoints = try parsed.endpoints(Self.verify)
      needsOnlyOne = parsed.has(Self.any)
      let connects = try parsed.connects(to: targets)
      if connects {
        let limit = ConnectionOptions.limit
        connections = ConnectionOptions(interval: .seconds(1), limit: min(timeout ?? limit, limit))
      }
      for (isGiven, option) in [(!endpoints.isEmpty, Self.verify), (connects, .connect)]
      where isGiven && !isForReachable {
        throw UsageError(
          "--\(option.name) does not fit --until unreachable", hint: "remove one of the two options")
      }
      if connects, !endpoints.isEmpty {
        throw UsageError(
          "--connect does not fit --verify, which connects too",
          hint: "give the target to --verify, and remove --connect")
      }
    }
  }

  static let summary = CommandSummary(
    "wait", "return as soon as all targets are reachable (or unreachable)",
    synonyms: ["until", "online", "block"])

  static let description = CommandDescription(
    summary,
    takes: .targets(isMany: true),
    """
    Returns as soon as all targets are reachable, or unreachable. A target behind a router also needs a source that \
    routers forward: a link-local IPv6 address is none.
    """,
    options: [Options.until, Options.any, Options.timeout, .connect, Options.verify, .settle]
      + Option.constraints
      + Option.jsonAndNamespace,
    statuses: [
      0: "the targets are in the requested state, and with --connect or --verify they answer",
      1: "the time limit has passed",
    ],
    examples: [
      .init(
        "reachability wait --timeout 30s example.com && fetch",
        "Wait for the network, but for at most half a minute."),
      .init("reachability wait --any 10.9.0.1 10.9.0.2", "Wait until one of the two is reachable."),
      .init("reachability wait --verify https://example.com/", "Wait until the server answers, too."),
    ], page: "WaitAtStart")

  let options: Options
  let monitor: ReachabilityMonitor
  let output: StandardOutput

  func run() throws(ReachabilityMonitorError) -> Int32 {
    let verification: EndpointWait?
    if options.endpoints.isEmpty {
      verification = nil
    } else if let program = InstalledProgram.path(of: SeparateCommand.program(of: "verify")) {
      verification = EndpointWait(for: options.endpoints, verifiedBy: program, output)
    } else {
      output.report(SeparateCommand.missing("verify", InstalledProgram.ownFolder))
      return ExitStatus.trouble
    }
    let end = EndOfRun()
    let report = StatusReport(options.targets, isJSON: options.isJSON, output)
    let progress = WaitProgress(options, ServiceManager())

    let timeout = Timeout(after: options.timeout, initialValues: options.targets.count, on: output) {
      end.reach(ExitStatus.negative)
    }
    if options.isJSON {
      // The reader of the objects is the program that waits: without it, the wait has no use.
      try startThread(named: "reader") {
        output.waitUntilClosed()
        end.reach(ExitStatus.trouble)
      }
    }
    if let verification { try startThread(named: "verify") { verification.run(until: end) } }
    let connections = try connect(options.connections) { position, connection in
      progress.record(connection, at: position)
      if progress.isComplete { end.reach(ExitStatus.success) }
    }
    defer { connections?.stop() }
    let observations = options.targets.enumerated().map { position, named in
      monitor.observe(named.target, settling: options.settling, on: .monitorThread) { event in
        guard !end.isReached else { return }
        if options.isJSON {
          _ = report.write(
            position, event.status, as: event.isInitial ? .initial : .change, previous: event.previous)
        }
        let isDone = progress.record(event.status, at: position)
        defer { if event.isInitial { timeout.recordInitial() } }
        verification?.recordTargets(areAsRequested: isDone)
        connections?.record(event.status, at: position)
        if progress.isComplete, verification == nil {
          end.reach(ExitStatus.success)
        } else if output.isInteractive, !progress.isWanted(event.status) {
          output.say(
            "waiting for \(named.text.escapedForTerminal): \(progress.text(of: event.status).escapedForTerminal)"
          )
        }
      }
    }
    defer { withExtendedLifetime(observations) {} }
    let exitStatus = end.wait()
    verification?.stop()
    if exitStatus == ExitStatus.success { progress.reportEnd() }
    if exitStatus == ExitStatus.negative { reportMissing(progress, verification) }
    return exitStatus
  }

  /// The number of targets that are explained: with more, the first ones show what is missing.
  private static var explainedTargets: Int { 16 }

  private func reportMissing(_ progress: WaitProgress, _ verification: EndpointWait?) {
    let missing = progress.missing
    for (position, (named, status)) in missing.enumerated() {
      let text = progress.text(of: status)
      output.say("timed out: \(named.text.escapedForTerminal) is \(text.escapedForTerminal)")
      guard options.isForReachable, position < Self.explainedTargets else { continue }
      if status?.endsAtGateway == true {
        output.say("  advice: Check that the router advertises a prefix, or add an address that it forwards.")
        continue
      }
      for step in monitor.currentExplanation(of: named.target).steps where step.verdict == .failed {
        if let problem = step.problem { output.say("  problem: \(problem.escapedForTerminal)") }
        if let advice = step.advice { output.say("  advice: \(advice.escapedForTerminal)") }
      }
    }
    guard missing.isEmpty else { return }
    let lines = verification?.lastResult ?? progress.unconnected
    output.say("timed out: \(lines.first ?? "no endpoint has answered yet")")
    for line in lines.dropFirst() { output.say(line) }
  }
}

/// The targets of `wait` with their last statuses, and what the service manager shows of them.
final class WaitProgress: Sendable {
  private let options: WaitCommand.Options
  private let manager: ServiceManager?
  private struct State {
    var statuses: [ReachabilityStatus?]
    /// The last attempts to connect; `nil` where nothing is known.
    var connections: [ReachabilityConnectionReport?]
    /// The targets that were as requested when the wait could last end.
    var reached: [Int] = []
  }

  private let state: Mutex<State>

  init(_ options: WaitCommand.Options, _ manager: ServiceManager?) {
    self.options = options
    self.manager = manager
    let count = options.targets.count
    state = Mutex(
      State(
        statuses: Array(repeating: nil, count: count), connections: Array(repeating: nil, count: count)))
  }

  /// Records a status; returns whether the targets are as requested.
  func record(_ status: ReachabilityStatus, at position: Int) -> Bool {
    let (isDone, isIncomplete) = state.withLock { state in
      state.statuses[position] = status
      return (isEnough(wanted(state)), state.statuses.contains(nil))
    }
    if let manager, !isIncomplete, !(isDone && options.endpoints.isEmpty && options.connections == nil) {
      manager.show("waiting for \(isDone ? endpoints : summary)".escapedForTerminal)
    }
    return isDone
  }

  /// Records an attempt to connect, or that nothing is known.
  func record(_ connection: ReachabilityConnectionReport?, at position: Int) {
    state.withLock { $0.connections[position] = connection }
  }

  /// Whether the targets are as requested, and accept connections if they must.
  ///
  /// Statuses and connections arrive in any order: a status may have to settle first.
  var isComplete: Bool {
    state.withLock { state in
      let ready = wanted(state).filter {
        options.connections == nil || state.connections[$0]?.isConnected == true
      }
      if isEnough(ready) { state.reached = ready }
      return isEnough(ready)
    }
  }

  private func wanted(_ state: borrowing State) -> [Int] {
    options.targets.indices.filter { isWanted(state.statuses[$0]) }
  }

  private func isEnough(_ positions: [Int]) -> Bool {
    options.needsOnlyOne ? !positions.isEmpty : positions.count == options.targets.count
  }

  /// The targets that did not answer, each with the outcome of its last attempt.
  var unconnected: [String] {
    zip(options.targets, state.withLock(\.connections)).filter { $1?.isConnected != true }.map {
      named, report in
      "\(named.text): \(report?.words ?? "no answer yet")".escapedForTerminal
    }
  }

  func isWanted(_ status: ReachabilityStatus?) -> Bool {
    guard let status else { return false }
    guard options.isForReachable else { return status.state == .notReachable }
    return status.isReachable && !status.endsAtGateway
  }

  /// What is missing: the status, or why a reachable target is not usable yet.
  func text(of status: ReachabilityStatus?) -> String {
    guard let status else { return "not known yet" }
    let isUnusable = options.isForReachable && status.endsAtGateway
    return isUnusable
      ? "not usable: routers do not forward packets from a link-local address" : status.description
  }

  /// The targets that are not as requested.
  var missing: [(target: NamedTarget, status: ReachabilityStatus?)] {
    let statuses = state.withLock(\.statuses)
    if options.needsOnlyOne, statuses.contains(where: isWanted) { return [] }
    return zip(options.targets, statuses).filter { !isWanted($0.1) }.map { ($0, $1) }
  }

  /// Tells the service manager that the wait is over.
  func reportEnd() {
    let state = options.isForReachable ? "reachable" : "unreachable"
    // With --any, the others may be in any state.
    let targets = self.state.withLock(\.reached).map { options.targets[$0].text }.joined(separator: ", ")
    manager?.reportReady("\(state): \(targets)".escapedForTerminal)
  }

  private var endpoints: String {
    (options.connections == nil ? options.endpoints.map(\.withoutSecrets) : options.targets.map(\.text))
      .joined(separator: ", ")
  }

  private var summary: String {
    (options.needsOnlyOne && options.targets.count > 1 ? "one of " : "")
      + missing.map { "\($0.target.text): \(text(of: $0.status))" }.joined(separator: "; ")
  }
}

/// The wait of `wait --verify` for endpoints, which the separate command verifies again and again.
///
/// It sends requests only while the targets are as requested, and not more than one a second, except after a change.
final class EndpointWait: Sendable {
  /// Tries once, and blocks meanwhile; returns the exit status and the lines about the result, or `nil` if it was stopped.
  private let attempt: @Sendable () -> (status: Int32, output: String)?
  private let stopAttempt: @Sendable () -> Void
  private let output: StandardOutput
  private let areTargetsReady = Mutex(false)
  private let result = Mutex<[String]>([])
  /// Signalled at each change of the targets.
  private let changes = DispatchSemaphore(value: 0)

  init(for endpoints: [String], verifiedBy path: String, _ output: StandardOutput) {
    let program = ChildProgram(at: path, endpoints)
    attempt = { program.run() }
    self.output = output
    stopAttempt = { program.stop() }
  }

  /// The lines of the last result; none before the first one.
  var lastResult: [String] { result.withLock { $0 } }

  func recordTargets(areAsRequested isReady: Bool) {
    areTargetsReady.withLock { $0 = isReady }
    changes.signal()
  }

  /// Verifies until all endpoints answer while the targets are as requested, and ends the run then.
  func run(until end: EndOfRun) {
    while !end.isReached {
      guard areTargetsReady.withLock({ $0 }) else {
        changes.wait()
        continue
      }
      guard let (status, text) = attempt() else {
        if !end.isReached {
          output.report(
            UsageError(
              "\(SeparateCommand.program(of: "verify")) did not run to its end", hint: "run it by itself"))
        }
        return end.reach(ExitStatus.trouble)
      }
      result.withLock { $0 = text.split(separator: "\n").map(String.init) }
      if status == ExitStatus.trouble { return end.reach(status) }
      if status == ExitStatus.success, areTargetsReady.withLock({ $0 }) { return end.reach(status) }
      var hasChanged = false
      while changes.wait(timeout: .now()) == .success { hasChanged = true }
      if !hasChanged { _ = changes.wait(timeout: .now() + .seconds(1)) }
    }
  }

  /// Ends a verification that is in progress.
  func stop() { stopAttempt() }
}

/// The time limit of a command, which ends it only after the initial values are written.
final class Timeout: Sendable {
  private let missing: Mutex<Int>
  private let deadline: ContinuousClock.Instant?
  private let output: StandardOutput
  private let handler: @Sendable () -> Void
  private let queue = DispatchQueue(label: "reachability.timeout")

  /// Starts the time limit.
  ///
  /// - Parameters:
  ///   - duration: The limit; `nil` for none.
  ///   - count: The number of initial values to wait for.
  ///   - output: Where they are written.
  init(
    after duration: Duration?, initialValues count: Int, on output: StandardOutput,
    _ handler: @escaping @Sendable () -> Void
  ) {
    missing = Mutex(count)
    deadline = duration.map { .now + $0 }
    self.output = output
    self.handler = handler
    if let deadline { endWithoutInitialValues(after: deadline) }
  }

  /// Ends the command although initial values are missing: as soon as the reader has stopped reading, or after ten seconds.
  ///
  /// Such a reader blocks the values; a busy machine only delays them.
  private func endWithoutInitialValues(after last: ContinuousClock.Instant, second: Int = 1) {
    DeadlineTimer.call(at: last + .seconds(second), on: queue) { [self] in
      guard missing.withLock({ $0 > 0 }) else { return }
      guard second < 10, output.isReady else { return handler() }
      endWithoutInitialValues(after: last, second: second + 1)
    }
  }

  /// Notes that one initial value is written.
  func recordInitial() {
    let isLast = missing.withLock { missing in
      missing -= 1
      return missing == 0
    }
    guard isLast, let deadline else { return }
    DeadlineTimer.call(at: deadline, on: queue, handler)
  }
}
