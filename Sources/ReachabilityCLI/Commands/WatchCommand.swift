import CommandLineSupport
import Dispatch
import ReachabilityKit
import Synchronization

/// `reachability watch`: the current statuses, then each change.
struct WatchCommand {
  let invocation: Invocation
  let monitor: ReachabilityMonitor
  let output: StandardOutput

  func run() throws(ReachabilityMonitorError) -> Int32 {
    let queue = DispatchQueue(label: "reachability.watch")
    let end = EndOfRun()
    let report = StatusReport(invocation, output)
    let linesLeft = Mutex(invocation.count)
    try end.reachWhenStopped(reading: output, startingThread: startThread)
    let timeout = Timeout(after: invocation.timeout, initialValues: invocation.targets.count) {
      end.reach(ExitStatus.success)
    }

    let observations = invocation.targets.map { named in
      monitor.observe(named.target, settling: invocation.settling, on: queue) { event in
        guard !end.isReached else { return }
        let result = report.write(
          named.text, event.status, event.isInitial ? .initial : .change, previous: event.previous,
          withTime: true)
        let isLast = linesLeft.withLock { left in
          left = left.map { $0 - 1 }
          return left == 0
        }
        if event.isInitial { timeout.noteInitial() }
        if isLast || result != .written { end.reach(output.exitStatus(result, else: ExitStatus.success)) }
      }
    }
    defer { withExtendedLifetime(observations) {} }
    return end.wait()
  }
}
