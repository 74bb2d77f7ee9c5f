import CommandLineSupport
import Dispatch
import ReachabilityKit
import Synchronization

/// `reachability check`: the statuses now.
struct CheckCommand {
  let invocation: Invocation
  let monitor: ReachabilityMonitor
  let output: StandardOutput

  func run() -> Int32 {
    let report = StatusReport(invocation, output)
    var exitStatus = ExitStatus.success
    // All names are looked up together.
    let pending = invocation.targets.map { PendingStatus(of: $0, monitor) }
    for (named, pending) in zip(invocation.targets, pending) {
      let status = pending.wait(telling: output)
      // A reader who went away changes nothing of what the exit status has to say.
      let result = report.write(named.text, status, .check)
      if case .failed = result { return output.exitStatus(result, else: ExitStatus.trouble) }
      exitStatus = max(exitStatus, status.exitStatus)
    }
    return exitStatus
  }
}

/// A status that may become known only once a name was looked up.
final class PendingStatus {
  /// What the observer leaves.
  private final class Answer: Sendable {
    let status = Mutex<ReachabilityStatus?>(nil)
    let semaphore = DispatchSemaphore(value: 0)
  }

  private let named: Invocation.NamedTarget
  private let answer = Answer()
  private var observation: ReachabilityObservation?

  /// How long nothing is said while a person waits.
  private static var patience: DispatchTimeInterval { .seconds(1) }

  init(of named: Invocation.NamedTarget, _ monitor: ReachabilityMonitor) {
    self.named = named
    let status = monitor.status(of: named.target)
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

  func wait(telling output: StandardOutput) -> ReachabilityStatus {
    if let status = answer.status.withLock({ $0 }) { return status }
    if answer.semaphore.wait(timeout: .now() + Self.patience) == .timedOut {
      if output.isInteractive { output.say("resolving \(named.text.escapedForTerminal)") }
      answer.semaphore.wait()
    }
    return answer.status.withLock { $0 ?? .unknown(.systemError) }
  }
}

extension ReachabilityStatus {
  /// What this status alone makes the exit status.
  var exitStatus: Int32 {
    switch state {
    case .reachable: ExitStatus.success
    case .notReachable: ExitStatus.negative
    case .unknown: ExitStatus.trouble
    }
  }
}
