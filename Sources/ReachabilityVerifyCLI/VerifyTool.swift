import CommandLineSupport
import ReachabilityHTTP
import ReachabilityKit

/// The command: runs arguments, and returns an exit status.
struct VerifyTool {
  var output: StandardOutput

  /// Runs the arguments; the first one is the program's name.
  func run(_ arguments: [Argument]) -> Int32 {
    let description = CommandDescription(
      "reachability-verify", help: VerifyUsage.text, options: VerifyInvocation.options)
    return description.run(
      arguments, output: output, reading: { parsed throws(UsageError) in try VerifyInvocation(parsed) }, run)
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
    let all = verification.endpoints.count + (verification.portalAPI == nil ? 0 : 1)
    var done = 0
    if output.isInteractive { output.say("verifying \(all) \(all == 1 ? "target" : "targets")") }
    let report = try await monitor.verify(verification) { outcome in
      done += 1
      if output.isInteractive { output.say("\(done) of \(all): \(outcome.description.escapedForTerminal)") }
    }
    let status = ReachabilityVerification.VerifiedStatus(path: monitor.path, report: report, isCurrent: true)
    let result = VerificationText(isJSON: invocation.isJSON, output: output).write(status, .verify)
    return output.exitStatus(
      result, else: report.state == .verified ? ExitStatus.success : ExitStatus.negative)
  }

  private func watch(_ invocation: VerifyInvocation) throws(ReachabilityMonitorError) -> Int32 {
    let end = EndOfRun()
    try end.reachWhenStopped(reading: output, startingThread: startThread)
    let output = output
    let text = VerificationText(isJSON: invocation.isJSON, output: output)
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

/// The help text of the command.
enum VerifyUsage {
  static let text = """
    Verifies that servers answer as expected, and detects captive portals.
    Only the given targets are contacted.

    Usage: reachability verify TARGET… [OPTION…]

    A target is an http or https URL, or tcp://HOST:PORT for a connection. Redirects are not followed.

    Options:
      --any                   verified if at least one target answers as expected
      --all                   verified if all targets answer as expected (the default)
      --share N%              verified if at least this share of the targets answers as expected
      --expect-status N       expect this status from URLs, or a range of them such as 200-299 (the default)
      --expect-body TEXT      expect this text in the first MiB of the body from URLs
      --timeout D             time limit of each attempt (10s by default)
      --portal-api URL        query the network's captive portal API first (RFC 8908; or its URN of RFC 8910)
      --watch                 print the current state, then each change; verify again when the network changes
      --every D               with --watch: also verify again this long after each verification
      --count N               with --watch: end after this many states
      --json                  print one JSON object per line
      --help                  print this text (also -h)
      --version               print the version

    A duration D is a whole number with a unit: 500ms, 30s, 2m, 1h. Options may precede or follow targets.

    Exit status: 0 verified, or the end (with --watch);
                 1 not verified: a captive portal, no answer, or an unexpected answer;
                 2 wrong usage, or a system error.

    """
}
