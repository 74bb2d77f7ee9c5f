// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import CommandLineTargets
import Dispatch
import ReachabilityKit
import Synchronization

/// The options `--connect` and `--connect-every` of commands that observe.
struct ConnectionOptions: Equatable {
  static let every = Option(
    "connect-every", takes: .interval,
    "connect this often, and at each change of the status", default: "1m",
    detail: """
      At least 1s, from the end of an attempt. An attempt ends after ten seconds, the lookup of a name included. At \
      most 16 targets are tried at a time.
      """)

  static let all = [Option.connect, every]

  /// The usual time limit of an attempt.
  static var limit: Duration { .seconds(10) }

  /// The time from the end of one attempt to the next.
  var interval: Duration
  /// The time limit of an attempt.
  var limit = Self.limit
}

extension ConnectionOptions {
  /// Reads the options; `nil` without `--connect`.
  init?(
    _ parsed: ParsedOptions, to targets: [NamedTarget], in command: CommandDescription
  ) throws(UsageError) {
    let interval = try parsed.duration(Self.every, in: .seconds(1)...)
    try parsed.require(.connect, with: Self.every, in: command)
    guard try parsed.connects(to: targets) else { return nil }
    self.init(interval: interval ?? .seconds(60))
  }
}

extension ConnectionOptions? {
  /// The threads of the attempts.
  func threadCount(for targets: [NamedTarget]) -> Int {
    self == nil ? 0 : 1 + min(targets.count, Connections.limit)
  }
}

extension Command {
  /// Begins to connect to the targets; `nil` without options.
  func connect(
    _ connections: ConnectionOptions?,
    _ handler: @escaping ConnectionWatch.Handler
  ) throws(ReachabilityMonitorError) -> ConnectionWatch? {
    guard let connections else { return nil }
    let watch = ConnectionWatch(
      to: options.targets, connections, in: monitor, reportingTo: output, handler)
    try startThread(named: "connect") { watch.run() }
    return watch
  }
}

/// Connects to targets again and again: when a status arrives, and some time after each attempt.
final class ConnectionWatch: Sendable {
  /// Receives the position of a target with the first report about it, and with each that says something new; with `nil` as
  /// soon as a report no longer holds, since the target is not reachable.
  typealias Handler = @Sendable (Int, ReachabilityConnectionReport?) -> Void

  fileprivate struct Subject {
    /// When the next attempt begins, unless one runs until then; `nil` before the first status.
    var due: ContinuousClock.Instant?
    var start: ContinuousClock.Instant?
    var isRunning = false
    var last: ReachabilityConnectionReport?
  }

  fileprivate struct State {
    var subjects: [Subject]
    var runningCount = 0
    var isStopped = false
    /// Whether it was reported that the system could not begin an attempt.
    var hasReportedTrouble = false
  }

  /// The shortest time from one beginning to the next, however often the status changes.
  private static var shortestInterval: Duration { .seconds(1) }

  private let targets: [NamedTarget]
  private let options: ConnectionOptions
  private let monitor: ReachabilityMonitor
  private let output: StandardOutput
  private let handler: Handler
  private let state: Mutex<State>
  /// Signalled when an attempt may have become due.
  private let changes = DispatchSemaphore(value: 0)

  /// Prepares the attempts.
  ///
  /// - Parameters:
  ///   - targets: The targets, all with a port.
  ///   - options: The time between two attempts.
  ///   - monitor: The monitor of the targets' network.
  ///   - output: Where it is reported, once, that the system cannot begin an attempt.
  ///   - handler: The handler.
  init(
    to targets: [NamedTarget], _ options: ConnectionOptions, in monitor: ReachabilityMonitor,
    reportingTo output: StandardOutput,
    _ handler: @escaping Handler
  ) {
    self.targets = targets
    self.options = options
    self.monitor = monitor
    self.output = output
    self.handler = handler
    state = Mutex(State(subjects: targets.map { _ in Subject() }))
  }

  /// Notes that a status of the target at a position has arrived.
  func record(_ status: ReachabilityStatus, at position: Int) {
    let now = ContinuousClock.now
    let isObsolete = state.withLock { state in
      let earliest = state.subjects[position].start.map { $0 + Self.shortestInterval } ?? now
      let due = max(now, earliest)
      state.subjects[position].due = min(state.subjects[position].due ?? due, due)
      guard !status.isReachable, state.subjects[position].last?.isConnected == true else { return false }
      state.subjects[position].last = nil
      return true
    }
    if isObsolete { handler(position, nil) }
    changes.signal()
  }

  /// Begins the attempts when they are due; blocks until ``stop()``.
  func run() {
    while true {
      let now = ContinuousClock.now
      let (positions, next, isStopped) = state.withLock { state in
        (state.begin(at: now), state.nextStart, state.isStopped)
      }
      guard !isStopped else { return }
      for position in positions { connect(position) }
      guard let next else {
        changes.wait()
        continue
      }
      _ = changes.wait(timeout: .now() + now.duration(to: next).interval)
    }
  }

  /// Ends ``run()``; no report follows.
  func stop() {
    state.withLock { $0.isStopped = true }
    changes.signal()
  }

  private func connect(_ position: Int) {
    Task(executorPreference: TaskQueue.shared) { [self] in
      do {
        take(try await monitor.connect(to: targets[position].target, timeout: options.limit), about: position)
      } catch {
        let isFirst = state.withLock { state in
          defer { state.hasReportedTrouble = true }
          return !state.hasReportedTrouble && !state.isStopped
        }
        if isFirst { output.report(problem: "\(error)") }
      }
      let end = ContinuousClock.now + options.interval
      state.withLock { state in
        state.runningCount -= 1
        state.subjects[position].isRunning = false
        state.subjects[position].due = min(state.subjects[position].due ?? end, end)
      }
      changes.signal()
    }
  }

  private func take(_ report: ReachabilityConnectionReport, about position: Int) {
    let isDifferent = state.withLock { state in
      guard !state.isStopped else { return false }
      defer { state.subjects[position].last = report }
      return state.subjects[position].last.map { !report.saysSame(as: $0) } ?? true
    }
    if isDifferent { handler(position, report) }
  }
}

extension ConnectionWatch.State {
  /// Marks the attempts that begin now, as many as may run, and returns their positions.
  fileprivate mutating func begin(at now: ContinuousClock.Instant) -> [Int] {
    var begun: [Int] = []
    for position in subjects.indices where runningCount < Connections.limit {
      guard let due = subjects[position].due, due <= now, !subjects[position].isRunning else { continue }
      subjects[position].due = nil
      subjects[position].start = now
      subjects[position].isRunning = true
      runningCount += 1
      begun.append(position)
    }
    return begun
  }

  /// The beginning of the next attempt; `nil` while another must end before, or a status must arrive.
  fileprivate var nextStart: ContinuousClock.Instant? {
    guard runningCount < Connections.limit else { return nil }
    return subjects.lazy.compactMap { $0.isRunning ? nil : $0.due }.min()
  }
}

extension ReachabilityConnectionReport {
  /// Whether it has the same outcome as an earlier one: the address that answered and durations do not count.
  fileprivate func saysSame(as earlier: ReachabilityConnectionReport) -> Bool {
    guard isConnected == earlier.isConnected else { return false }
    return isConnected || failures == earlier.failures
  }

  /// The outcomes without times, or the reason why there is none.
  private var failures: [String] {
    attempts.isEmpty
      ? [status.reason?.rawValue ?? ""] : attempts.map { "\($0.address) \($0.outcome)" }.sorted()
  }
}
