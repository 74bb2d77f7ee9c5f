import Dispatch
import Reachability
import Synchronization

/// `reachability watch`: the statuses now, then each change.
struct WatchCommand {
  private let invocation: Invocation
  private let monitor: NetworkMonitor
  private let output: StandardOutput

  init(_ invocation: Invocation, _ monitor: NetworkMonitor, _ output: StandardOutput) {
    self.invocation = invocation
    self.monitor = monitor
    self.output = output
  }

  func run() -> Int32 {
    let queue = DispatchQueue(label: "reachability.watch")
    let end = EndOfRun()
    let report = StatusReport(invocation, output)
    let linesLeft = Mutex(invocation.count)
    let termination = Termination(on: queue) { end.reach(ExitStatus.success) }
    // A pipe that nobody reads any more ends the watch even if nothing changes.
    DispatchQueue(label: "reachability.reader").async {
      output.waitUntilClosed()
      end.reach(ExitStatus.success)
    }
    if let timeout = invocation.timeout {
      queue.asyncAfter(deadline: .now() + timeout.interval) { end.reach(ExitStatus.success) }
    }

    let observations = invocation.targets.map { named in
      monitor.observe(named.target, settling: invocation.settling, on: queue) { event in
        guard !end.isReached else { return }
        let isRead = report.write(
          named.text, event.status, event.isInitial ? .initial : .change, previous: event.previous,
          withTime: true)
        let isLast = linesLeft.withLock { left in
          left = left.map { $0 - 1 }
          return left == 0
        }
        if isLast || !isRead { end.reach(ExitStatus.success) }
      }
    }
    defer { withExtendedLifetime((termination, observations)) {} }
    return end.wait()
  }
}

/// The end of a command that runs until something happens: reached once, with an exit status.
final class EndOfRun: Sendable {
  private let status = Mutex<Int32?>(nil)
  private let semaphore = DispatchSemaphore(value: 0)

  var isReached: Bool { status.withLock { $0 != nil } }

  func reach(_ exitStatus: Int32) {
    let isFirst = status.withLock { status in
      defer { status = status ?? exitStatus }
      return status == nil
    }
    if isFirst { semaphore.signal() }
  }

  func wait() -> Int32 {
    semaphore.wait()
    return status.withLock { $0 ?? ExitStatus.trouble }
  }
}

extension Duration {
  /// The same time for Dispatch, in whole milliseconds.
  var interval: DispatchTimeInterval {
    .milliseconds(Int(clamping: Int64(self / .milliseconds(1))))
  }
}
