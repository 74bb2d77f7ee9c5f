import CommandLineSupport
import Dispatch
import ReachabilityKit
import Synchronization

/// `reachability explain`: what decides a target's status, step by step.
struct ExplainCommand {
  let invocation: Invocation
  let monitor: ReachabilityMonitor
  let output: StandardOutput

  func run() throws(ReachabilityMonitorError) -> Int32 {
    let report = ExplanationReport(invocation, output)
    var exitStatus = ExitStatus.success
    for named in invocation.targets {
      let explanation = try explain(named)
      let result = report.write(named.text, explanation)
      if case .failed = result { return output.exitStatus(result, else: ExitStatus.trouble) }
      exitStatus = max(exitStatus, explanation.status.exitStatus)
      if explanation.connection?.isConnected == false { exitStatus = max(exitStatus, ExitStatus.negative) }
    }
    return exitStatus
  }

  private func explain(_ named: Invocation.NamedTarget) throws(ReachabilityMonitorError)
    -> ReachabilityExplanation
  {
    guard let port = invocation.probedPort else {
      // The monitor keeps a name's addresses from here on, and explains them.
      _ = PendingStatus(of: named, monitor).wait(reportingTo: output)
      return monitor.currentExplanation(of: named.target)
    }
    if output.isInteractive { output.say("connecting to \(named.text.escapedForTerminal) port \(port)") }
    let attempt = Attempt()
    Task { [monitor, timeout = invocation.timeout ?? .seconds(10)] in
      do {
        attempt.finish(.success(try await monitor.explain(named.target, probing: port, timeout: timeout)))
      } catch {
        attempt.finish(.failure(error))
      }
    }
    return try attempt.wait()
  }
}

/// An explanation that a task computes while the thread that started it waits.
private final class Attempt: Sendable {
  private let result = Mutex<Result<ReachabilityExplanation, any Error>?>(nil)
  private let isDone = DispatchSemaphore(value: 0)

  func finish(_ value: Result<ReachabilityExplanation, any Error>) {
    result.withLock { $0 = value }
    isDone.signal()
  }

  func wait() throws(ReachabilityMonitorError) -> ReachabilityExplanation {
    isDone.wait()
    do {
      guard let result = result.withLock({ $0 }) else { throw CancellationError() }
      return try result.get()
    } catch let error as ReachabilityMonitorError {
      throw error
    } catch {
      throw ReachabilityMonitorError(
        .systemUnavailable, description: "the connection attempt was cancelled: \(error)")
    }
  }
}
