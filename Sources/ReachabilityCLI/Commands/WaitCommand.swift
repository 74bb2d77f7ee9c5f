import CommandLineSupport
import ReachabilityKit
import Synchronization

/// `reachability wait`: the wait until all targets have the requested state.
struct WaitCommand {
  let invocation: Invocation
  let monitor: ReachabilityMonitor
  let output: StandardOutput

  func run() throws(ReachabilityMonitorError) -> Int32 {
    let end = EndOfRun()
    let report = StatusReport(invocation, output)
    let statuses = Mutex([ReachabilityStatus?](repeating: nil, count: invocation.targets.count))

    let timeout = Timeout(after: invocation.timeout, initialValues: invocation.targets.count) {
      end.reach(ExitStatus.negative)
    }
    if invocation.isJSON {
      // The reader of the objects is the program that waits: without it, the wait has no use.
      try startThread(named: "reader") {
        output.waitUntilClosed()
        end.reach(ExitStatus.trouble)
      }
    }
    let observations = invocation.targets.enumerated().map { position, named in
      monitor.observe(named.target, settling: invocation.settling, on: .monitorThread) { event in
        guard !end.isReached else { return }
        if invocation.isJSON {
          _ = report.write(
            position, event.status, event.isInitial ? .initial : .change, previous: event.previous)
        }
        let isDone = statuses.withLock { statuses in
          statuses[position] = event.status
          return statuses.allSatisfy(isWanted)
        }
        defer { if event.isInitial { timeout.noteInitial() } }
        if isDone {
          end.reach(ExitStatus.success)
        } else if output.isInteractive, !isWanted(event.status) {
          output.say(
            "waiting for \(named.text.escapedForTerminal): \(event.status.description.escapedForTerminal)")
        }
      }
    }
    defer { withExtendedLifetime(observations) {} }
    let exitStatus = end.wait()
    if exitStatus == ExitStatus.negative { reportMissing(statuses.withLock { $0 }) }
    return exitStatus
  }

  private func isWanted(_ status: ReachabilityStatus?) -> Bool {
    status?.state == (invocation.isWaitingForReachable ? .reachable : .notReachable)
  }

  private func reportMissing(_ statuses: [ReachabilityStatus?]) {
    for (named, status) in zip(invocation.targets, statuses) where !isWanted(status) {
      let text = status?.description ?? "not known yet"
      output.say("timed out: \(named.text.escapedForTerminal) is \(text.escapedForTerminal)")
    }
  }
}
