import CommandLineSupport
import Dispatch
import ReachabilityKit
import Synchronization

/// `reachability check`: the current statuses.
struct CheckCommand {
  let invocation: Invocation
  let monitor: ReachabilityMonitor
  let output: StandardOutput

  func run() -> Int32 {
    let report = StatusReport(invocation, output)
    var exitStatus = ExitStatus.success
    // All pending statuses start first, so that names resolve concurrently.
    let pending = invocation.targets.map { PendingStatus(of: $0, monitor) }
    for (position, pending) in pending.enumerated() {
      let status = pending.wait(reportingTo: output)
      // A reader that closes the output does not change the exit status.
      let result = report.write(position, status, as: .check)
      if case .failed = result { return output.exitStatus(result, else: ExitStatus.trouble) }
      exitStatus = max(exitStatus, status.exitStatus)
    }
    return exitStatus
  }
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
final class PendingStatus {
  /// The status that the observer receives.
  private final class Answer: Sendable {
    let status = Mutex<ReachabilityStatus?>(nil)
    let semaphore = DispatchSemaphore(value: 0)
  }

  private let named: Invocation.NamedTarget
  private let answer = Answer()
  private var observation: ReachabilityObservation?

  /// The time after which a terminal shows that a lookup is in progress.
  private static var silence: DispatchTimeInterval { .seconds(1) }

  init(of named: Invocation.NamedTarget, _ monitor: ReachabilityMonitor) {
    self.named = named
    let status = monitor.currentStatus(of: named.target)
    guard status.reason == .resolving else {
      answer.status.withLock { $0 = status }
      return
    }
    observation = monitor.observe(named.target, on: DispatchQueue(label: "reachability.check")) {
      [answer] event in
      guard event.status.reason != .resolving else { return }
      answer.status.withLock { $0 = $0 ?? event.status }
      answer.semaphore.signal()
    }
  }

  /// Blocks until the status is known, and returns it.
  func wait(reportingTo output: StandardOutput) -> ReachabilityStatus {
    if let status = answer.status.withLock({ $0 }) { return status }
    if answer.semaphore.wait(timeout: .now() + Self.silence) == .timedOut {
      if output.isInteractive { output.say("resolving \(named.text.escapedForTerminal)") }
      answer.semaphore.wait()
    }
    return answer.status.withLock { $0 ?? .unknown(.systemError) }
  }
}
