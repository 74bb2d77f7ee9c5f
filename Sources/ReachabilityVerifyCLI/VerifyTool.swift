// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import ReachabilityHTTP
import ReachabilityKit

/// The command: runs arguments, and returns an exit status.
struct VerifyTool {
  var output: StandardOutput

  /// Runs the arguments; the first one is the program's name.
  func run(_ arguments: [Argument]) -> Int32 {
    VerifyInvocation.description.run(
      arguments, output: output, reading: { parsed throws(UsageError) in try VerifyInvocation(parsed) }
    ) { VerifyTool(output: $1).run($0) }
  }

  private func run(_ invocation: VerifyInvocation) -> Int32 {
    do throws(ReachabilityMonitorError) {
      // The threads that requests and tasks need.
      try requireThreads(8)
      if invocation.command == .watch { return try watch(invocation) }
    } catch {
      output.report(error)
      return ExitStatus.trouble
    }
    return waitForEnd(of: { try await verify(invocation, over: try .availableShared()) })
  }

  /// Blocks until the work is done, and prints its error.
  private func waitForEnd(of work: @escaping @Sendable () async throws -> Int32) -> Int32 {
    let end = EndOfRun()
    Task {
      do {
        end.reach(try await work())
      } catch let error as ReachabilityMonitorError {
        output.report(error)
        end.reach(ExitStatus.trouble)
      } catch {
        output.say("error: \(String(describing: error).escapedForTerminal)")
        end.reach(ExitStatus.trouble)
      }
    }
    return end.wait()
  }

  private func verify(_ invocation: VerifyInvocation, over monitor: ReachabilityMonitor) async throws -> Int32
  {
    let verification = invocation.verification
    let portal = verification.portalAPI?.address(on: monitor.path)
    let all = verification.endpoints.count + (portal == nil ? 0 : 1)
    var done = 0
    if output.isInteractive { output.say("verifying \(all) \(all == 1 ? "target" : "targets")") }
    let report = try await monitor.verify(verification) { outcome in
      done += 1
      if output.isInteractive { output.say("\(done) of \(all): \(outcome.description.escapedForTerminal)") }
    }
    let status = ReachabilityVerification.VerifiedStatus(path: monitor.path, report: report, isCurrent: true)
    let result = VerificationText(invocation, output).write(status, .verify)
    return output.exitStatus(
      result, else: report.state == .verified ? ExitStatus.success : ExitStatus.negative)
  }

  private func watch(_ invocation: VerifyInvocation) throws(ReachabilityMonitorError) -> Int32 {
    let end = EndOfRun()
    try end.reachWhenStopped(reading: output, startingThread: startThread)
    let output = output
    let text = VerificationText(invocation, output)
    let statuses = try ReachabilityMonitor.availableShared().verifiedStatuses(
      of: invocation.verification, every: invocation.pause)
    let task = Task {
      var count = 0
      for await status in statuses {
        let result = text.write(status, count == 0 ? .initial : .change)
        count += 1
        if count == invocation.count || result != .written {
          return end.reach(output.exitStatus(result, else: ExitStatus.success))
        }
      }
    }
    defer { task.cancel() }
    return end.wait()
  }
}
