#if os(Linux)
import ClassicReachability
import Dispatch
import Foundation
import ReachabilityKit
import ReachabilityTesting
import SystemConfiguration
import Testing

@testable import AFNetworkReachability

/// A simulated network, and what is needed to follow it.
final class Stage: Sendable {
  let network = SimulatedNetwork(.reachable(over: .wifi))
  private let monitor: ReachabilityMonitor

  init() {
    monitor = ReachabilityMonitor(simulating: network)
  }

  /// Makes something that is about this network.
  func make<T>(_ body: () throws -> T) rethrows -> T {
    try SCNetworkReachability.$monitor.withValue(monitor) { try body() }
  }

  func makeManager() -> AFNetworkReachabilityManager {
    make { AFNetworkReachabilityManager() }
  }

  /// Blocks until all that was started and stopped before is, and first events wait for the main queue.
  func settle() {
    let other = ReachabilityMonitor(simulating: SimulatedNetwork(.reachable(over: .wired)))
    block(until: .reachableViaWiFi, in: other)
  }

  /// Blocks until the default path has a status.
  func block(until status: AFNetworkReachabilityStatus) {
    block(until: status, in: monitor)
  }

  private func block(until status: AFNetworkReachabilityStatus, in monitor: ReachabilityMonitor) {
    let made = SCNetworkReachability.$monitor.withValue(monitor) { SystemTarget.makeDefaultPath() }
    guard let target = made else { return }
    let isTold = DispatchSemaphore(value: 0)
    let period = Period { if $1 == status { isTold.signal() } }
    TargetObservers.shared.add(period, to: target)
    if isTold.wait(timeout: .now() + 15) == .timedOut { Issue.record("the status \(status) was not told") }
    TargetObservers.shared.remove(period, from: target)
  }
}

extension AFNetworkReachabilityManager {
  /// Notes what the block is told.
  func note(in told: Told) {
    setReachabilityStatusChange { told.note(.block($0)) }
  }
}

/// Waits until the main queue has done what it has to do now.
func finishMainQueue() async {
  await withCheckedContinuation { continuation in
    DispatchQueue.main.async { continuation.resume() }
  }
}

/// Waits for a condition, as long as the test has time.
@MainActor func wait(until isTrue: () throws -> Bool) async throws {
  while try !isTrue() {
    try Task.checkCancellation()
    await finishMainQueue()
  }
}
#endif
