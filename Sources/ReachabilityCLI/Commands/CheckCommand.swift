// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import CommandLineTargets
import ReachabilityKit

/// `reachability check`: the current statuses.
struct CheckCommand: Command {
  struct Options: CommandOptions {
    var targets: [NamedTarget]
    var namespace: ReachabilityNamespace?
    var isJSON: Bool
    /// The commands that the first target may be meant for.
    var similarCommands: [String] = []
    /// Whether to connect, too.
    var connects: Bool
    /// The time limit of each target; `nil` to wait for the lookup of a name.
    var timeout: Duration?
    var observes: Bool { false }
    var threadCount: Int? {
      connects ? Self.observingThreadCount + min(targets.count, Connections.limit) : nil
    }

    static let timeout = Option(
      "timeout", takes: .duration(),
      "give up the lookup of a name, and with --connect the connection, after this long (with --connect: 10s)"
    )

    init(_ parsed: ParsedOptions) throws(UsageError) {
      namespace = try parsed.namespace()
      targets = try parsed.targets()
      isJSON = parsed.has(.json)
      connects = try parsed.connects(to: targets)
      timeout = try parsed.duration(Self.timeout)
    }
  }

  static let summary = CommandSummary(
    "check", "print the status of each target and its reason",
    synonyms: ["status", "show", "get", "is", "state"])

  static let description: CommandDescription = {
    var description = CommandDescription(
      summary,
      takes: .targets(isMany: true),
      """
      Prints the status of each target and its reason: one line for each target, and one for each address of a host. \
      Without a target, it prints the status of the default route, which may lead packets of one address family only.
      """,
      options: [.connect, Options.timeout] + Option.constraints + Option.jsonAndNamespace,
      statuses: [
        0: "all targets are reachable, and with --connect they answer",
        1: "a target is not reachable, or not connected",
      ],
      examples: [
        .init(
          "reachability check example.com", "Can packets leave for this host, and through which interface?"),
        .init(
          "reachability check 10.9.0.1 fd00::1 --interface eth0", "Are both reachable through this interface?"
        ),
        .init(
          "reachability check --connect --timeout 2s tcp://10.9.0.1:22",
          "Does its SSH server answer, at once?"),
      ])
    description.isStandard = true
    return description
  }()

  let options: Options
  let monitor: ReachabilityMonitor
  let output: StandardOutput

  func run() throws(ReachabilityMonitorError) -> Int32 {
    let report = StatusReport(options.targets, isJSON: options.isJSON, output)
    var exitStatus = ExitStatus.success
    if options.connects {
      var result = WriteResult.written
      try Connections(monitor: monitor, timeout: options.timeout ?? .seconds(10)).forEach(of: options.targets)
      {
        position, connection in
        result = report.write(position, connection.status, as: .check, connection: connection)
        if !connection.isConnected { exitStatus = ExitStatus.negative }
        return result == .written
      }
      return output.exitStatus(result, else: exitStatus)
    }
    // All pending statuses start first, so that names resolve concurrently.
    let pending = options.targets.map { PendingStatus(of: $0, monitor) }
    for (position, pending) in pending.enumerated() {
      let status = pending.wait(reportingTo: output, upTo: options.timeout)
      if position == 0, let error = mistypedCommand(status) {
        guard status.reason?.deniesName == false else {
          output.report(error)
          return ExitStatus.trouble
        }
        output.report(hint: error.hint)
      }
      let parts = options.targets[position].target.partsByFamily
      let families = parts.count < 2 ? [] : parts.map { FamilyStatus(of: $0, in: monitor) }
      // A reader that closes the output does not change the exit status.
      let result = report.write(position, status, as: .check, families: families)
      if case .failed = result { return output.exitStatus(result, else: ExitStatus.trouble) }
      exitStatus = max(exitStatus, status.exitStatus)
    }
    return exitStatus
  }

  /// The error if the first target resembles a command and its lookup found no host.
  private func mistypedCommand(_ status: ReachabilityStatus) -> UsageError? {
    guard let named = options.targets.first, case .host = named.target.destination,
      !options.similarCommands.isEmpty,
      status.state == .notReachable, status.addresses.isEmpty
    else { return nil }
    let commands = options.similarCommands.map { "'\($0)'" }.inWords("or")
    return UsageError(
      "there is no command '\(named.text)', and no such host",
      hint: "did you mean \(commands)? 'reachability check \(named.text)' checks a host")
  }
}

extension ReachabilityStatus.Reason {
  /// Whether a lookup found that there is no host of the name, or lookups are not made.
  fileprivate var deniesName: Bool { [.nameNotFound, .noAddressRecords, .namesNotResolved].contains(self) }
}

extension ReachabilityStatus {
  /// The exit status of a command whose only target has this status.
  var exitStatus: Int32 {
    switch state {
    case .reachable: ExitStatus.success
    case .notReachable: ExitStatus.negative
    case .unknown: ExitStatus.trouble
    }
  }
}

/// A status that may have to wait for the lookup of a name.
struct PendingStatus {
  private let named: NamedTarget
  private let known: AwaitedStatus

  /// The time after which a terminal shows that a lookup is in progress.
  private static var silence: Duration { .seconds(1) }

  init(of named: NamedTarget, _ monitor: ReachabilityMonitor) {
    self.named = named
    known = AwaitedStatus(of: named.target, in: monitor) { $0.reason != .resolving }
  }

  /// Blocks until the status is known or the time is over, and returns it.
  func wait(reportingTo output: StandardOutput, upTo timeout: Duration? = nil) -> ReachabilityStatus {
    let first = min(Self.silence, timeout ?? Self.silence)
    if let status = known.wait(upTo: first) { return status }
    if output.isInteractive { output.say("resolving \(named.text.escapedForTerminal)") }
    if let status = known.wait(upTo: timeout.map { $0 - first }) { return status }
    return .unknown(timeout == nil ? .systemError : .resolving)
  }
}
