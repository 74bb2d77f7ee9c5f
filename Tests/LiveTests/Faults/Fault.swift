// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Dispatch
import LiveSupport
import Synchronization
import Testing

@testable import ReachabilityKit

/// A lab with observed hosts, in a separate process: its faults affect no other test.
struct FaultLab {
  static let far = ReachabilityTarget.address("8.8.8.8")
  static let near = ReachabilityTarget.address("10.1.0.2")

  let lab: Lab
  let monitor: ReachabilityMonitor
  let recorder: Recorder
  /// The descriptors that the monitor opened.
  let descriptors: [OpenDescriptor]
  /// The initial statuses of the two targets.
  let healthy: [ReachabilityTarget: ReachabilityStatus]

  init() throws {
    lab = try Lab(.ipv4Only)
    let before = OpenDescriptor.all
    monitor = try lab.makeMonitor()
    recorder = try lab.host.run { [monitor] in Recorder(monitor, [Self.far, Self.near]) }
    let v0 = try lab.interface("v0")
    let healthy: [ReachabilityTarget: ReachabilityStatus] = [
      Self.far: .via("10.1.0.254", from: "10.1.0.1", v0), Self.near: .direct(from: "10.1.0.1", v0),
    ]
    self.healthy = healthy
    recorder.wait("the initial events") { $0.mapValues(\.last) == healthy }
    descriptors = OpenDescriptor.all.subtracting(before).sorted { $0.number < $1.number }
  }

  /// Waits until both targets' observers received these statuses last.
  func expect(_ what: String, far: ReachabilityStatus, near: ReachabilityStatus) {
    recorder.wait(what) { $0[Self.far]?.last == far && $0[Self.near]?.last == near }
  }

  /// Waits until both targets have their initial statuses.
  func expectHealthy(_ what: String) {
    recorder.wait(what) { [healthy] in $0.mapValues(\.last) == healthy }
    for (target, status) in healthy { #expect(monitor.currentStatus(of: target) == status, "\(what)") }
  }
}

extension ReachabilityMonitor {
  /// Creates a monitor whose threads start from the calling threads, and so share their faults.
  static func startingThreadsFromCallers(waiter: ChangeWaiter? = nil) throws -> ReachabilityMonitor {
    let start: ThreadStarter = { name, body throws(ReachabilityMonitorError) in
      try startThread(named: name, body)
    }
    let source = try LinuxNetworkSource(names: nil, threads: start, waiter: waiter)
    return ReachabilityMonitor(source: source)
  }
}

/// A box for a value that other threads store and remove.
final class Held<Value: Sendable>: Sendable {
  private let state: Mutex<Value?>

  init(_ value: Value? = nil) { state = Mutex(value) }

  var value: Value? {
    get { state.withLock { $0 } }
    set {
      // The old value is released outside of the lock.
      let old = state.withLock { state in
        defer { state = newValue }
        return state
      }
      _ = consume old
    }
  }
}

/// Returns the share of one processor that this process uses while idle.
func idleLoad(over interval: Duration = .milliseconds(500)) -> Double {
  let before = Faults.processorTime
  let clock = ContinuousClock()
  let start = clock.now
  // A sleep: the semaphore is never signalled.
  _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(Int(interval / .milliseconds(1))))
  return (Faults.processorTime - before) / start.duration(to: clock.now)
}
#endif
