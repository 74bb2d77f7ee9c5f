import CommandLineSupport
import Dispatch
import ReachabilityKit
import Synchronization

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
