import CommandLineSupport
import Dispatch
import ReachabilityKit
import Synchronization

/// `reachability watch`: the statuses now, then each change.
struct WatchCommand {
  let invocation: Invocation
  let monitor: ReachabilityMonitor
  let output: StandardOutput

  func run() throws(ReachabilityMonitorError) -> Int32 {
    let queue = DispatchQueue(label: "reachability.watch")
    let end = EndOfRun()
    let report = StatusReport(invocation, output)
    let linesLeft = Mutex(invocation.count)
    try Termination.handle { body throws(ReachabilityMonitorError) in
      try startThread(named: "signals", body)
    } _: {
      end.reach(ExitStatus.success)
    }
    // A pipe that nobody reads any more ends the watch even if nothing changes.
    try startThread(named: "reader") {
      output.waitUntilClosed()
      end.reach(ExitStatus.success)
    }
    let timeout = Timeout(invocation) { end.reach(ExitStatus.success) }

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

/// Ends a command when its time is over, but not before the present statuses have been told.
final class Timeout: Sendable {
  private let missing: Mutex<Int>
  private let deadline: DispatchTime?
  private let handler: @Sendable () -> Void

  /// Begins to wait for the end.
  ///
  /// - Parameters:
  ///   - invocation: Says when.
  ///   - count: How many present values are to be told; as many as there are targets if not given.
  ///   - handler: What to call then.
  init(_ invocation: Invocation, telling count: Int? = nil, _ handler: @escaping @Sendable () -> Void) {
    missing = Mutex(count ?? invocation.targets.count)
    deadline = invocation.timeout.map { .now() + $0.interval }
    self.handler = handler
    guard let deadline else { return }
    // A reader who has stopped reading must not hold up the end.
    DispatchQueue.global().asyncAfter(deadline: deadline + .seconds(1)) { handler() }
  }

  /// Notes that one target's present status has been told.
  func noteInitial() {
    let isLast = missing.withLock { missing in
      missing -= 1
      return missing == 0
    }
    guard isLast, let deadline else { return }
    DispatchQueue.global().asyncAfter(deadline: deadline, execute: handler)
  }
}
